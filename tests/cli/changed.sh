#!/usr/bin/env bash
# --resume with a changed config: a checkpoint records the seed of its constants, its data, and the parameter of each
# moment. A change with which the run cannot continue is an error and leaves the run unchanged.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

run=$TEST_TMP/run
train() { "$GTRAIN" train "$@" --device "$DEVICE" --run-dir "$run"; }
# value_of KEY: this value in the evaluation of the run's model.
value_of() { "$GTRAIN" eval "$run/model.bin" --device "$DEVICE" --json | sed "s/.*\"$1\":\([-0-9.e]*\).*/\1/"; }
state() { (cd "$run" && find . -type f ! -name .lock -exec cksum {} + | sort -k 3); }

# With another seed, gates keep their wiring.
cat > "$TEST_TMP/gates.yaml" << 'YAML'
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, split: last, normalize: {scale: 0.0625}}
model:
  - threshold: {levels: [0.25, 0.5, 0.75]}
  - flatten
  - logic: {units: 400}
  - logic: {units: 400}
  - group_sum: {groups: 10, tau: 10}
optimizer: {type: adam, lr: 0.02}
train: {epochs: 2, batch_size: 100}
YAML
cat > "$TEST_TMP/looks.yaml" << 'YAML'
data: {format: ca, grid: [5, 5], channels: 2, start: centre, target: checkerboard}
model: [{logic_ca: {steps: 2, kernels: 3, strength: 3, perception: [8, 4, 2], update: [8, 4, 2], outputs: 1}}]
loss: sum_squared
train: {steps: 40, batch_size: 1, eval_every: 20}
YAML
cat > "$TEST_TMP/trees.yaml" << 'YAML'
data:
  train: datasets/digits/digits.csv
  target: label
  shape: [8, 8, 1]
  test_fraction: 0.2
  split: last
  normalize: {scale: 0.0625}
model:
  - threshold: {levels: [0.5]}
  - logic_conv2d: {channels: 20, kernel: 3, depth: 2}
  - flatten
  - logic: 400
  - group_sum: {groups: 10, tau: 10}
train: {epochs: 1, batch_size: 100}
YAML
for net in gates looks trees; do
  rm -rf "$run"
  exits 0 "$net" train "$TEST_TMP/$net.yaml"
  loss=$(value_of soft_loss)
  rm "$run/model.bin"
  exits 0 "$net: another seed" train "$TEST_TMP/$net.yaml" --resume --set seed=77
  says "it says so" "first in seed: 77, was 1"
  check "$net: the same wiring" test "$(value_of soft_loss)" = "$loss"
  exits 0 "$net: again" train "$TEST_TMP/$net.yaml" --resume --set seed=5
  check "$net: the same wiring" test "$(value_of soft_loss)" = "$loss"
done
rm -rf "$run"
exits 0 "gates" train "$TEST_TMP/gates.yaml"
before=$(state)
exits 78 "another wiring" train "$TEST_TMP/gates.yaml" --resume --set model.3.logic.wiring=unique
says "why not" "draws constants (such as 'logic1.wiring') that differ from those in"
check "nothing was touched" test "$(state)" = "$before"

# Each attempt, also the best one, keeps its own wiring.
attempts=(--set model.0.logic_ca.init=normal --set train.restart_every=20
  --set 'train.early_stopping={metric: loss, goal: 0}')
rm -rf "$run"
exits 0 "two attempts" train "$TEST_TMP/looks.yaml" "${attempts[@]}"
loss=$(value_of soft_loss)
exits 0 "another seed" train "$TEST_TMP/looks.yaml" "${attempts[@]}" --resume --set seed=9
check "the same best" test "$(value_of soft_loss)" = "$loss"
exits 0 "longer, of another seed" train "$TEST_TMP/looks.yaml" "${attempts[@]}" --resume --set seed=9 --set train.steps=60
says "the third attempt" "attempt 3"

# Other parameter groups: moments are restored by the names of their parameters, and the result is the same if the
# learning rates are.
cat > "$TEST_TMP/net.yaml" << 'YAML'
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: {scale: 0.0625}}
model: [{linear: 40}, relu, {linear: 30}, relu, {linear: 10}]
optimizer: {type: adam, lr: 0.002, ema: 0.9}
train: {epochs: 4, batch_size: 64, log_every: 5, checkpoint: {keep_last: 4}}
YAML
rm -rf "$run" "$TEST_TMP/half"
exits 0 "four epochs" train "$TEST_TMP/net.yaml"
cp "$run/metrics.jsonl" "$TEST_TMP/straight.jsonl"
# A copy of the run in its state after two epochs.
step=$(ls "$run/checkpoints" | sed -n 2p)
cp -r "$run" "$TEST_TMP/half"
(cd "$TEST_TMP/half" && rm model.bin && find checkpoints -type f ! -name "$step" -delete)
half() { rm -rf "$run" && cp -r "$TEST_TMP/half" "$run"; }
for groups in '[{match: "linear2.*", lr: 0.002}]' '[{match: "*.bias", lr: 0.002}, {match: "linear1.*", lr: 0.002}]'; do
  half
  exits 0 "other groups" train "$TEST_TMP/net.yaml" --resume --set "optimizer.parameters=$groups"
  check "the same result" cmp "$run/metrics.jsonl" "$TEST_TMP/straight.jsonl"
done
half
exits 0 "a layer is frozen" train "$TEST_TMP/net.yaml" --resume \
  --set 'optimizer.parameters=[{match: "linear1.*", frozen: true}]'
exits 0 "and set free again" train "$TEST_TMP/net.yaml" --resume --set train.epochs=5
says "its moments are new" "'optimizer.exp_avg' starts from scratch for parameters that were frozen, such as 'linear1.bias'"
half
exits 65 "another optimizer" train "$TEST_TMP/net.yaml" --resume --set 'optimizer={type: sgd, momentum: 0.9}'
says "which" "made with another optimizer"

# Changed data are an error. Changed test samples are an error if they select the model, as they do here without
# validation samples, and otherwise a warning.
cp datasets/digits/digits.csv "$TEST_TMP/train.csv"
head -n 200 datasets/digits/digits.csv > "$TEST_TMP/test.csv"
cat > "$TEST_TMP/data.yaml" << YAML
data: {train: $TEST_TMP/train.csv, test: $TEST_TMP/test.csv, target: label, normalize: {scale: 0.0625}}
model: [{linear: 10}]
train: {epochs: 1}
YAML
for watched in test validation; do
  more=()
  [[ $watched == validation ]] && more=(--set data.validation=0.1)
  rm -rf "$run"
  exits 0 "a run" train "$TEST_TMP/data.yaml" "${more[@]}"
  before=$(state)
  sed -i '100s/,16,/,15,/' "$TEST_TMP/train.csv"
  exits 65 "one value is another" train "$TEST_TMP/data.yaml" "${more[@]}" --resume
  says "of which" "the training data has changed since the checkpoint"
  check "… without a word on times" test "${out/rounded times/}" = "$out"
  cp datasets/digits/digits.csv "$TEST_TMP/train.csv"
  sed -i '2d' "$TEST_TMP/test.csv"
  if [[ $watched == test ]]; then
    exits 65 "a watched test sample is gone" train "$TEST_TMP/data.yaml" --resume
    says "of which" "the test data has changed since the checkpoint"
  fi
  exits 65 "another normalisation" train "$TEST_TMP/data.yaml" "${more[@]}" --resume --set data.normalize.scale=0.05
  says "of which" "the classes or the normalization have changed since the checkpoint"
  check "nothing was touched" test "$(state)" = "$before"
  if [[ $watched == validation ]]; then
    exits 65 "another seed draws another split" train "$TEST_TMP/data.yaml" "${more[@]}" --resume --set seed=2
    exits 0 "a test sample is gone" train "$TEST_TMP/data.yaml" "${more[@]}" --resume
    says "a warning" "the test data has changed since the checkpoint"
  fi
  head -n 200 datasets/digits/digits.csv > "$TEST_TMP/test.csv"
done
exits 0 "all as it was" train "$TEST_TMP/data.yaml" "${more[@]}" --resume

# Dates with times were rounded by earlier versions, whose data then differs although the files do not.
awk 'BEGIN { print "at,y"; for (i = 0; i < 60; i++) printf "2024-01-%02d %02d:00,%d\n", 1 + i / 4, i % 4 * 6, i * 37 % 11 }' > "$TEST_TMP/times.csv"
cat > "$TEST_TMP/times.yaml" << YAML
data: {train: $TEST_TMP/times.csv, target: y, task: regression, test_fraction: 0.2, split: last}
model: [{linear: 1}]
loss: mse
train: {epochs: 1}
YAML
rm -rf "$run"
exits 0 "dates with times" train "$TEST_TMP/times.yaml"
sed -i 's/ 06:00,/ 06:30,/' "$TEST_TMP/times.csv"
exits 65 "other times" train "$TEST_TMP/times.yaml" --resume
says "a reason may be the version" "another --run-dir; if the files are the same, an earlier version of gtrain trained with rounded times"
exits 0 "other times of a model" "$GTRAIN" eval "$run/model.bin" --device "$DEVICE"
says "a reason may be the version" "--set data.test=FILE names the files to use; if the files are the same, an earlier version"
finish
