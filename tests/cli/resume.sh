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

# --- a run that has finished ---
cat > "$TEST_TMP/short.yaml" << 'YAML'
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: {scale: 0.0625}}
model: [{linear: 10}]
optimizer: {type: adam, lr: 1e-2}
schedule: cosine
train: {epochs: 4, batch_size: 100, checkpoint: {keep_last: 9}}
YAML
short() { "$GTRAIN" train "$TEST_TMP/short.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$1" "${@:2}"; }
sums() { (cd "$TEST_TMP/$1" && cksum model.bin config.yaml metrics.jsonl); }
exits 0 "a short run" short short
before=$(sums short)
exits 0 "a finished run that asks for no more" short short --resume
says "… says so" "nothing left to train: $TEST_TMP/short has run all its 60 steps"
check "… and stays" test "$(sums short)" = "$before"
exits 0 "one that asks for less" short short --resume --quiet --set train.epochs=2
says "… is warned" "warning: nothing left to train: $TEST_TMP/short has run all its 60 steps, more than the config now asks for"
exits 0 "a run that stopped early" short early --set 'train.early_stopping={metric: accuracy, goal: 0.5}'
exits 0 "… has nothing left, whatever it asks for" short early --resume --quiet --set 'train.early_stopping={metric: accuracy, goal: 0.5}' \
  --set train.epochs=9
says "… says so" "warning: nothing left to train: $TEST_TMP/early stopped early at step 15; a new run can start from its weights, with --init"
# Without evaluations before the end there is still a checkpoint of the end.
exits 0 "a run with one evaluation" short single --set train.eval_every=0
exits 0 "… goes on" short single --resume --set train.eval_every=0 --set train.epochs=6
says "… from its end" "resuming $TEST_TMP/single at step 60"
# A finished run without any checkpoint never starts over.
for length in train.epochs=4 'train={phases: [{epochs: 2}, {epochs: 2}], batch_size: 100}'; do
  rm -rf "$TEST_TMP/none"
  none() { short none --set "$length" --set train.checkpoint.every=0 "$@"; }
  exits 0 "a run without checkpoints" none --json --quiet
  result=$(grep -o '"test":{[^}]*}' <<< "$out")
  rm -rf "$TEST_TMP/none/checkpoints" && mkdir "$TEST_TMP/none/checkpoints"
  before=$(sums none)
  exits 0 "… that asks for no more" none --resume
  says "… says so" "nothing left to train: $TEST_TMP/none has finished"
  exits 0 "… and its result" none --resume --json --quiet --fail-if 'accuracy<0.1'
  check "… as before" test "$result" = "$(grep -o '"test":{[^}]*}' <<< "$out")"
  exits 1 "… which a gate reads" none --resume --fail-if 'accuracy<1'
  exits 73 "… that asks for more" none --resume --quiet --set train.batch_size=50
  says "… is refused, with the way on" "a new run can start from its weights, with --init $TEST_TMP/none"
  check "… nothing is written" test "$(sums none)" = "$before"
done
# Its weights are only evaluated with the data of the run.
for i in {1..40}; do echo "$i,$([[ $i -gt 20 ]] && echo many || echo few)"; done > "$TEST_TMP/names.csv"
sed -i '1i a,class' "$TEST_TMP/names.csv"
cat > "$TEST_TMP/named.yaml" << YAML
data: {train: $TEST_TMP/named.csv, target: class, validation: 0.25}
model: [{linear: 2}]
train: {epochs: 2, batch_size: 10, checkpoint: {every: 0}}
YAML
# named EDIT OPTIONS…: trains with the table as edited by sed.
named() {
  sed "$1" "$TEST_TMP/names.csv" > "$TEST_TMP/named.csv"
  "$GTRAIN" train "$TEST_TMP/named.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/named" "${@:2}"
}
exits 0 "a run of named classes without checkpoints" named ''
exits 65 "a class with another place in their order" named 's/many/alter/' --resume
says "… is other data" "the training data has changed since the run wrote $TEST_TMP/named/model.bin. Restore the data"
exits 65 "a class with another name" named 's/few/fewer/' --resume
says "… is another class" "the classes or the normalization have changed since the run wrote $TEST_TMP/named/model.bin"
exits 65 "another value" named '2s/1/1000/' --resume
exits 73 "a positive class that the run did not have" named '' --resume --set data.positive=few
says "… is another config" "the config differs from the finished run's, first in data.positive: few, was many"
sed -i '/^  positive: many$/d' "$TEST_TMP/named/config.yaml"
exits 0 "a config of an earlier version, without it" named '' --resume
sed -i 's/^  target: class$/&\n  positive: {one: few}/' "$TEST_TMP/named/config.yaml"
exits 73 "a config of several targets" named '' --resume
says "… is another config" "first in data.positive: many, was a map"
sed -i '/^  positive: {one: few}$/d' "$TEST_TMP/named/config.yaml"
exits 0 "the data as it was" named '' --resume
says "… is evaluated" "accuracy "

# --- another number of steps per epoch ---
# metrics of the test rows: "STEP EPOCH" of each
epochs_of() { sed -n 's/{"step":\([0-9]*\),"epoch":\([0-9]*\),"split":"test".*/\1:\2/p' "$TEST_TMP/$1/metrics.jsonl" | tr '\n' ' '; }
exits 0 "four epochs of 15 steps" short base
for change in "train.batch_size=500 3 63:5 66:6 69:7 72:8" "train.batch_size=10 144 204:5 348:6 492:7 636:8" \
  "train.accumulate=2 8 68:5 76:6 84:7 92:8"; do
  read -r setting steps rows <<< "$change"
  rm -rf "$TEST_TMP/other"
  cp -r "$TEST_TMP/base" "$TEST_TMP/other"
  exits 0 "four more with $setting" short other --resume --set train.epochs=8 --set "$setting"
  says "… epochs done are done" "4 of 8 epochs are done; an epoch now has $steps steps, not 15"
  check "… four are left" test "$(epochs_of other)" = "15:1 30:2 45:3 60:4 $rows "
  # The cosine of eight epochs is at its middle after four and ends at 0.
  check "… the schedule goes on" python3 - "$TEST_TMP/other/metrics.jsonl" << 'PYTHON'
import json, math, sys
rows = [row for row in map(json.loads, open(sys.argv[1])) if row["split"] == "train"]
want = [0.01 * (1 + math.cos(math.pi * row["epoch"] / 8)) / 2 for row in rows[4:]]
assert len(rows) == 8 and all(abs(row["lr"] - lr) < 0.0008 for row, lr in zip(rows[4:], want)), (rows, want)
PYTHON
  # A run resumed from a checkpoint in the middle ends with the same bytes.
  find "$TEST_TMP/other/checkpoints" -name 'step-0000000[1-6][05].*' -delete
  train() { short "$1" "${@:2}" --set train.epochs=8 --set "$setting"; }
  goes_on other metrics.jsonl
done
exits 0 "more epochs done than the config has" short base --resume --set train.batch_size=500 --set train.epochs=2
says "… are said" "4 epochs are done, more than the 2 of the config; an epoch now has 3 steps, not 15"
# Moments are neither dropped nor invented.
for type in sgd lion rmsprop; do
  exits 65 "another optimizer: $type" short base --resume --set train.epochs=6 --set "optimizer={type: $type}"
  says "… is refused" "was made with another optimizer"
  says "… with a way out" "a new run can start from these weights, with --init"
done
# A run in steps goes on with its steps; its epochs are numbered on, without a part that is drawn again.
steps_of() { short steps --resume --set schedule=constant --set train.epochs=null --set train.eval_every=10 "$@"; }
exits 0 "a run of 40 steps" short steps --set schedule=constant --set train.epochs=null --set train.steps=40 --set train.eval_every=10
exits 0 "… with larger epochs" steps_of --set train.steps=60 --set train.batch_size=50
says "… goes on" "the run goes on in epoch 4; an epoch now has 29 steps, not 15"
exits 0 "… and with smaller ones" steps_of --set train.steps=80 --set train.batch_size=500
says "… goes on" "the run goes on in epoch 5; an epoch now has 3 steps, not 29"
check "… with later epochs" test "$(epochs_of steps)" = "10:1 20:2 30:2 40:3 50:4 60:5 70:9 80:12 "
exits 0 "a finished run with another batch" short base --resume --set train.batch_size=500
says "… is over" "nothing left to train"
train() { "$GTRAIN" train "$TEST_TMP/run.yaml" --device "$DEVICE" --run-dir "$@"; }

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
