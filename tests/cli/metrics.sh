#!/usr/bin/env bash
# The metrics of evaluations are compared with their definitions; errors in settings of metrics.
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
# --- many values ---
awk 'BEGIN { srand(1); for (i = 0; i < 60; i++) { for (k = 0; k < 18; k++) printf "%s%d", k ? "," : "", rand() * 2; print "" } }' > many.csv
printf 'data: {train: many.csv, header: false, target: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18], test_fraction: 0.3, task: regression}\nmodel: [{linear: 16}]\nloss: bce\ntrain: {epochs: 1}\nquiet: [repeated_samples]\n' > many.yaml
exits 0 "16 outputs with 13 metrics" "$GTRAIN" train many.yaml --device "$DEVICE" --run-dir many --set 'metrics=[f1, precision, recall, brier, log_loss, balanced_accuracy, iou, dice, f1_macro, f1_micro, f1_weighted, roc_auc, average_precision]' --fail-if 'average_precision<0'
check "… are all in the row" test "$(grep '"split":"test"' many/metrics.jsonl | tr ',' '\n' | grep -c 'average_precision')" = 17
# --- names of columns in metrics.jsonl ---
python3 - << 'PYTHON'
import json
import random
rng = random.Random(1)
names = ['height "cm"', 'back\\slash', "Gr\u00f6\u00dfe", "x" * 3000, *(f"{k}{'y' * 1500}" for k in range(16))]
with open("names.csv", "w") as file:
    file.write("a," + ",".join('"' + name.replace('"', '""') + '"' for name in names) + "\n")
    for _ in range(30):
        file.write(",".join(f"{rng.random():.3f}" for _ in range(len(names) + 1)) + "\n")
with open("names.yaml", "w") as file:
    file.write("data: {train: names.csv, test: names.csv, target: [%s], task: regression}\n" % ", ".join(json.dumps(name, ensure_ascii=False) for name in names[:16])
               + "model: [{linear: 16}]\nmetrics: [mae, rmse]\ntrain: {epochs: 2}\nquiet: [repeated_samples, outside_training]\n")
PYTHON
exits 0 "column names with quotes and of 1500 bytes" "$GTRAIN" train names.yaml --device "$DEVICE" --run-dir names --quiet
check "… are in metrics.jsonl as they are" python3 - << 'PYTHON'
import json
rows = [json.loads(line) for line in open("names/metrics.jsonl")]
tests = [row for row in rows if row["split"] == "test"]
names = ['height "cm"', 'back\\slash', "Gr\u00f6\u00dfe", "x" * 3000, *(f"{k}{'y' * 1500}" for k in range(12))]
assert len(rows) == 4 and len(tests) == 2, len(rows)
assert all(f"{metric}.{name}" in row for row in tests for metric in ("mae", "rmse") for name in names)
PYTHON
# --- targets and columns with the names of metrics ---
python3 - << 'PYTHON'
import json
import random
rng = random.Random(2)
names = ["accuracy", "loss", "mae.x", "f1", 'say "f1"', "c\\d.mae", "q" * 1500, *(f"{k}.{'z' * 1500}" for k in range(9))]
with open("like.csv", "w") as file:
    file.write("a," + ",".join('"' + name.replace('"', '""') + '"' for name in names) + "\n")
    for _ in range(40):
        a = rng.random()
        file.write(",".join(f"{value:.3f}" for value in [a, *(k * a - rng.random() for k in range(len(names)))]) + "\n")
quiet = "quiet: [repeated_samples, no_effect]\n"
with open("like.yaml", "w") as file:
    file.write("data: {train: like.csv, target: %s, task: regression, validation: 0.25}\nmodel: [{linear: 16}]\n" % json.dumps(names)
               + "metrics: [mae]\ntrain: {epochs: 2, early_stopping: {metric: mae.accuracy, patience: 1}, checkpoint: {keep_best: true}}\n" + quiet)
model = ", ".join("{linear: {units: %d, name: %s, from: input}}" % (2 if name == "f1" else 1, name) for name in ["accuracy", "mae", "f1"])
with open("targets.yaml", "w") as file:
    file.write("data: {train: like.csv, inputs: [a], targets: {accuracy: accuracy, mae: loss, f1: [mae.x, f1]}, validation: 0.25}\n"
               + "model: [%s]\ntrain: {epochs: 2, early_stopping: {metric: accuracy.loss, patience: 1}}\nmetrics: [mae]\n" % model + quiet)
PYTHON
exits 0 "columns with the names of metrics" "$GTRAIN" train like.yaml --device "$DEVICE" --run-dir like --fail-if 'mae.accuracy>5'
says "… are watched" "best validation mae.accuracy so far"
check "… are in metrics.jsonl" grep -q '"mae.accuracy":.*"mae.loss":.*"mae.mae.x":.*"mae.f1":.*"mae.say ..f1..":.*"mae.c..d.mae":' like/metrics.jsonl
exits 1 "… have gates" "$GTRAIN" eval like --split validation --json --fail-if 'mae.accuracy>1e9' --fail-if 'mae.c\d.mae<1e9' \
  --fail-if "rmse.$(printf 'q%.0s' {1..1500})<1e9"
says "… one of which fails" "error: mae.c\d.mae is "
says "… and another, of 1500 bytes" "qqq is "
says "… beside their values in JSON" '"mae.say \"f1\"":'
exits 2 "the range of a metric" "$GTRAIN" eval like --fail-if 'accuracy<0.97'
says "… is not that of a column" "'accuracy' needs a loss that counts correct predictions"
exits 0 "targets with the names of metrics" "$GTRAIN" train targets.yaml --device "$DEVICE" --run-dir targets --fail-if 'accuracy.mae>7' --fail-if 'f1.mae.f1>9'
says "… are watched" "best validation accuracy.loss so far"
check "… are in metrics.jsonl" grep -q '"loss":.*"accuracy.loss":.*"mae.loss":.*"f1.loss":.*"accuracy.mae":.*"mae.mae":.*"f1.mae.mae.x":.*"f1.mae.f1":' targets/metrics.jsonl
exits 1 "… have gates" "$GTRAIN" eval targets --split validation --fail-if 'mae.mae<1e9' --fail-if 'accuracy.mae>1e9' --fail-if 'f1.mae.mae.x<1e9'
says "… that fail" "error: mae.mae is "
says "… for columns, too" "error: f1.mae.mae.x is "
# --- phases ---
exits 78 "a phase that watches a column that is not there" "$GTRAIN" check like.yaml --set 'train={phases: [{epochs: 1}, {epochs: 1, train.early_stopping.metric: mae.none}]}'
says "… is refused" "metric 'mae.none' is not available: it names no column of the targets; there are accuracy, loss,"
# --- every loss and metric with every kind of target: an error or a result, no crash (make SANITIZE=address,undefined) ---
awk 'BEGIN { print "x,one,two,three,many,bit,word,real"; srand(3); split("red green blue", w, " ")
  for (i = 0; i < 60; i++) print rand() "," 0 "," i % 2 "," i % 3 "," i % 40 "," i % 2 "," w[1 + i % 3] "," rand() * 9 - 2 }' > kinds.csv
metrics=$("$GTRAIN" schema metrics | sed -n 's/^  \([a-z][a-z_0-9]*\)  .*/\1/p')
bad="" trained=0
declare -A classes=([two]=2 [bit]=2 [three]=3 [word]=3 [many]=40)
for loss in $("$GTRAIN" schema losses | sed -n 's/^  \([a-z][a-z_]*\)  .*/\1/p'); do
  for target in one two three many bit word real; do
    for task in classification regression; do
      printf '%s\n' "data: {train: kinds.csv, target: $target, inputs: [x], task: $task, test_fraction: 0.2, validation: 0.2}" \
        "model: [linear: $([[ $task$loss == classificationcross_entropy ]] && echo "${classes[$target]-1}" || echo 1)]" "loss: $loss" \
        "eval: {threshold: auto}" "train: {epochs: 1}" > kinds.yaml
      code=0
      "$GTRAIN" check kinds.yaml > /dev/null 2> err || code=$?
      [[ $code =~ ^(0|65|78)$ ]] || bad+=" check:$loss/$target/$task:$code"
      sed -i "/^eval/d" kinds.yaml
      # Only the metrics that this loss has.
      possible=$("$GTRAIN" check kinds.yaml --set "metrics=[$(tr '\n' ',' <<< "$metrics" | sed 's/,$//')]" 2>&1 |
        sed -n "s/.*error: metric '\([a-z_0-9]*\)'.*/\1/p" | sort | comm -13 - <(sort <<< "$metrics") | tr '\n' ',')
      code=0
      rm -rf kinds
      "$GTRAIN" train kinds.yaml --device "$DEVICE" --run-dir kinds --quiet --set "metrics=[${possible%,}]" > /dev/null 2> err || code=$?
      ((code)) || trained=$((trained + 1))
      [[ $code =~ ^(0|65|78)$ ]] || bad+=" train:$loss/$target/$task:$code"
    done
  done
done
check "no loss, target and metric crash" test -z "$bad" -a "$trained" -gt 25

# top_3 and top_5 do not depend on the magnitude of the logits, even if probabilities underflow.
for scale in 1 3000; do
  awk -v s=$scale 'BEGIN { srand(2); print "a,b,y"; for (i = 0; i < 80; i++) print s * (rand() - 0.5) "," s * (rand() - 0.5) "," i % 8 }' > scale$scale.csv
done
printf 'data: {train: scale1.csv, test: scale1.csv, target: y, normalize: none}\nmodel: [{linear: {units: 8, bias: false}}]\nmetrics: [top_3, top_5]\ntrain: {epochs: 1}\nquiet: [repeated_samples, outside_training]\n' > scale.yaml
exits 0 "a model" "$GTRAIN" train scale.yaml --device "$DEVICE" --run-dir scale --quiet
of_scale() { "$GTRAIN" eval scale --device "$DEVICE" --set data.test=scale$1.csv --json 2> /dev/null | grep -o '"top_[35]":[0-9.]*'; }
check "top_3 and top_5 of large logits" test "$(of_scale 1)" = "$(of_scale 3000)"
# If a resumed run selects by another metric, the best value so far is discarded.
exits 0 "a run by f1" "$GTRAIN" train classes3.yaml --device "$DEVICE" --run-dir other --quiet --set 'train.early_stopping={metric: f1, patience: 30}' --set train.epochs=2
exits 0 "… resumed by brier" "$GTRAIN" train classes3.yaml --device "$DEVICE" --run-dir other --resume --set 'train.early_stopping={metric: brier, patience: 30}' --set train.epochs=5
says "… marks its best" " *  "

# --- the comparison with guessing ---
{ echo age,fare,left; for k in {1..40}; do echo "$((k % 7)),$((k * 13 % 37 + 100)),$( ((k % 4)) && echo no || echo yes)"; done; } > boat.csv
printf 'data: {train: boat.csv, target: left, test_fraction: 0.25, normalize: none}\nmodel: [{linear: 2}]\noptimizer: {type: sgd, lr: 1e-9}\ntrain: {epochs: 1}\nquiet: [repeated_samples]\n' > boat.yaml
exits 0 "a run that learns nothing" "$GTRAIN" train boat.yaml --device "$DEVICE" --run-dir boat
says "… says what guessing reaches" "(baseline, always 'no': 0."
says "… and that it is no better" "warning: the model is no better than guessing: test accuracy "
says "… and why" "input column 'fare' reaches 135 and is not scaled; set data: {normalize: standard}"
exits 0 "its evaluation" "$GTRAIN" eval boat --device "$DEVICE" --json
says "… says it to scripts" '"guessing":true'
says "… with the value" "\"baseline\":{\"guess\":\"always 'no'\",\"metric\":\"accuracy\",\"value\":0."
awk -F, 'NR == 1 || $3 == "no" || $1 == 3' boat.csv > calm.csv
exits 0 "if one class has most samples" "$GTRAIN" train boat.yaml --device "$DEVICE" --run-dir calm --set data.train=calm.csv --set data.test=calm.csv --set data.test_fraction=0 --set data.normalize=standard --set model.linear1.init=zeros --set optimizer.lr=1e-3
says "… it is the accuracy that is no better" "warning: the accuracy is no better than guessing: test accuracy is 0."
says "… and other metrics say more" "one class has most samples, so accuracy says little: add metrics: [roc_auc, f1]"
exits 0 "one that learns" "$GTRAIN" train classes.yaml --device "$DEVICE" --run-dir learned --set train.epochs=200 --set optimizer.lr=0.05
says "… is compared with the mean" "(baseline, always the mean: "
check "… without a warning" test "$(grep -c "no better" <<< "$out")" = 0
exits 0 "the list" "$GTRAIN" schema metrics
says "… has each with a line" "balanced_accuracy"
finish
