#!/usr/bin/env bash
# Class weights: the loss is a weighted mean over all samples, however they are split into batches; accuracy and the
# number of samples are unchanged; a resumed run gives the same numbers.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/weights.yaml" << 'YAML'
seed: 3
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: {scale: 0.0625}}
model: [{linear: 40}, relu, {linear: 10}]
loss: {type: cross_entropy, label_smoothing: 0.1, class_weights: [1, 2, 0.5, 0, 1, 3, 1, 1, 1, 4]}
optimizer: {type: sgd, lr: 0.2, momentum: 0.9}
train: {epochs: 4, batch_size: 100, log_every: 7, checkpoint: {every: 1, keep_last: 4}}
YAML
train() { "$GTRAIN" train "$TEST_TMP/weights.yaml" --device "$DEVICE" --quiet --run-dir "$@"; }
# The loss in the last line of the metrics, cut to a few digits.
loss() { tail -1 "$1/metrics.jsonl" | sed 's/.*"loss":\([0-9.]\{6\}\).*/\1/'; }

exits 0 "a run with weights of classes" train "$TEST_TMP/whole"
exits 0 "evaluated in batches of another size" train "$TEST_TMP/small" --set train.eval_batch_size=7
check "the same test loss" test "$(loss "$TEST_TMP/whole")" = "$(loss "$TEST_TMP/small")"
exits 0 "a step of four batches" train "$TEST_TMP/parts" --set train.batch_size=25 --set train.accumulate=4
check "the same test loss as by whole batches" test "$(loss "$TEST_TMP/whole")" = "$(loss "$TEST_TMP/parts")"
exits 0 "all samples are counted" "$GTRAIN" eval "$TEST_TMP/whole/model.bin" --device "$DEVICE" \
  --fail-if 'samples!=359' --fail-if 'accuracy<0.8'

cp -r "$TEST_TMP/whole" "$TEST_TMP/again"
rm "$TEST_TMP"/again/model.bin "$TEST_TMP"/again/checkpoints/step-*{30,45,60}.safetensors
exits 0 "gone on after the first epoch" train "$TEST_TMP/again" --resume
check "… it ends with the same metrics" cmp "$TEST_TMP/whole/metrics.jsonl" "$TEST_TMP/again/metrics.jsonl"

exits 0 "by L-BFGS" train "$TEST_TMP/search" --set optimizer=lbfgs
exits 0 "balanced weights" "$GTRAIN" train "$TEST_TMP/weights.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/balanced" --set loss.class_weights=balanced --set train.epochs=1
says "… are said" "balanced class weights: 0 1.03453, 1 0.978231, "
check "… and kept as numbers" grep -q "1.03453" "$TEST_TMP/balanced/config.yaml"
exits 0 "… with which it goes on" "$GTRAIN" eval "$TEST_TMP/balanced" --device "$DEVICE"
exits 78 "no balance of numbers" "$GTRAIN" check configs/csv_regression.yaml --set 'loss={type: cross_entropy, class_weights: balanced}'
exits 78 "too few weights" "$GTRAIN" check "$TEST_TMP/weights.yaml" --set 'loss.class_weights=[1,2]'
says "… with how many there are" "has 2 class weights; the data has 10 classes"
exits 78 "no class that counts" "$GTRAIN" check "$TEST_TMP/weights.yaml" --set 'loss.class_weights=[0,0,0,0,0,0,0,0,0,0]'
says "… with the reason" "needs at least one class weight above 0"
finish
