#!/usr/bin/env bash
# A loss or gradient that is not finite stops the run. The message names the step, the layer and the last good
# checkpoint. Weights that are not finite are never written.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/log.yaml" <<'YAML'
data: {formula: "x0", range: [-1, 1], samples: 64, test_samples: 0}
model: [{linear: 8}, tanh, {expression: {expression: "log(x - 2)", name: culprit}}, {linear: 1}]
train: {epochs: 3, batch_size: 16}
YAML
exits 65 "NaN in the first step" "$GTRAIN" train "$TEST_TMP/log.yaml" --device "$DEVICE" \
  --run-dir "$TEST_TMP/log"
says "the step" "step 1 "
says "the layer" "'culprit'"
says "the op" "'log'"
says "no checkpoint" "there is no earlier checkpoint"

cat > "$TEST_TMP/blow.yaml" <<'YAML'
data: {formula: "100*x0", range: [-1, 1], samples: 640, test_samples: 0}
model: [{linear: {units: 8, name: first}}, {expression: {expression: "x*x*x", name: cube}}, {linear: 1}]
optimizer: {type: sgd, lr: 10}
train: {steps: 400, batch_size: 16, eval_every: 1, checkpoint: {every: 1}}
YAML
exits 65 "a run that blows up" "$GTRAIN" train "$TEST_TMP/blow.yaml" --device "$DEVICE" \
  --run-dir "$TEST_TMP/blow"
says "the last good checkpoint" "last good checkpoint is from step"
step=$(sed -n 's/.*checkpoint is from step \([0-9]*\).*/\1/p' <<< "$out")
exits 0 "which is sound" \
  "$GTRAIN" inspect "$TEST_TMP/blow/checkpoints/step-$(printf %09d "$step").safetensors"

# The loss is finite, but its gradient is not.
cat > "$TEST_TMP/root.yaml" <<'YAML'
data: {inputs: [[0], [0]], targets: [[1], [2]]}
model: [{linear: {units: 1, init: zeros, bias_init: zeros}}, sqrt]
optimizer: {type: sgd, lr: 0.1}
train: {steps: 1}
YAML
for more in '{type: sgd, lr: 0.1}' '{type: adam, ema: 0.9}' '{type: sgd, lr: 0.1, clip_norm: 1}'; do
  rm -rf "$TEST_TMP/root"
  exits 65 "an infinite gradient ($more)" "$GTRAIN" train "$TEST_TMP/root.yaml" --device "$DEVICE" \
    --run-dir "$TEST_TMP/root" --set "optimizer=$more"
  says "the gradient" "the gradient of step 1 "
  says "the layer" "'sqrt1'"
  check "no model" test ! -e "$TEST_TMP/root/model.bin"
done
exits 0 "it may be clipped" "$GTRAIN" train "$TEST_TMP/root.yaml" --device "$DEVICE" \
  --run-dir "$TEST_TMP/clipped" --set optimizer.clip_value=1 --set "data.inputs=[[1], [1]]"

# The gradient becomes infinite only when the weight has reached 0; checkpoints from before that step remain.
cat > "$TEST_TMP/through.yaml" <<'YAML'
data: {inputs: [[1]], targets: [[-1]]}
model:
  - linear: {units: 1, bias: false, init: {type: constant, value: 8}}
  - expression: "x + 1e-30 * sqrt(x)"
loss: mae
optimizer: {type: sgd, lr: 1}
train: {steps: 20, eval_every: 1, checkpoint: {every: 1, keep_last: 2}}
YAML
exits 65 "a gradient that becomes infinite" "$GTRAIN" train "$TEST_TMP/through.yaml" --device "$DEVICE" \
  --run-dir "$TEST_TMP/through"
says "in step 9" "the gradient of step 9 "
says "the one before is good" "last good checkpoint is from step 8 "
check "none is of NaN" test "$(cd "$TEST_TMP/through/checkpoints" && echo *)" = \
  "step-000000007.safetensors step-000000008.safetensors"

# A model whose loss is finite on the training data, but not on other data.
cat > "$TEST_TMP/ln.yaml" <<'YAML'
data: {inputs: [[1], [2]], targets: [[0], [0.5]]}
model: [{linear: {units: 1, init: ones, bias_init: zeros}}, {expression: "log(x)"}]
optimizer: {type: sgd, lr: 0.001}
train: {steps: 1}
YAML
exits 0 "a sound model" "$GTRAIN" train "$TEST_TMP/ln.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/ln"
for bad in '[[-1], [2]]' '[[0], [2]]'; do
  for json in '' --json; do
    # shellcheck disable=SC2086
    exits 65 "eval on $bad $json" "$GTRAIN" eval "$TEST_TMP/ln/model.bin" --device "$DEVICE" $json \
      --set "data.inputs=$bad" --fail-if 'loss>1'
    says "what is wrong" "the loss on the test split is not finite"
    check "no sign before a NaN" test -z "$(grep -e -nan <<< "$out")"
  done
  says "the JSON is whole" '"loss":null,'
done
# Predictions for such data: all are written, and the exit code reports that some are not finite.
printf 'a\n1\n-1\n2\n0\n' > "$TEST_TMP/ln.csv"
predict() { "$GTRAIN" predict "$TEST_TMP/ln/model.bin" "$TEST_TMP/ln.csv" --device "$DEVICE" "$@"; }
exits 65 "predict" predict
says "what is wrong" "ln/model.bin: the outputs for 2 of 4 samples are not finite, the first for sample 1"
check "every sample has its line" test "$(grep -c -E '^(-?[0-9.]+|nan|-nan|inf|-inf)(e-[0-9]+)?$' <<< "$out")" = 4
exits 65 "predict --json" predict --json
check "null for those" test "$(grep -c '"outputs":\[null\]' <<< "$out")" = 2
exits 65 "predict into a file" predict --output "$TEST_TMP/ln.jsonl"
check "which is whole" test "$(wc -l < "$TEST_TMP/ln.jsonl")" = 4
sed -i '3d; $d' "$TEST_TMP/ln.csv"
exits 0 "predict where all is finite" predict

exits 0 "finite in training alone" "$GTRAIN" train "$TEST_TMP/ln.yaml" --device "$DEVICE" \
  --run-dir "$TEST_TMP/alone" --set "data.inputs=[[2], [-1]]" --set data.validation=0.5 --set data.split=last
says "a warning" "the validation loss is not finite"

# The loss and the gradient are finite, but the update is not.
cat > "$TEST_TMP/far.yaml" <<'YAML'
data: {inputs: [[1e14]], targets: [[1.5e19]]}
model: [{linear: {units: 1, init: zeros}}]
optimizer: {type: sgd, lr: 1e6}
train: {steps: 1}
YAML
for more in checkpoint.every=1 checkpoint.every=0 checkpoint.keep_best=true; do
  rm -rf "$TEST_TMP/far"
  exits 65 "an update that overflows ($more)" "$GTRAIN" train "$TEST_TMP/far.yaml" --device "$DEVICE" \
    --run-dir "$TEST_TMP/far" --set "train.$more"
  says "the parameter" "parameter 'linear1.weight' is not finite after step 1 "
  check "nothing of it is written" test -z "$(find "$TEST_TMP/far" -name '*.safetensors' -o -name '*.bin')"
done
finish
