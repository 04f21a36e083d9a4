#!/usr/bin/env bash
# A layer with a state needs only one file, here tally.c, which src/ does not know. Its state is updated, saved, resumed
# and evaluated like those of gtrain's own layers, and no optimizer changes it.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
GUEST=$(dirname "$GTRAIN")/guest/gtrain

# 1438 samples: 15 batches of 100 an epoch, the last of them with 38.
cat > "$TEST_TMP/tally.yaml" << 'YAML'
seed: 3
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: {scale: 0.0625}}
model: [{linear: 16}, relu, {tally: 0.003}, {linear: 10}]
optimizer: {type: adamw, lr: 5e-3, weight_decay: 0.1, ema: 0.9}
train: {epochs: 3, batch_size: 100, log_every: 5, checkpoint: {every: 1, keep_last: 4}}
YAML
train() { "$GUEST" train "$TEST_TMP/tally.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/$1" "${@:2}"; }
evaluate() { "$GUEST" eval "$TEST_TMP/$1/model.bin" --device "$DEVICE" --json; }
# tallied FILE: the first value of the state, from its bytes.
tallied() {
  local head start
  head=$(od -An -t u8 -N 8 "$1" | tr -d ' ')
  start=$(tail -c +9 "$1" | head -c "$head" |
    sed -n 's/.*"tally1\.batches":{[^}]*"data_offsets":\[\([0-9]*\),.*/\1/p')
  od -An -t f4 -j $((8 + head + ${start:?no tally})) -N 4 "$1" | tr -d ' '
}
# holds NUMBER FILE NAME: the state in FILE is NUMBER.
holds() { check "$3: $1" test "$(tallied "$TEST_TMP/$2")" = "$1"; }
# loss FILE: the loss of the last evaluation
loss() { sed -n 's/.*"split":"test".*"loss":\([^,}]*\).*/\1/p' "$1" | tail -n 1; }

exits 78 "the program that is shipped does not know the layer" "$GTRAIN" check "$TEST_TMP/tally.yaml"
says "… and says so" "tally"
exits 0 "with its file it does" "$GUEST" check "$TEST_TMP/tally.yaml"
check "… and counts no parameter of it" grep -qE '^tally1 .* 0  relu1$' <<< "$out"

exits 0 "a run" train whole
holds 45 whole/model.bin "the model holds every batch"
for step in 15 30 45; do
  holds $step "whole/checkpoints/step-$(printf %09d $step).safetensors" "the checkpoint of step $step holds"
done

"$GUEST" inspect "$TEST_TMP"/whole/checkpoints/step-*45.safetensors > "$TEST_TMP/tensors"
check "the optimizer keeps something for each parameter" grep -q 'linear1.weight' "$TEST_TMP/tensors"
check "… and nothing for the state" test "$(grep -c tally1 "$TEST_TMP/tensors")" = 1

cp -r "$TEST_TMP/whole" "$TEST_TMP/again"
rm "$TEST_TMP"/again/model.bin "$TEST_TMP"/again/checkpoints/step-*{30,45}.safetensors
exits 0 "gone on after the first epoch" train again --resume
for file in model.bin metrics.jsonl; do
  check "… it ends with the same $file" cmp "$TEST_TMP/whole/$file" "$TEST_TMP/again/$file"
done

exits 0 "evaluated after every fourth step" train often --set train.eval_every=4
holds 45 often/model.bin "evaluations count nothing"
cp "$TEST_TMP/whole/model.bin" "$TEST_TMP/before.bin"
evaluate whole > "$TEST_TMP/first.json"
evaluate whole > "$TEST_TMP/second.json"
check "one evaluation is like the next" cmp "$TEST_TMP/first.json" "$TEST_TMP/second.json"
check "… leaves the model alone" cmp "$TEST_TMP/before.bin" "$TEST_TMP/whole/model.bin"
check "… and reads the state: it is the one at the end of the run" \
  test -n "$(loss "$TEST_TMP/first.json")" -a "$(loss "$TEST_TMP/first.json")" = "$(loss "$TEST_TMP/whole/metrics.jsonl")"

# 4 steps per epoch; the last one includes a batch past the end of the data.
exits 0 "four batches a step" train four --set train.accumulate=4
holds 45 four/model.bin "each batch with a sample counts"
holds 30 "four/checkpoints/step-000000008.safetensors" "… in a checkpoint, too"
cp -r "$TEST_TMP/four" "$TEST_TMP/four-again"
rm "$TEST_TMP"/four-again/model.bin "$TEST_TMP"/four-again/checkpoints/step-*{8,12}.safetensors
exits 0 "gone on" train four-again --set train.accumulate=4 --resume
check "… it ends with the same model" cmp "$TEST_TMP/four/model.bin" "$TEST_TMP/four-again/model.bin"

# Although the loss depends on the state, the state is still an integer, so no gradient has changed it.
exits 0 "not shown" train hidden --set model.2.tally=0
holds 45 hidden/model.bin "it counts the same"
check "… and the loss is another one" test "$(loss "$TEST_TMP/hidden/metrics.jsonl")" != \
  "$(loss "$TEST_TMP/whole/metrics.jsonl")"
finish
