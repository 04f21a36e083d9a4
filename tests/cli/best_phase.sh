#!/usr/bin/env bash
# The best weights of a run may come from a phase with other layers than at the end: narrower than in the config, wider
# than in the last phase, or with splines that became functions later. model.bin gets these weights, also in a resumed
# run.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

# In the last phase the learning rate is much too large: the best evaluation is in the second phase.
cat > "$TEST_TMP/run.yaml" << 'YAML'
data: {formula: "exp(sin(pi*x0) + x1^2)", range: [-1, 1], samples: 200, test_samples: 100}
model: [kan: {units: 8, grid: 3, l1: 1e-2}, kan: {units: 1, grid: 3, l1: 1e-2}]
optimizer: {type: adam, lr: 1e-2}
train: {batch_size: 200, eval_every: 20, early_stopping: 1000, checkpoint: {every: 20, keep_last: 9}}
YAML
train() {
  "$GTRAIN" train "$TEST_TMP/run.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$1" --set "train.phases=$phases" "${@:2}"
}
# The step of the weights in a model file, from its metadata.
step_of() { grep -ao '"results":"{\\"step\\":[0-9]*' "$TEST_TMP/$1/$2" | grep -o '[0-9]*$'; }
shape() { "$GTRAIN" inspect "$TEST_TMP/$1/model.bin" | sed -n 's/^ *kan1.mask *f32 *//p'; }

phases='[{steps: 60}, {steps: 60, prune: {nodes: 6}}, {steps: 60, prune: {nodes: 3}, optimizer.lr: 1.0}]'
exits 0 "pruned twice" train pruned
says "… before the last phase" "pruned 'kan1': kept 3 of 6 nodes"
check "… the best is of the second" test "$(shape pruned)" = "[1, 1, 2, 6]"
goes_on pruned best.bin

phases='[{steps: 60}, {steps: 60, symbolic: {minimum_r2: 0.9}}, {steps: 60, prune: {nodes: 3}, optimizer.lr: 1.0}]'
exits 0 "functions, then pruned" train functions
says "… before the last phase" "pruned 'kan1': kept 3 of 8 nodes"
check "… the best is of the second" test "$(shape functions)" = "[1, 1, 2, 8]"
goes_on functions best.bin

phases='[{steps: 60, train.early_stopping: ~}, {steps: 60, optimizer.lr: 1.0, train.early_stopping: 2}]'
exits 0 "watched from the second phase on" train later
check "… the best of the first is kept" grep -q '"best_step":\|"step":60' <<< "$("$GTRAIN" inspect "$TEST_TMP/later/model.bin")"
goes_on later best.bin

# keep_best alone, without early stopping.
phases='[{steps: 60, train.early_stopping: ~, train.checkpoint.keep_best: true},
  {steps: 60, optimizer.lr: 1.0, train.early_stopping: ~, train.checkpoint.keep_best: true}]'
exits 0 "keep_best without early stopping" train kept
check "… gives model.bin the best weights" cmp <(step_of kept best.bin) <(step_of kept model.bin)
check "… which are not the last" test "$(step_of kept model.bin)" -lt 120
goes_on kept best.bin
phases=${phases//early_stopping: ~/early_stopping: {restore_best: false\}}
exits 0 "… without restore_best" train last
says "… says which weights model.bin has" "model.bin gets the last weights (early_stopping: {restore_best: false}); the best, of step $(step_of last best.bin),"
check "… the last" test "$(step_of last model.bin)" = 120
finish
