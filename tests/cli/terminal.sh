#!/usr/bin/env bash
# On a terminal, the progress line is a single line at any width, also after a resize, and messages replace it. The test
# reads what was sent to the terminal from a recording by script(1).
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
command -v script > /dev/null || { echo "script(1) is not there" && exit 77; }
tmp=$TEST_TMP
export TERM=xterm NO_COLOR=1

cat > "$tmp/run.yaml" <<'YAML'
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: {scale: 0.0625}}
model: [{linear: 512}, relu, {linear: 512}, relu, {linear: 10}]
train: {epochs: 100000, batch_size: 64, eval_every: 5}
YAML
run=0
# on_terminal COLUMNS SECONDS [COMMAND]: a run on a terminal, stopped after SECONDS, while COMMAND runs on the same
# terminal.
on_terminal() {
  run=$((run + 1))
  cat > "$tmp/inside.sh" << INSIDE
stty cols $1 rows 24
"$GTRAIN" train "$tmp/run.yaml" --device "$DEVICE" --run-dir "$tmp/run-$run" &
pid=\$!
while [[ ! -s $tmp/run-$run/timing.jsonl ]] && kill -0 \$pid; do sleep 0.05; done
sleep $2
${3-:}
kill -TERM \$pid
wait \$pid
INSIDE
  script -qec "bash $tmp/inside.sh" "$tmp/recording" < /dev/null > /dev/null
  # Extracts the progress lines, which end with a code of base/log.c, one per line.
  tr '\r' '\n' < "$tmp/recording" | sed -n 's/\x1b\[J$//p' | grep -v '^$' > "$tmp/drawn"
}
longest() { awk '{ if (length > n) n = length } END { print n + 0 }' "$1"; }

for columns in 1 5 20 40 80 120 1000; do
  on_terminal $columns 0.6
  check "$columns columns are enough" test "$(longest "$tmp/drawn")" -lt $columns
  ((columns < 5)) || check "$columns columns are used" grep -q '%' "$tmp/drawn"
  check "$columns columns: wrapping is switched on again" test \
    "$(grep -ao $'\e\[?7h' "$tmp/recording" | wc -l)" = "$(grep -ao $'\e\[?7l' "$tmp/recording" | wc -l)"
done
check "a wide one has it all" grep -Eq '^\[.{24}\] +[0-9]+%  epoch .*  step .*  loss .* samples/s  .* left$' "$tmp/drawn"
# The line is cleared first, unless it has just been cleared for another message.
check "messages begin in the first column" grep -aqE $'(^|\r\e\\[J)error: interrupted' "$tmp/recording"

on_terminal 120 0.7 "stty cols 30; sleep 0.3; stty cols 100; sleep 0.5"
sed -n '/\[.\{24\}\]/!{p;q}' "$tmp/drawn" > "$tmp/narrow"
check "made narrower: it fits" test "$(longest "$tmp/narrow")" -lt 30 -a -s "$tmp/narrow"
check "made wider: it follows" test "$(tail -n 1 "$tmp/drawn" | awk '{ print length }')" -gt 60

on_terminal 0 0.7
check "an unknown width counts as 80" test "$(longest "$tmp/drawn")" -lt 80 -a -s "$tmp/drawn"
TERM=dumb on_terminal 80 0.7
check "a terminal that can do nothing gets lines" test ! -s "$tmp/drawn"
finish
