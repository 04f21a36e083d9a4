#!/usr/bin/env bash
# `gtrain simulate`: a learned Game of Life follows Conway's rule, boards of many channels match those of predict,
# errors are counted against the target, damage appears where and when it was requested, images show the boards, and
# every mistake has its message.
source "$(dirname "$0")/../support/cli.sh"
source tests/support/automata.sh

tmp=$TEST_TMP
simulate() { "$GTRAIN" simulate "$@"; }
# number FILE OFFSET BYTES: prints an unsigned big-endian number in a file.
number() { od -An -tu1 -j "$2" -N "$3" "$1" | awk '{ for (i = 1; i <= NF; i++) n = 256 * n + $i } END { print n }'; }

# --- Conway's rule: 300 steps on a torus of 128x128 cells ---
learn_life "$tmp/life"
check "a Game of Life is learned without a mistake" test "$solved" = 1
build_conway "$tmp/conway"
"$tmp/conway" 0 > "$tmp/start"
exits 0 "300 steps" simulate "$life" --start "$tmp/start" --steps 300 --final "$tmp/end" --quiet --fail-if 'errors>0'
check "are all right" test "$out" = "steps 1 to 300: 0 of 4915200 cells differ from the rule"
check "and end where Conway's do" cmp "$tmp/end" <("$tmp/conway" 300)
exits 0 "300 steps from a random start" simulate "$life" --grid 128x128 --steps 300 --fail-if 'errors>0' --quiet
exits 0 "so are those of cells that fire by chance" simulate "$life" --grid 40x50 --steps 50 --fire-rate 0.3 --quiet \
  --fail-if 'errors>0'
exits 0 "and those of a damaged board" simulate "$life" --grid 40x50 --steps 50 --damage random:9x9:2 --quiet \
  --fail-if 'errors>0'
exits 0 "a life that is not learned" "$GTRAIN" train configs/life.yaml --device "$DEVICE" --quiet --run-dir "$tmp/raw" \
  --set train.steps=1
exits 1 "misses the gate" simulate "$tmp/raw/model.bin" --grid 20x20 --steps 5 --fail-if 'errors>0'
says "which says so" "which is > 0 (--fail-if)"
# Counts the different cells of board 1: simulate must report the same number.
"$tmp/conway" 1 > "$tmp/right"
exits 0 "one step of it" simulate "$tmp/raw/model.bin" --start "$tmp/start" --steps 1 --final "$tmp/end" --quiet
differing=$(paste -d ' ' <(fold -w 1 < "$tmp/right") <(fold -w 1 < "$tmp/end") | awk '$1 != $2 { n++ } END { print n + 0 }')
check "its errors" test "$out" = "steps 1 to 1: $differing of 16384 cells differ from the rule"

# --- damage to a block, a pattern of Life that never changes ---
printf '%s\n' 00000000 01100000 01100000 00000000 00000000 > "$tmp/still"
# survives NAME YES|NO STEPS DAMAGE…: whether the block exists after STEPS steps with this damage.
survives() {
  local name=$1 want=$2 steps=$3 damage=() one got=yes
  shift 3
  for one; do damage+=(--damage "$one"); done
  simulate "$life" --start "$tmp/still" --steps "$steps" --final "$tmp/end" --quiet "${damage[@]}" > /dev/null
  cmp -s "$tmp/still" "$tmp/end" || got=no
  check "$name" test $got = "$want"
}
survives "still life" yes 9
survives "damage throughout" no 9 1,1,2x2
survives "damage to the start alone" no 9 1,1,2x2:0
survives "damage beside it" yes 9 3,3,2x5 0,3,5x5:4
survives "damage from board 5 on, before" yes 4 1,1,2x2:5-6
survives "damage from board 5 on, then" no 5 1,1,2x2:5-6
survives "random damage to every third board, before" yes 2 random:5x8:1:3
survives "random damage to every third board, then" no 3 random:5x8:1:3
printf '%s\n' 11111 11111 11111 11111 > "$tmp/ones"
exits 0 "a damaged start" simulate "$life" --start "$tmp/ones" --steps 0 --damage 1,2,2x3 --damage 3,0,1x1 \
  --final "$tmp/end" --quiet
check "has its holes" cmp "$tmp/end" <(printf '%s\n' 11111 11000 11000 01111)

# --- many channels, a border, a fixed target: with random gates, so that a wrong index changes the boards ---
exits 0 "random gates" random_gates "$tmp/random"
random=$tmp/random/model.bin
random_board | fold -w 128 > "$tmp/board"
random_board | sed 's/./&,/g; s/,$//' > "$tmp/board.csv"
"$GTRAIN" predict "$random" --input "$tmp/board.csv" --device "$DEVICE" --quiet | tr -d ' \n' | fold -w 16 > "$tmp/seen"
echo >> "$tmp/seen"
exits 0 "three steps of them" simulate "$random" --start "$tmp/board" --final "$tmp/end" --quiet --json
differing=$(awk '{ for (x = 0; x < 16; x++) n += substr($0, x + 1, 1) != (int((NR - 1) / 2) + int(x / 2)) % 2 } END { print n }' \
  "$tmp/seen")
says "the errors against a checkerboard" '"errors":'"$differing,"
check "are boards that predict gives" cmp "$tmp/seen" <(fold -w 8 < "$tmp/end" | cut -c 1 | paste -sd '' | fold -w 16)
exits 0 "errors of every board" simulate "$random" --start "$tmp/board" --every 1 --quiet
check "a line for each, the result, and what stays" test "$(wc -l <<< "$out")" = 6
sum=$(awk 'NR > 1 && NR < 5 { n += $3 } END { printf "%.6g", n / 3 }' <<< "$out")
says "with their mean" "mean $sum"
exits 0 "larger squares" simulate "$random" --start "$tmp/board" --quiet --json --set data.square=4
check "are another target" grep -qvF "\"errors\":$differing," <<< "$out"
exits 0 "another grid" simulate "$random" --grid 33x70 --steps 4 --every 2 --json --quiet
check "json: an object a line" test "$(cut -c 1-9 <<< "$out" | paste -sd ' ')" = '{"step":0 {"step":2 {"step":4 {"steps":'
says "json: the result" '{"steps":4,"height":33,"width":70,"errors":'

# --- boards after more steps than in training, which has 3 here ---
# wrong_at: extracts the errors of boards 3, 6, 12 and 30 from the output of --every 1.
wrong_at() { awk '/^step (3|6|12|30): .* target$/ { printf "%s ", $3 }'; }
wrong=$(simulate "$random" --start "$tmp/board" --steps 30 --every 1 --quiet | wrong_at)
read -r one two four ten <<< "$wrong"
check "boards change" test "$one" != "$two"
lasting="after 1, 2, 4 and 10 times the 3 steps of the training: $one, $two, $four and $ten of 256 cells differ from the target"
exits 0 "a run of 30 steps" simulate "$random" --start "$tmp/board" --steps 30 --quiet
says "reports four of its boards" "$lasting"
exits 0 "one of 3" simulate "$random" --start "$tmp/board" --final "$tmp/end" --quiet
says "goes on after its result" "$lasting"
says "which it leaves as it is" "step 3: $one of 256 cells differ from the target; mean"
check "and its last board" cmp "$tmp/seen" <(fold -w 8 < "$tmp/end" | cut -c 1 | paste -sd '' | fold -w 16)
exits 0 "one of 7" simulate "$random" --start "$tmp/board" --steps 7 --quiet
says "of what it has" "after 1 and 2 times the 3 steps of the training: $one and $two of 256 cells differ from the target"
exits 0 "one of 2" simulate "$random" --start "$tmp/board" --steps 2 --quiet
check "of nothing" test "$(wc -l <<< "$out")" = 1
exits 0 "as JSON" simulate "$random" --start "$tmp/board" --steps 3 --json --quiet
says "a list" '"lasting":[{"times":1,"step":3,"errors":'"$one"',"cells":256}]}'
# eval uses the start state of the config. If it is random, as here, eval reports the sum for the seeds 1 to 10.
wrong=$(for seed in {1..10}; do simulate "$random" --seed "$seed" --steps 30 --every 3 --quiet | wrong_at; echo; done |
  awk '{ for (i = 1; i <= 4; i++) n[i] += $i } END { print n[1], n[2], n[3], n[4] }')
read -r one two four ten <<< "$wrong"
exits 0 "an evaluation" "$GTRAIN" eval "$random" --device "$DEVICE" --quiet
says "reports it too" "after 1, 2, 4 and 10 times the 3 steps of the training: $one, $two, $four and $ten of 2560 cells"
exits 0 "as JSON" "$GTRAIN" eval "$random" --device "$DEVICE" --quiet --json
says "the same" '"lasting":[{"times":1,"step":3,"errors":'"$one"',"cells":2560},{"times":2,"step":6,"errors":'"$two,"
exits 0 "of a rule" "$GTRAIN" eval "$life" --device "$DEVICE" --quiet
check "nothing" test "$(wc -l <<< "$out")" = 1

# --- seeds ---
"$GTRAIN" simulate "$random" --grid 30x30 --fire-rate 0.6 --damage random:4x4 --seed 3 --final "$tmp/a" > /dev/null 2>&1
"$GTRAIN" simulate "$random" --grid 30x30 --fire-rate 0.6 --damage random:4x4 --seed 3 --final "$tmp/b" > /dev/null 2>&1
"$GTRAIN" simulate "$random" --grid 30x30 --fire-rate 0.6 --damage random:4x4 --seed 4 --final "$tmp/c" > /dev/null 2>&1
"$GTRAIN" simulate "$random" --grid 30x30 --fire-rate 1 --damage random:4x4 --seed 3 --final "$tmp/d" > /dev/null 2>&1
check "the same seed, the same board" cmp "$tmp/a" "$tmp/b"
check "another seed, another" test "$(cmp -s "$tmp/a" "$tmp/c" || echo other)" = other
check "all together, another" test "$(cmp -s "$tmp/a" "$tmp/d" || echo other)" = other
exits 0 "cells that fire by chance" random_gates "$tmp/async" --set model.1.logic_ca.fire_rate=0.6
exits 0 "are the model's default" simulate "$tmp/async/model.bin"
says "which is reported" "16x16 cells of 8 bits, zeros outside the board, fire rate 0.6, start random"

# --- images -----
exits 0 "pictures" simulate "$random" --start "$tmp/board" --png "$tmp/png" --animation "$tmp/all.png" --scale 1 --fps 25 \
  --final "$tmp/end" --quiet
check "one a board" test "$(cd "$tmp/png" && echo *)" = "step-000000.png step-000001.png step-000002.png step-000003.png"
simulate "$random" --start "$tmp/png/step-000003.png" --steps 0 --final "$tmp/back" --quiet > /dev/null
check "the last shows the last board" cmp <(fold -w 8 < "$tmp/back" | cut -c 1) <(fold -w 8 < "$tmp/end" | cut -c 1)
simulate "$random" --start "$tmp/all.png" --steps 0 --final "$tmp/back" --quiet > /dev/null
check "an animation shows the first" cmp <(fold -w 8 < "$tmp/back" | cut -c 1) <(fold -w 8 < "$tmp/board" | cut -c 1)
check "it is an APNG" test "$(tail -c +38 "$tmp/all.png" | head -c 4)" = acTL
check "of four frames" test "$(number "$tmp/all.png" 41 4)" = 4
check "for ever" test "$(number "$tmp/all.png" 45 4)" = 0
check "40 ms each" test "$(number "$tmp/all.png" 81 2)/$(number "$tmp/all.png" 83 2)" = 40/1000
exits 0 "every other board" simulate "$random" --steps 5 --animation "$tmp/half.png" --picture-every 2 --scale 3 --quiet
check "makes three frames" test "$(number "$tmp/half.png" 41 4)" = 3
check "of cells of three pixels" test "$(number "$tmp/half.png" 16 4)x$(number "$tmp/half.png" 20 4)" = 48x48
check "in grey" test "$(number "$tmp/half.png" 25 1)" = 0
exits 0 "three channels" simulate "$random" --steps 0 --animation "$tmp/rgb.png" --channels 2,0,7 --quiet
check "are colours" test "$(number "$tmp/rgb.png" 25 1)" = 2

exits 0 "a coloured picture" "$GTRAIN" train configs/letter_g.yaml --device "$DEVICE" --quiet --run-dir "$tmp/letter" \
  --set train.steps=1
letter=$tmp/letter/model.bin
exits 0 "is a target" simulate "$letter" --animation "$tmp/letter.png"
says "which has its size" " cells differ from the target"
says "and its start" "start zeros"
check "and is shown in colours" test "$(number "$tmp/letter.png" 25 1)" = 2
exits 0 "without start and target" simulate "$letter" --start datasets/ca/letter_g.png --steps 0
says "the target itself is right" "step 0: 0 of "
exits 0 "what comes of no cell" simulate "$letter" --quiet
comes=$(grep '^after 1, 2, 4 and 10 times the 15 steps' <<< "$out")
exits 0 "is what an evaluation reports" "$GTRAIN" eval "$letter" --device "$DEVICE" --quiet
says "of a single board, as chance has no part" "$comes"
exits 0 "as before" simulate "$letter" --start datasets/ca/letter_g.png --steps 0
says "from the first board on" "none since step 0"
exits 0 "a picture on another grid" simulate "$letter" --grid 40x40
says "is no target" "errors are not counted"
says "which the result says" "steps of 1600 cells, without a target"
exits 0 "as JSON" simulate "$letter" --grid 40x40 --json --quiet
says "that is null" '"errors":null'
exits 2 "nor a gate" simulate "$letter" --grid 40x40 --fail-if 'errors>0'
says "with the reason" "this board has no target"
exits 0 "from the centre" simulate "$letter" --start centre --steps 0 --final "$tmp/end" --grid 5x6 --quiet
check "one cell has ones" test "$(tr -cd 1 < "$tmp/end" | wc -c)" = 64
check "which is the centre" test "$(sed -n 3p "$tmp/end" | cut -c 193-256 | tr -cd 1 | wc -c)" = 64

# --- mistakes ---
wrong() {
  local code=$1 text=$2
  shift 2
  exits "$code" "refused: ${*#"$tmp"}" simulate "$@"
  says "with the reason" "$text"
}
for grid in 0x4 4 4x 4x4x4 -1x4 axb 4x99999; do wrong 2 "--grid '$grid': expected HEIGHTxWIDTH" "$life" --grid=$grid; done
for damage in 1,1 1,1,2x2:x 1,1,2x2:3-2 1,1,2x0 1,1,2x2: random random: random:2 random:2x2:0 random:2x2:1:0 rnd:2x2 -1,0,2x2; do
  wrong 2 "--damage '$damage': expected ROW,COLUMN,HxW" "$life" --damage=$damage
done
wrong 2 "a block of 2x3 at that place does not fit on a board of 9x9" "$life" --grid 9x9 --damage 7,7,2x3
wrong 2 "a block of 10x1 does not fit on a board of 9x9" "$life" --grid 9x9 --damage random:10x1
for rate in 0 1.1 -0.5 nan x 0.5x; do wrong 2 "--fire-rate '$rate': expected a probability" "$life" --fire-rate=$rate; done
for channels in a 0,1 0,1,2,3 0, ''; do wrong 2 "--channels '$channels': expected" "$life" --channels="$channels" --png "$tmp/no"; done
wrong 2 "there is no channel 1; cells have channels 0 to 0" "$life" --channels 1
wrong 2 "expected an integer" "$life" --steps -1
wrong 2 "expected an integer" "$life" --fps 0
wrong 2 "expected an integer" "$life" --every x
wrong 2 "a smaller --scale" "$life" --grid 1000x1000 --scale 17 --png "$tmp/no"
wrong 2 "unknown metric 'accuracy' (known metrics: errors, mean_errors)" "$life" --fail-if 'accuracy<1'
wrong 2 "only these can be set here: data.KEY, quiet" "$life" --set seed=2
wrong 2 "--start $tmp/still has 5x8 cells, but --grid is 6x8" "$life" --grid 6x8 --start "$tmp/still"
wrong 78 "unknown key 'sqare'" "$random" --set data.sqare=2
wrong 65 "cells have 9 channels in its data, but 8 in its automaton" "$random" --set data.channels=9
wrong 74 "absent" "$life" --start "$tmp/absent"
wrong 74 "absent" "$tmp/absent.bin"
wrong 74 "cannot write" "$life" --animation "$tmp/absent/all.png"
wrong 74 "" "$life" --png /dev/null/frames
wrong 74 "" "$life" --final "$tmp/absent/end"
printf '0101\n01x1\n' > "$tmp/letters"
wrong 65 "letters:2:3: expected digits 0 and 1" "$life" --start "$tmp/letters"
printf '0101\n010\n' > "$tmp/ragged"
wrong 65 "ragged:2: the row has 3 digits, but the rows before it have 4" "$life" --start "$tmp/ragged"
wrong 65 "still:1: the row has 8 digits, but cells have 64 channels" "$letter" --start "$tmp/still"
: > "$tmp/empty"
wrong 65 "no digits 0 and 1" "$life" --start "$tmp/empty"
head -c 100 datasets/ca/letter_g.png > "$tmp/short.png"
wrong 65 "short.png" "$letter" --start "$tmp/short.png"
wrong 65 "the image is in color, but the automaton's cells have 1 channel; expected a gray image" "$life" --start datasets/ca/letter_g.png
wrong 65 "life.yaml" configs/life.yaml
exits 0 "a classifier" "$GTRAIN" train configs/digits_logic.yaml --device "$DEVICE" --quiet --run-dir "$tmp/digits" \
  --set train.epochs=1
wrong 65 "is not a cellular automaton" "$tmp/digits/model.bin"
finish
