#!/usr/bin/env bash
# `gtrain export` writes code with the same results as gtrain, bit for bit: the C code compiles without warnings, the
# Verilog runs under iverilog. An exported automaton that learned the Game of Life follows Conway's rule.
source "$(dirname "$0")/../support/cli.sh"
source tests/support/automata.sh

tmp=$TEST_TMP
strict=(cc -std=c11 -Wall -Wextra -Werror -O2 -DGTRAIN_MAIN)
verilog=1
command -v iverilog > /dev/null || {
  verilog=0
  echo "iverilog is missing: the Verilog is not simulated (scripts/install-deps.sh --tests)"
}

# --- a classifier: all 1797 digits ---
exits 0 "digits_logic trains" "$GTRAIN" train configs/digits_logic.yaml --device "$DEVICE" --quiet \
  --run-dir "$tmp/digits" --set train.epochs=5
model=$tmp/digits/model.bin
"$GTRAIN" predict "$model" --input datasets/digits/digits.csv --device "$DEVICE" --quiet |
  cut -d ' ' -f 1 > "$tmp/classes"
# The bits into which the config's thresholds convert the inputs.
awk -F, 'NR > 1 { for (i = 1; i <= 64; i++) printf "%d%d%d", ($i > 3.2), ($i > 8), ($i > 12.8); print "" }' \
  datasets/digits/digits.csv > "$tmp/bits"
exits 0 "export C" "$GTRAIN" export "$model" --format c --output "$tmp/digits.c"
says "gates before and after" "digits_circuit: 3000 gates, "
check "the C compiles without a warning" "${strict[@]}" -o "$tmp/digits.out" "$tmp/digits.c"
check "for 64-bit words" "${strict[@]}" -DWORD=uint64_t -o "$tmp/digits64.out" "$tmp/digits.c"
"$tmp/digits.out" < "$tmp/bits" > "$tmp/classes.c"
"$tmp/digits64.out" < "$tmp/bits" > "$tmp/classes.c64"
check "the C classifies as gtrain does" cmp "$tmp/classes" "$tmp/classes.c"
check "so do 64-bit words" cmp "$tmp/classes" "$tmp/classes.c64"
check "export to standard output is the same" cmp "$tmp/digits.c" \
  <("$GTRAIN" export "$model" --format c --quiet --name digits)
if ((verilog)); then
  exits 0 "export Verilog" "$GTRAIN" export "$model" --format verilog --output "$tmp/digits.v"
  check "iverilog takes it" iverilog -g2001 -DTESTBENCH -o "$tmp/digits.vvp" "$tmp/digits.v"
  vvp -n "$tmp/digits.vvp" "+vectors=$tmp/bits" > "$tmp/classes.v"
  check "the Verilog classifies as gtrain does" cmp "$tmp/classes" "$tmp/classes.v"
fi

# --- files whose names are words of the language, or names in the exported file ---
for name in default register unsigned main state WORD size_t; do
  exits 0 "export $name.c" "$GTRAIN" export "$model" --format c --quiet --output "$tmp/$name.c"
  check "it compiles" cc -std=c11 -Wall -Wextra -Werror -fsyntax-only -DGTRAIN_MAIN "$tmp/$name.c"
done
for name in default function generate parameter primitive unsigned testbench circuit; do
  exits 0 "export $name.v" "$GTRAIN" export "$model" --format verilog --quiet --output "$tmp/$name.v"
  ((!verilog)) || check "iverilog takes it" iverilog -g2001 -DTESTBENCH -t null "$tmp/$name.v"
done

# --- inspect ---
exits 0 "inspect" "$GTRAIN" inspect "$model"
says "shows the histogram" "9 a xnor b"
says "and active gates" "(a gate is active unless its output is a or b)"
exits 0 "inspect --json" "$GTRAIN" inspect "$model" --json
says "has gates" '"gates":[{"layer":"logic1","gates":1000,"active":'

# --- logic convolutions with OR pooling: trained ones, then random gates in other shapes -------
convolutions() {
  local name=$1 bits=$2
  shift 2
  exits 0 "$name trains" "$GTRAIN" train configs/digits_logic_conv.yaml --device "$DEVICE" --quiet \
    --run-dir "$tmp/$name" "$@"
  "$GTRAIN" predict "$tmp/$name/model.bin" --input datasets/digits/digits.csv --device "$DEVICE" --quiet |
    cut -d ' ' -f 1 > "$tmp/$name.classes"
  exits 0 "export $name" "$GTRAIN" export "$tmp/$name/model.bin" --format c --output "$tmp/$name.c"
  check "its C compiles without a warning" "${strict[@]}" -o "$tmp/$name.out" "$tmp/$name.c"
  "$tmp/$name.out" < "$bits" > "$tmp/$name.classes.c"
  check "it classifies as gtrain does" cmp "$tmp/$name.classes" "$tmp/$name.classes.c"
  check "in several classes" test "$(sort -u "$tmp/$name.classes" | wc -l)" -ge 4
}
convolutions conv "$tmp/bits" --set train.epochs=3
if ((verilog)); then
  exits 0 "export Verilog" "$GTRAIN" export "$tmp/conv/model.bin" --format verilog --output "$tmp/conv.v"
  check "iverilog takes it" iverilog -g2001 -DTESTBENCH -o "$tmp/conv.vvp" "$tmp/conv.v"
  vvp -n "$tmp/conv.vvp" "+vectors=$tmp/bits" > "$tmp/conv.classes.v"
  check "the Verilog classifies as gtrain does" cmp "$tmp/conv.classes" "$tmp/conv.classes.v"
fi
convolutions odd "$tmp/bits" --set train.epochs=1 --set optimizer.lr=0.001 --set 'model=[{reshape: [8, 8, 1]},
  {threshold: [0.2, 0.5, 0.8]},
  {logic_conv2d: {channels: 7, kernel: 5, depth: 4, padding: 2, pool: 2, init: normal, field_channels: 3}},
  {logic_conv2d: {channels: 90, depth: 2, stride: 2, padding: 1, init: normal}}, flatten, {group_sum: 10}]'
exits 0 "inspect a convolution" "$GTRAIN" inspect "$tmp/conv/model.bin"
says "shows its gates" "logic_conv2d1"

# --- an automaton: all boards of 3x3 cells, compared with gtrain's evaluation of the hard gates ---
learn_life "$tmp/life"
exits 0 "export an automaton" "$GTRAIN" export "$life" --format c --output "$tmp/life.c"
says "gates of the cell" "life_circuit: 2543 gates, "
check "it compiles without a warning" "${strict[@]}" -o "$tmp/life.out" "$tmp/life.c"
awk 'BEGIN { for (i = 0; i < 512; i++) { for (b = 0; b < 9; b++) printf "%d%s", int(i / 2^b) % 2, b < 8 ? "," : "\n" } }' \
  > "$tmp/boards.csv"
"$GTRAIN" predict "$life" --input "$tmp/boards.csv" --device "$DEVICE" --quiet | tr -d ' ' > "$tmp/next"
while read -r board; do
  "$tmp/life.out" 3 3 1 <<< "$board" | tr -d '\n'
  echo
done < <(tr -d , < "$tmp/boards.csv") > "$tmp/next.c"
check "the C steps every 3x3 board as gtrain does" cmp "$tmp/next" "$tmp/next.c"

# --- many channels, many steps, a border: with random gates, so that a wrong index in the wiring changes the result ---
exits 0 "random gates" random_gates "$tmp/random"
random_board > "$tmp/board"
sed 's/./&,/g; s/,$//' "$tmp/board" > "$tmp/board.csv"
"$GTRAIN" predict "$tmp/random/model.bin" --input "$tmp/board.csv" --device "$DEVICE" --quiet | tr -d ' \n' > "$tmp/seen"
exits 0 "export them" "$GTRAIN" export "$tmp/random/model.bin" --format c --output "$tmp/random.c"
check "they compile" "${strict[@]}" -o "$tmp/random.out" "$tmp/random.c"
# The model's output is the first of eight channels.
"$tmp/random.out" 16 16 3 < "$tmp/board" | tr -d '\n' | fold -w 8 | cut -c 1 | tr -d '\n' > "$tmp/seen.c"
check "three steps of the C are those of gtrain" cmp "$tmp/seen" "$tmp/seen.c"
check "and not all cells alike" grep -q '[01]*01[01]*10' "$tmp/seen"

# --- Conway's rule: 300 steps on a torus of 128x128 ---
build_conway "$tmp/conway.out"
"$tmp/conway.out" 0 > "$tmp/start"
"$tmp/life.out" 128 128 300 < "$tmp/start" > "$tmp/board.c"
if ((solved)); then
  check "300 steps of the C are Conway's" cmp "$tmp/board.c" <("$tmp/conway.out" 300)
else
  fail "none of four seeds learned the Game of Life without a mistake"
fi
if ((verilog)); then
  exits 0 "export it as Verilog" "$GTRAIN" export "$life" --format verilog --output "$tmp/life.v"
  check "iverilog takes it" iverilog -g2001 -DTESTBENCH -DHEIGHT=128 -DWIDTH=128 -o "$tmp/life.vvp" "$tmp/life.v"
  vvp -n "$tmp/life.vvp" "+board=$tmp/start" +steps=300 > "$tmp/board.v"
  check "300 steps of the Verilog are those of the C" cmp "$tmp/board.c" "$tmp/board.v"
fi

# --- models that cannot be exported ---
exits 0 "a model without gates" "$GTRAIN" train configs/xor.yaml --device "$DEVICE" --quiet --run-dir "$tmp/xor" \
  --set train.steps=1
exits 65 "is refused" "$GTRAIN" export "$tmp/xor/model.bin" --format c
says "with the reason" "has no logic layer"
exits 0 "layers after gates" "$GTRAIN" train configs/digits_logic.yaml --device "$DEVICE" --quiet \
  --run-dir "$tmp/mixed" --set train.epochs=1 --set 'model=[{threshold: 0.5}, {logic: 100}, {linear: 10}]'
exits 65 "are refused" "$GTRAIN" export "$tmp/mixed/model.bin" --format verilog
says "by name" "layer 'linear1' (linear) comes after gates"
exits 0 "gates before an automaton" "$GTRAIN" train configs/life.yaml --device "$DEVICE" --quiet --run-dir "$tmp/before" \
  --set train.steps=1 --set 'model=[flatten, {logic: 9}, {reshape: [3, 3, 1]},
    {logic_ca: {steps: 1, kernels: 2, perception: [8, 4, 2, 1], update: [2, 1]}}]'
exits 65 "are refused, too" "$GTRAIN" export "$tmp/before/model.bin" --format c
says "by the automaton's name" "layer 'logic_ca1' (logic_ca) reads gates that are not its own"
exits 2 "no format" "$GTRAIN" export "$model"
exits 2 "unknown format" "$GTRAIN" export "$model" --format vhdl
exits 74 "nowhere to write" "$GTRAIN" export "$model" --format c --output "$tmp/absent/digits.c"
finish
