#!/usr/bin/env bash
# The lines that a run prints for evaluations: they fit the terminal, also after a resize, and the best one is marked;
# in a file there is at most one per second, and the best and the last are included. On a terminal, a run ends with a
# plot of the losses. metrics.jsonl has all evaluations, even those that were not printed.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/terminal.sh
source "$(dirname "$0")/../support/terminal.sh"
unset NO_COLOR
export TERM=xterm COLUMNS=200 # COLUMNS must be ignored

awk -v OFS=, 'BEGIN { print "x,y,label"; for (i = 0; i < 24; i++) print i, i * 7 % 11, i % 3 ? "b" : "a" }' > "$TEST_TMP/few.csv"
cat > "$TEST_TMP/run.yaml" << YAML
data: {train: $TEST_TMP/few.csv, target: label, validation: 0.25}
model: [{linear: 2}]
train: {epochs: 12, batch_size: 32}
YAML
train=("$GTRAIN" train "$TEST_TMP/run.yaml" --device cpu)
# lines FILE: the lines of evaluations, without the escape sequences of the progress line.
lines() { tr -d '\r' < "$1" | sed 's/.*\x1b\[?7h//; s/\x1b\[[?0-9;]*[a-zA-Z]//g' | grep '^epoch '; }

for columns in 40 80 120; do
  sent $columns "screen-$columns" "${train[@]}" --run-dir "$TEST_TMP/run-$columns"
  lines "$TEST_TMP/screen-$columns" > "$TEST_TMP/lines-$columns"
  check "$columns columns: all evaluations" test "$(wc -l < "$TEST_TMP/lines-$columns")" = 12
  check "… fit" test "$(widest "$TEST_TMP/lines-$columns")" -le $columns
  check "… the first is marked" grep -q '^epoch  1/12 .*\*' "$TEST_TMP/lines-$columns"
  check "… and the mark explained" grep -q '^\* best validation loss so far' "$TEST_TMP/screen-$columns"
done
check "40 columns hold what is watched" grep -Eq '^epoch 12/12  val loss [0-9.]+( acc [0-9.]+)?( \*)?$' "$TEST_TMP/lines-40"
check "80 hold all but the rate" grep -Eq '^epoch 12/12  train loss .* acc .*  val loss .* acc .*[0-9*]$' "$TEST_TMP/lines-80"
check "120 hold all" grep -Eq '^epoch 12/12  train loss .* accuracy .*  validation loss .* accuracy .* samples/s$' "$TEST_TMP/lines-120"

for columns in 40 80 120; do
  check "$columns columns: the losses fit" test "$(tail -n 14 "$TEST_TMP/screen-$columns" | grep ' |' > "$TEST_TMP/picture"
    widest "$TEST_TMP/picture")" -gt 30 -a "$(widest "$TEST_TMP/picture")" -le $columns
  check "… in six lines" test "$(wc -l < "$TEST_TMP/picture")" = 6
done
check "without UTF-8 they are ASCII, coloured" grep -q $'|\x1b\\[3[36]m[.o]' "$TEST_TMP/screen-80"
sent 40 utf8 env LC_ALL=C.UTF-8 "${train[@]}" --run-dir "$TEST_TMP/run-utf8"
check "with UTF-8 in braille" grep -q $'\xe2\x94\x82.*\xe2[\xa0-\xa3]' "$TEST_TMP/utf8"
check "… which fits" test "$(grep $'\xe2\x94\x82' "$TEST_TMP/utf8" > "$TEST_TMP/picture"; widest "$TEST_TMP/picture")" -le 40
sent 80 quiet "${train[@]}" --run-dir "$TEST_TMP/run-quiet" --quiet
check "--quiet: neither" test "$(grep -c ' |\|^epoch' "$TEST_TMP/quiet")" = 0

for how in TERM=dumb NO_COLOR=1 LANG=C; do
  sent 40 "$how" env $how "${train[@]}" --run-dir "$TEST_TMP/run-$how"
  check "$how: all evaluations" test "$(lines "$TEST_TMP/$how" | wc -l)" = 12
  check "… fit" test "$(lines "$TEST_TMP/$how" | wc -L)" -le 40
done
check "NO_COLOR: the losses without colour" grep -q ' |[.o]' "$TEST_TMP/NO_COLOR=1"
check "a dumb terminal has them, too" grep -q ' |[.o]' "$TEST_TMP/TERM=dumb"
check "a dumb terminal gets no escape sequences" test "$(grep -c $'\x1b' "$TEST_TMP/TERM=dumb")" = 0

# A terminal that is resized during the run: 300 epochs at 40 columns, then at 120. Repeated if the run ends before the
# terminal is resized.
cat > "$TEST_TMP/resize.sh" << SCRIPT
for try in 1 2 3 4 5 6 7 8 9 10; do
  stty cols 40 rows 24
  rm -rf "$TEST_TMP/resized-run"
  ${train[*]} --set train.epochs=300 --run-dir "$TEST_TMP/resized-run" &
  while kill -0 \$! && [[ \$(wc -l < "$TEST_TMP/resized-run/metrics.jsonl") -lt 60 ]]; do sleep 0.05; done 2> /dev/null
  kill -STOP \$! 2> /dev/null
  [[ -e "$TEST_TMP/resized-run/model.bin" ]] || break
  kill -CONT \$! 2> /dev/null
  wait
done
stty cols 120
kill -CONT \$!
wait
SCRIPT
sent 40 resized bash "$TEST_TMP/resize.sh"
lines "$TEST_TMP/resized" > "$TEST_TMP/resized-lines" 2> /dev/null
lines "$TEST_TMP/resized" | sed -n '1,20p' > "$TEST_TMP/narrow"
check "a terminal that is resized: first narrow" test "$(widest "$TEST_TMP/narrow")" -le 40 -a -s "$TEST_TMP/narrow"
check "… then wide" grep -q '^epoch 300/300 .* samples/s$' "$TEST_TMP/resized-lines"

# In a file: 300 short epochs.
began=$SECONDS
exits 0 "300 epochs into a file" "${train[@]}" --set train.epochs=300 --set train.early_stopping.patience=300 --set 'quiet=[no_effect]' \
  --set train.early_stopping.metric=accuracy --run-dir "$TEST_TMP/file"
printf '%s\n' "$out" | grep '^epoch ' > "$TEST_TMP/file-lines"
says "… which is explained" "* best validation accuracy so far"
check "… and no picture" test "${out#*. train}" = "$out"
count=$(wc -l < "$TEST_TMP/file-lines")
check "… write at most a line a second, and two" test "$count" -ge 2 -a "$count" -le $((SECONDS - began + 4))
check "… the first one" grep -q '^epoch   1/300 ' "$TEST_TMP/file-lines"
check "… the last one" grep -q '^epoch 300/300 ' "$TEST_TMP/file-lines"
check "… in order" sort -c -k2,2 "$TEST_TMP/file-lines"
best=$(grep '"split":"validation"' "$TEST_TMP/file/metrics.jsonl" |
  sed 's/.*"epoch":\([0-9]*\),.*"accuracy":\([0-9.]*\).*/\2 \1/' | sort -k1,1gr -k2,2n | sed -n '1s/.* //p')
check "… the best one, epoch $best" grep -q "^epoch *$best/300 .*\*" "$TEST_TMP/file-lines"
check "metrics.jsonl has all" test "$(wc -l < "$TEST_TMP/file/metrics.jsonl")" = 600
check "… the same as with a terminal" cmp "$TEST_TMP/file/metrics.jsonl" "$TEST_TMP/resized-run/metrics.jsonl"
finish
