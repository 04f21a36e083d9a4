#!/usr/bin/env bash
# A device overlaps the start of a step with the end of the step before. The weights are the same, bit for bit, if steps
# are submitted one by one, with evaluations between them, and if many are submitted at a time.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

export GTRAIN_DEBUG=validation # a validation message makes every command below fail
cat > "$TEST_TMP/pictures.yaml" << 'YAML'
seed: 1
data: {train: datasets/clothes/train, test: datasets/clothes/test, size: [14, 14], channels: 1, normalize: channel}
augment: [{random_crop: {padding: 2}}, random_horizontal_flip, {mixup: 0.2}]
model: [{conv2d: {out_channels: 4, kernel_size: 3, stride: 2}}, batch_norm, relu, flatten, {dropout: 0.2}, {linear: 5}]
optimizer: {type: adamw, lr: 2e-3, clip_norm: 5, ema: 0.9}
train: {steps: 20, batch_size: 6}
YAML
cat > "$TEST_TMP/search.yaml" << 'YAML'
seed: 1
data: {formula: "exp(sin(pi*x0) + x1^2)", range: [-1, 1], samples: 500, test_samples: 100}
model: [{linear: 8}, tanh, {linear: 1}]
optimizer: lbfgs
train: {steps: 6, batch_size: 64}
YAML
train() { "$GTRAIN" train "$TEST_TMP/$1.yaml" --device vulkan --run-dir "$TEST_TMP/$2" "${@:3}"; }
# weights RUN: the tensors of a model file, without the header, which contains the config.
weights() { tail -c "+$(($(od -An -tu8 -N8 "$TEST_TMP/$1/model.bin") + 9))" "$TEST_TMP/$1/model.bin"; }
same() { cmp <(weights "$1") <(weights "$2"); }
# compare CONFIG NAME OPTIONS…: a run with an evaluation after each step has the same weights as a run with one at the
# end.
compare() {
  exits 0 "$2: one by one" train "$1" "$2-single" --set train.eval_every=1 "${@:3}"
  exits 0 "$2: together" train "$1" "$2" --set train.eval_every=1000 "${@:3}"
  check "… to the same weights" same "$2-single" "$2"
}

code=0
"$GTRAIN" check configs/xor.yaml --device vulkan > /dev/null 2> "$TEST_TMP/err" || code=$?
if ((code == 69)); then
  echo "no Vulkan device: $(tail -n 1 "$TEST_TMP/err")"
  exit 77
fi
exits 0 "a plan" "$GTRAIN" check "$TEST_TMP/pictures.yaml" --plan --device vulkan
says "… says what runs ahead" "|<clock"
says "… and how far" "run with the last ones of the previous replay"
compare pictures pictures
# Streamed through a window of a few batches.
limit=$(train pictures refused --memory-limit 1K 2>&1 | sed -n 's/.*but at least \([0-9.]*\) \([KM]\)iB.*/\1 \2/p' |
  awk '{ printf "%.0f", $1 * ($2 == "M" ? 1048576 : 1024) + 1 }')
compare pictures windows --memory-limit $((limit + 20000))
says "… in windows" ") streams through"
check "… as with all samples there" same windows pictures
compare pictures accumulated --set train.accumulate=3 --set train.batch_size=2
compare search search
finish
