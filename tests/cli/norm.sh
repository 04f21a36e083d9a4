#!/usr/bin/env bash
# Running statistics, in a run whose last batch per epoch is not full: they are part of every checkpoint and of the
# model, and are the same for any number of threads.
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

# ema_statistics: the moving average of the running statistics is evaluated and saved in the model; a checkpoint also
# has the statistics of the last step.
average=(--set optimizer.ema_statistics=true)
exits 0 "an average of statistics" train "$TEST_TMP/average" "${average[@]}" --set train.checkpoint.keep_best=false
"$GTRAIN" inspect "$TEST_TMP"/average/checkpoints/step-*60.safetensors > "$TEST_TMP/tensors"
check "in the checkpoint" grep -q 'ema.states/batch_norm1.running_var *f32 *\[40\]' "$TEST_TMP/tensors"
check "next to the statistics" grep -q ' batch_norm1.running_var *f32 *\[40\]\|^batch_norm1.running_var' "$TEST_TMP/tensors"
exits 0 "without it" train "$TEST_TMP/plain" --set train.checkpoint.keep_best=false
evaluated() { "$GTRAIN" eval "$TEST_TMP/$1/model.bin" --device "$DEVICE" --json --quiet | sed 's/.*"loss":\([^,}]*\).*/\1/'; }
logged() { grep '"test"' "$TEST_TMP/$1/metrics.jsonl" | tail -n 1 | sed 's/.*"loss":\([^,}]*\).*/\1/'; }
check "evaluations read the average" test "$(evaluated average)" = "$(logged average)"
check "which is another" test "$(evaluated average)" != "$(evaluated plain)"
exits 0 "in steps of two batches" train "$TEST_TMP/parts" "${average[@]}" --set train.accumulate=2 \
  --set train.checkpoint.keep_best=false
check "evaluations read the average there, too" test "$(evaluated parts)" = "$(logged parts)"
for run in average parts; do
  cp -r "$TEST_TMP/$run" "$TEST_TMP/$run-again"
  files=("$TEST_TMP/$run-again/checkpoints"/*)
  rm "$TEST_TMP/$run-again/model.bin" "${files[@]:1}"
  exits 0 "$run: gone on after the first checkpoint" train "$TEST_TMP/$run-again" "${average[@]}" --resume \
    $([[ $run == parts ]] && echo --set train.accumulate=2) --set train.checkpoint.keep_best=false
  check "$run: to the same model" cmp "$TEST_TMP/$run/model.bin" "$TEST_TMP/$run-again/model.bin"
done
exits 0 "the best of it" train "$TEST_TMP/best" "${average[@]}" --set optimizer.lr=0.05 --set train.epochs=6
check "is evaluated with its own average" grep -qF "$(evaluated best)" "$TEST_TMP/best/metrics.jsonl"
exits 78 "an average of statistics alone" "$GTRAIN" check "$TEST_TMP/norm.yaml" --set 'optimizer={type: adam, ema_statistics: true}'
says "is none" "'ema_statistics' needs 'ema'"

exits 78 "groups that do not divide" "$GTRAIN" check "$TEST_TMP/norm.yaml" --set model.4.group_norm=5
says "… with the reason" "cannot divide 24 channels into 5 groups"

# A batch of a single sample has no variance, so it must not change running statistics: a variance of 0 would make the
# outputs of evaluations hundreds of times too large.
cat > "$TEST_TMP/lone.yaml" <<'YAML'
data: {formula: "x0", samples: 33, test_samples: 10}
model: [{batch_norm: {momentum: 1, affine: false}}, {linear: 1}]
optimizer: {type: sgd, lr: 1.0e-9}
train: {epochs: 1, batch_size: 32}
YAML
for norm in '{batch_norm: {momentum: 1, affine: false}}' '{batch_norm: {cumulative: true, affine: false}}'; do
  exits 0 "$norm: a last batch of one" "$GTRAIN" train "$TEST_TMP/lone.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/lone" \
    --set "model=[$norm, {linear: 1}]"
  exits 0 "$norm: is left out" "$GTRAIN" eval "$TEST_TMP/lone/model.bin" --device "$DEVICE" --fail-if 'loss>10'
  rm -r "$TEST_TMP/lone"
done
exits 0 "batches of one" "$GTRAIN" train "$TEST_TMP/lone.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/lone" --set train.batch_size=1
exits 0 "… leave all as it was" "$GTRAIN" eval "$TEST_TMP/lone/model.bin" --device "$DEVICE" --fail-if 'loss>10'
finish
