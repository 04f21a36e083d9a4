#!/usr/bin/env bash
# The metrics of evaluations against their definitions, and their errors.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
cd "$TEST_TMP" || exit
check "values" python3 "$ROOT/tests/cli/metrics.py" "$GTRAIN" "$TEST_TMP"
cat > classes.yaml <<'YAML'
data: {format: function, formula: "x0 + x1", samples: 30, test_samples: 10}
model: [{linear: 1}]
train: {epochs: 1, early_stopping: {metric: mae, patience: 5, goal: 1e-9}}
YAML
exits 78 "a metric of classes for numbers" "$GTRAIN" check classes.yaml --set 'metrics=[f1]'
says "… says what it needs" "metric 'f1' needs targets that are classes"
exits 78 "an unknown metric" "$GTRAIN" check classes.yaml --set 'metrics=[rsme]'
says "… is named" "did you mean 'rmse'?"
exits 1 "early stopping by a metric, and a gate on another" "$GTRAIN" train classes.yaml --device "$DEVICE" --run-dir gate --fail-if 'r2>-1e9'
says "… which is computed" "error: r2 is "
check "the metric is in each row of the watched split" grep -q '"split":"test","loss":.*"mae":' gate/metrics.jsonl
check "and in the model" grep -q 'mae' gate/model.bin
exits 2 "a gate that this loss does not have" "$GTRAIN" eval gate --fail-if 'roc_auc<0.5'
says "… is refused" "'roc_auc' needs targets that are classes"
# --- guessing ---
{ echo age,fare,left; for k in {1..40}; do echo "$((k % 7)),$((k * 13 % 37 + 100)),$( ((k % 4)) && echo no || echo yes)"; done; } > boat.csv
printf 'data: {train: boat.csv, target: left, test_fraction: 0.25}\nmodel: [{linear: 2}]\noptimizer: {type: sgd, lr: 1e-9}\ntrain: {epochs: 1}\nquiet: [repeated_samples]\n' > boat.yaml
exits 0 "a run that learns nothing" "$GTRAIN" train boat.yaml --device "$DEVICE" --run-dir boat
says "… says what guessing reaches" "(always 'no': 0."
says "… and that it is no better" "warning: the model is no better than guessing: test accuracy "
says "… and why" "input column 'fare' reaches 135 and is not scaled; set data: {normalize: standard}"
exits 0 "its evaluation" "$GTRAIN" eval boat --device "$DEVICE" --json
says "… says it to scripts" '"guessing":true'
says "… with the value" "\"baseline\":{\"guess\":\"always 'no'\",\"metric\":\"accuracy\",\"value\":0."
exits 0 "one that learns" "$GTRAIN" train classes.yaml --device "$DEVICE" --run-dir learned --set train.epochs=200 --set optimizer.lr=0.05
says "… is compared with the mean" "(always the mean: "
check "… without a warning" test "$(grep -c "no better" <<< "$out")" = 0
exits 0 "the list" "$GTRAIN" schema metrics
says "… has each with a line" "balanced_accuracy"
finish
