#!/usr/bin/env bash
# If standard descriptors are closed, a file that gets such a descriptor number must not receive messages, and a result
# that cannot be written is an error.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
tmp=$TEST_TMP

closed() { # closed "0 2" COMMAND…: runs it with these descriptors closed
  local which=$1
  shift
  (
    for fd in $which; do eval "exec $fd>&-"; done
    exec "$@"
  )
}
exits 0 "the whole run" "$GTRAIN" train configs/xor.yaml --device "$DEVICE" --set train.log_every=1 --run-dir "$tmp/whole"

for which in 0 1 2 "0 1" "0 2" "1 2" "0 1 2"; do
  run=$tmp/run-${which// /}
  code=0
  closed "$which" "$GTRAIN" train configs/xor.yaml --device "$DEVICE" --set train.log_every=1 --run-dir "$run" \
    > "$tmp/out" 2> "$tmp/err" || code=$?
  [[ $which == *1* ]] && want=74 || want=0
  check "$which closed: $want" test "$code" = "$want"
  check "$which closed: the same model" cmp "$tmp/whole/model.bin" "$run/model.bin"
  check "$which closed: the same metrics" cmp "$tmp/whole/metrics.jsonl" "$run/metrics.jsonl"
  check "$which closed: the lock holds a number" grep -qx '[0-9]*' "$run/.lock"
  check "$which closed: nothing else was written" \
    test "$(cd "$run" && find . -type f ! -name '*.safetensors' | sort | tr '\n' ' ')" = \
    "./.lock ./config.yaml ./metrics.jsonl ./model.bin ./timing.jsonl "
done
code=0
closed "1" "$GTRAIN" train configs/xor.yaml --device "$DEVICE" --run-dir "$tmp/word" > "$tmp/out" 2> "$tmp/err" || code=$?
check "a word about it" grep -q "cannot write to standard output" "$tmp/err"

# --- every command that prints -----------------------------------------------------------------------------------
model=$tmp/whole/model.bin
commands=("--help" "--version" "train --help" "eval $model --device $DEVICE" "eval $model --device $DEVICE --json"
  "inspect $model" "inspect $model --json" "check configs/xor.yaml" "check configs/xor.yaml --json" "schema"
  "devices" "devices --json" "doctor" "doctor --json" "selftest --device cpu --filter softmax"
  "bench train configs/xor.yaml --device $DEVICE --steps 5")
full=$tmp/full # a device that is always full; if the system has none, a file of limited size
mknod "$full" c 1 7 2> /dev/null && [[ -c $full ]] && ! echo 2> /dev/null > "$full" || full=
for command in "${commands[@]}"; do
  # shellcheck disable=SC2086
  exits 74 "closed: $command" closed 1 "$GTRAIN" $command
  [[ -n $full ]] || continue
  code=0
  # shellcheck disable=SC2086
  "$GTRAIN" $command > "$full" 2> "$tmp/err" || code=$?
  check "full: $command" test $code = 74
  check "full: a word about it" grep -q "cannot write to standard output" "$tmp/err"
done
# Output of more than one buffer: an error of the first write must be reported, even if the last write succeeds.
head -n 1000 datasets/digits/digits.csv > "$tmp/many.csv"
"$GTRAIN" train configs/digits.yaml --device "$DEVICE" --run-dir "$tmp/digits" --set train.epochs=1 --quiet > /dev/null
predict=("$GTRAIN" predict "$tmp/digits/model.bin" --input "$tmp/many.csv" --device "$DEVICE" --quiet --json)
exits 74 "much to say" closed 1 "${predict[@]}"
limited() { (ulimit -f 16 && exec "$@" > "$tmp/cut"); }
exits 74 "a file that may grow no more" limited "${predict[@]}"
exits 74 "a model that may not be written whole" limited "$GTRAIN" train configs/digits.yaml --device "$DEVICE" \
  --run-dir "$tmp/limited" --set train.epochs=1 --quiet
says "… is reported" "File too large"
finish
