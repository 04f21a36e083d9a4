#!/usr/bin/env bash
# A loss that is not finite stops the run and names the step, the layer and the last good checkpoint.
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
says "no checkpoint" "no checkpoint"

cat > "$TEST_TMP/blow.yaml" <<'YAML'
data: {formula: "100*x0", range: [-1, 1], samples: 640, test_samples: 0}
model: [{linear: {units: 8, name: first}}, {expression: {expression: "x*x*x", name: cube}}, {linear: 1}]
optimizer: {type: sgd, lr: 10}
train: {steps: 400, batch_size: 16, eval_every: 1, checkpoint: {every: 1}}
YAML
exits 65 "a run that blows up" "$GTRAIN" train "$TEST_TMP/blow.yaml" --device "$DEVICE" \
  --run-dir "$TEST_TMP/blow"
says "the last good checkpoint" "last good checkpoint is that of step"
step=$(sed -n 's/.*checkpoint is that of step \([0-9]*\).*/\1/p' <<< "$out")
exits 0 "which is sound" \
  "$GTRAIN" inspect "$TEST_TMP/blow/checkpoints/step-$(printf %09d "$step").safetensors"
finish
