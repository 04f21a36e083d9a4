#!/usr/bin/env bash
# Interrupted runs: signals, locks, damaged checkpoints. A resumed run ends with the same bytes as a run that was not
# interrupted.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/run.yaml" <<'YAML'
data:
  train: datasets/digits/digits.csv
  target: label
  test_fraction: 0.2
  validation: 0.1
  normalize: {scale: 0.0625}
model: [{linear: 256}, relu, {dropout: 0.2}, {linear: 128}, relu, {linear: 10}]
optimizer: {type: adam, lr: 1e-3, clip_norm: 5, ema: 0.99}
schedule: {type: plateau, warmup: 10}
train:
  epochs: 40
  batch_size: 64
  log_every: 3
  checkpoint: {every: 3, keep_last: 3}
  early_stopping: {patience: 30}
YAML
train() { "$GTRAIN" train "$TEST_TMP/run.yaml" --device "$DEVICE" --run-dir "$@"; }
same() {
  cmp "$TEST_TMP/whole/model.bin" "$1/model.bin" && cmp "$TEST_TMP/whole/metrics.jsonl" "$1/metrics.jsonl"
}

# On a fast device the run needs more epochs, or it ends before a signal reaches it.
[[ -n ${TEST_EPOCHS-} ]] && sed -i "s/epochs: .*/epochs: $TEST_EPOCHS/; s/patience: .*/patience: 100000}/" "$TEST_TMP/run.yaml"
exits 0 "the whole run" train "$TEST_TMP/whole"
check "no evaluation is written twice" test -z \
  "$(grep -v '"split":"train"' "$TEST_TMP/whole/metrics.jsonl" | sed 's/,"loss.*//' | sort | uniq -d)"
check "the test is the last row" grep -q '"split":"test"' <(tail -n 1 "$TEST_TMP/whole/metrics.jsonl")
exits 73 "a run is not overwritten" train "$TEST_TMP/whole"
says "what to do" "--resume"
exits 0 "a finished run resumes to the same end" train "$TEST_TMP/whole" --resume
exits 74 "nothing to resume" train "$TEST_TMP/absent" --resume

# wait_for_checkpoints RUN COUNT PID: waits until the run has written COUNT checkpoints or has ended.
wait_for_checkpoints() {
  local run=$1 count=$2 pid=$3
  while kill -0 "$pid" 2> /dev/null; do
    (($(find "$run/checkpoints" -name '*.safetensors' 2> /dev/null | wc -l) >= count)) && break
    sleep 0.01
  done
}

for signal in INT TERM; do
  run=$TEST_TMP/$signal
  # Background processes of a script ignore SIGINT by default.
  (
    trap - INT
    exec "$GTRAIN" train "$TEST_TMP/run.yaml" --device "$DEVICE" --run-dir "$run"
  ) 2> "$TEST_TMP/err" > /dev/null &
  pid=$!
  wait_for_checkpoints "$run" 2 $pid
  exits 73 "a run in use is refused" train "$run" --resume
  says "by whom" "process $pid"
  kill -"$signal" $pid
  code=0
  wait $pid || code=$?
  check "SIG$signal saves and stops" test "$code" = 75
  command=$(sed -n 's/^ *gtrain \(train .*\)/\1/p' "$TEST_TMP/err")
  check "it prints how to go on" test -n "$command"
  eval "out=\$(\"\$GTRAIN\" $command 2>&1)" || fail "the printed command works: $out"
  check "the resumed run is the same" same "$run"
done

# A damaged checkpoint is skipped, and the checkpoint before it is used.
run=$TEST_TMP/damaged
cp -r "$TEST_TMP/whole" "$run"
rm "$run/model.bin"
newest=$(ls "$run"/checkpoints/*.safetensors | tail -n 1)
size=$(stat -c %s "$newest")
printf 'X' | dd of="$newest" bs=1 seek=$((size - 100)) conv=notrunc status=none
exits 0 "a damaged checkpoint is survived" train "$run" --resume
says "with a warning" "skipped a checkpoint"
check "from the one before it" same "$run"
for file in "$run"/checkpoints/*; do truncate -s 50 "$file"; done
exits 65 "all of them damaged: it does not start over by itself" train "$run" --resume
check "what there was is kept" same "$run"
rm -r "$run/checkpoints" && mkdir "$run/checkpoints" && rm "$run/model.bin"
exits 0 "without them: from the start" train "$run" --resume
check "the same again" same "$run"

# With frozen parameters, which have no moving average: a run that is resumed after its last step ends like a run that
# was not stopped.
frozen() {
  "$GTRAIN" train "$TEST_TMP/run.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/frozen" --json --quiet --set train.epochs=2 \
    --set 'optimizer.parameters=[{match: "linear2.*", frozen: true}]' --set train.early_stopping.restore_best="$1" "${@:2}"
}
for best in false true; do
  rm -rf "$TEST_TMP/frozen"
  exits 0 "a frozen layer" frozen $best
  result=$(sed 's/"elapsed_s".*//' <<< "$out")
  cp "$TEST_TMP/frozen/model.bin" "$TEST_TMP/frozen.bin"
  cp "$TEST_TMP/frozen/metrics.jsonl" "$TEST_TMP/frozen.jsonl"
  rm "$TEST_TMP/frozen/model.bin"
  exits 0 "its last moments again" frozen $best --resume
  check "the same model" cmp "$TEST_TMP/frozen.bin" "$TEST_TMP/frozen/model.bin"
  check "the same metrics" cmp "$TEST_TMP/frozen.jsonl" "$TEST_TMP/frozen/metrics.jsonl"
  check "the same result" test "$result" = "$(sed 's/"elapsed_s".*//' <<< "$out")"
done

# A second signal ends the run at once.
"$GTRAIN" train "$TEST_TMP/run.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/second" \
  --set train.epochs=100000 --set train.early_stopping.patience=0 > /dev/null 2>&1 &
pid=$!
wait_for_checkpoints "$TEST_TMP/second" 1 $pid
kill -TERM $pid
kill -TERM $pid 2> /dev/null
code=0
wait $pid || code=$?
check "a second signal ends it at once (or the first had)" test "$code" = 143 -o "$code" = 75

# Default run directories are numbered.
mkdir "$TEST_TMP/here"
(cd "$TEST_TMP/here" && ln -s "$OLDPWD/datasets" datasets && for _ in 1 2; do
  "$GTRAIN" train "$OLDPWD/configs/xor.yaml" --device "$DEVICE" --quiet > /dev/null || exit 1
done)
check "default run directories" test -f "$TEST_TMP/here/runs/xor-2/model.bin"
finish
