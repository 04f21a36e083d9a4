#!/usr/bin/env bash
# Gradient accumulation over several batches per step gives the same losses as one larger batch, up to rounding.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/dense.yaml" << 'YAML'
seed: 1
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: {scale: 0.0625}}
model: [{linear: 24}, relu, {linear: 10}]
optimizer: {type: adam, lr: 5e-3, clip_norm: 1, clip_value: 0.5, ema: 0.9, parameters: [{match: "*.bias", lr: 1e-2}]}
train: {epochs: 3, batch_size: 120, log_every: 1, checkpoint: {every: 1, keep_last: 4}}
YAML
cat > "$TEST_TMP/sum.yaml" << 'YAML'
seed: 1
data: {format: ca, grid: [6, 6], target: checkerboard, samples: 50, test_samples: 8}
model: [{logic_ca: {steps: 3, kernels: 2, update: [4, 2, 1]}}]
loss: sum_squared
optimizer: {type: adamw, lr: 0.05, clip_value: 2}
train: {steps: 12, batch_size: 12, eval_every: 6, log_every: 1}
YAML
train() { "$GTRAIN" train "$TEST_TMP/$1.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/$2" "${@:3}"; }
# losses RUN: the training loss of every step.
losses() { sed -n 's/.*"split":"train".*loss":\([^,]*\),.*/\1/p' "$TEST_TMP/$1/metrics.jsonl"; }
close() {
  paste -d ' ' <(losses "$1") <(losses "$2") | awk '
    { d = $1 - $2; if (d < 0) d = -d; if (!(d <= 2e-5 * (1 + $1))) bad = 1 }
    END { exit bad || NR < 10 }'
}

# 1438 samples are 11 batches of 120 and one of 118, so that the last batch of an epoch is not full.
exits 0 "batches of 120" train dense whole
for parts in "60 2" "30 4" "10 12"; do
  read -r size count <<< "$parts"
  exits 0 "$count batches of $size" train dense "$count" --set train.batch_size=$size --set train.accumulate=$count
  check "… lose the same, step by step" close whole "$count"
done
exits 0 "dense: as few as four steps" "$GTRAIN" check "$TEST_TMP/dense.yaml" --set train.accumulate=4
says "… are reported" "batch 4 x 120, 3 steps per epoch"
cp -r "$TEST_TMP/4" "$TEST_TMP/again"
rm "$TEST_TMP"/again/model.bin "$TEST_TMP"/again/checkpoints/step-*{24,36}.safetensors
exits 0 "gone on" train dense again --resume --set train.batch_size=30 --set train.accumulate=4
check "… to the same bytes" cmp "$TEST_TMP/4/model.bin" "$TEST_TMP/again/model.bin"
check "… and metrics" cmp "$TEST_TMP/4/metrics.jsonl" "$TEST_TMP/again/metrics.jsonl"

exits 0 "a loss that is summed" train sum sum
exits 0 "… in three batches" train sum sum-3 --set train.batch_size=4 --set train.accumulate=3
check "… loses the same" close sum sum-3

# Each batch of a step updates running statistics.
exits 0 "running statistics" train dense norm --set train.batch_size=30 --set train.accumulate=4 \
  --set 'model=[{linear: 24}, batch_norm, relu, {linear: 10}]'
exits 0 "… are sound" "$GTRAIN" eval "$TEST_TMP/norm/model.bin" --device "$DEVICE" --fail-if 'accuracy<0.8'

# If the loss of a step is not finite, the batch that causes it is found.
cat > "$TEST_TMP/bad.yaml" << 'YAML'
data: {inputs: [[1], [2], [3], [4], [5], [0]], targets: [[1], [1], [1], [1], [1], [1]]}
model: [{expression: {expression: "log(x)", name: logarithm}}, {linear: 1}]
train: {steps: 3, batch_size: 1, accumulate: 6}
YAML
exits 65 "one bad batch" train bad bad
says "… names its layer" "logarithm"
exits 78 "no batches" train dense none --set train.accumulate=0
finish
