#!/usr/bin/env bash
# Running statistics in a run whose last batches are not full: part of every checkpoint and of the model, the same for any
# number of threads.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/norm.yaml" << 'YAML'
seed: 3
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: {scale: 0.0625}}
model: [{linear: 40}, batch_norm, relu, {linear: 24}, {group_norm: 3}, relu, {linear: 10}]
optimizer: {type: adam, lr: 5e-3, ema: 0.9, parameters: [{match: "linear1.*", frozen: true}]}
train: {epochs: 4, batch_size: 100, log_every: 4, checkpoint: {every: 1, keep_last: 4, keep_best: true}}
YAML
train() { "$GTRAIN" train "$TEST_TMP/norm.yaml" --device "$DEVICE" --quiet --run-dir "$@"; }

exits 0 "a run with running statistics" train "$TEST_TMP/whole" --set train.threads=1
exits 0 "it learns" "$GTRAIN" eval "$TEST_TMP/whole/model.bin" --device "$DEVICE" --fail-if 'accuracy<0.85'
"$GTRAIN" inspect "$TEST_TMP/whole/model.bin" > "$TEST_TMP/tensors"
check "they are part of the model" grep -q 'batch_norm1.running_var *f32 *\[40\]' "$TEST_TMP/tensors"
exits 0 "on two threads" train "$TEST_TMP/threads" --set train.threads=2
check "two threads give the same bytes" cmp "$TEST_TMP/whole/model.bin" "$TEST_TMP/threads/model.bin"

cp -r "$TEST_TMP/whole" "$TEST_TMP/again"
rm "$TEST_TMP"/again/model.bin "$TEST_TMP"/again/checkpoints/step-*{30,45,60}.safetensors
exits 0 "gone on after the first epoch" train "$TEST_TMP/again" --resume
for file in model.bin best.bin metrics.jsonl; do
  check "… it ends with the same $file" cmp "$TEST_TMP/whole/$file" "$TEST_TMP/again/$file"
done

exits 78 "groups that do not divide" "$GTRAIN" check "$TEST_TMP/norm.yaml" --set model.4.group_norm=5
says "… with the reason" "cannot divide 24 channels into 5 groups"
finish
