#!/usr/bin/env bash
# Findings are warnings about settings and data that are valid but hardly ever intended. Each is reported once, at its
# line, with a help text; its name in `quiet:` silences it, --strict makes it an error, --json lists it; intended
# settings are not reported.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
cd "$TEST_TMP" || exit 1
GTRAIN=${GTRAIN/#build/$OLDPWD/build}

# finds NAME PLACE TEXT COMMAND…: the finding NAME is reported once, at this position, with TEXT and a help text;
# `quiet` silences it, and --strict makes it an error.
finds() {
  local name=$1 place=$2 text=$3 lines
  shift 3
  exits 0 "$name" "$@"
  lines=$(grep -c "\[$name\]" <<< "$out")
  says "… at $place" "$place:"
  says "… in words" "$text"
  check "… once ($lines)" test "$lines" = 1
  check "… with a way out" test "$(grep -A 4 -F "[$name]" <<< "$out" | grep -c "    help: ")" -ge 1
  exits 0 "… silenced" "$@" --set "quiet=$name"
  check "… says nothing" test "$(grep -c "\[$name\]" <<< "$out")" = 0
  exits 78 "… with --strict" "$@" --strict
}

silent() {
  local what=$1
  shift
  exits 0 "$what" "$@" --strict
  check "… says nothing" test -z "$(grep warning <<< "$out")"
}

# --- settings in steps or epochs: just longer than the run, and just short enough ---
cat > length.yaml <<'YAML'
data: {formula: "x0 + x1", samples: 20, test_samples: 10}
model: [{linear: 1}]
train: {epochs: 4, batch_size: 5}
YAML
finds no_effect "--set:1:34" "has momentum 1: evaluation uses the statistics of the last batch alone" "$GTRAIN" check length.yaml \
  --set 'model=[{linear: 8}, {batch_norm: 1}, {linear: 1}]'
silent "batch_norm without a number" "$GTRAIN" check length.yaml --set 'model=[{linear: 8}, batch_norm, {linear: 1}]'
silent "a batch_norm that averages over all batches" "$GTRAIN" check length.yaml \
  --set 'model=[{linear: 8}, {batch_norm: {momentum: 1, cumulative: true}}, {linear: 1}]'
for row in train.eval_every:5:4 train.log_every:17:16 train.checkpoint.every:5:4 train.accumulate:5:4; do
  IFS=: read -r key long short <<< "$row"
  finds no_effect "--set:1:$((${#key} + 2))" "" "$GTRAIN" check length.yaml --set "$key=$long"
  silent "$key=$short" "$GTRAIN" check length.yaml --set "$key=$short"
done
for row in '{type: step, step_size: %d}:4:3' '{type: step, step_size: %d, by: step}:16:15' '{type: cosine, steps: %d}:17:16' \
  '{type: linear, steps: %d}:17:16' '{type: constant, warmup: %d}:16:15' '{type: plateau, patience: %d}:3:2'; do
  long=${row%:*} short=${row##*:}
  schedule=${long%:*} long=${long##*:}
  # shellcheck disable=SC2059
  finds no_effect "--set:1" "" "$GTRAIN" check length.yaml --set "schedule=$(printf "$schedule" "$long")"
  # shellcheck disable=SC2059
  silent "schedule: $schedule, $short" "$GTRAIN" check length.yaml --set "schedule=$(printf "$schedule" "$short")" --set quiet=watches_test
done
# Schedules whose rate is 0, or as good as 0, for more than a tenth of the run; and those that end with it.
while read -r place schedule; do
  finds no_effect "--set:1:$place" "of the 16 steps of the run train nothing" "$GTRAIN" check length.yaml --set "schedule=$schedule"
done << 'ROWS'
32 {type: cosine, steps: 4}
32 {type: linear, steps: 14}
43 {type: cosine, warmup: 3, steps: 4}
47 {type: exponential, by: step, gamma: 0.1}
34 {type: step, step_size: 1, gamma: 0}
ROWS
exits 0 "the number of epochs" "$GTRAIN" check length.yaml --set 'schedule={type: cosine, steps: 4}'
says "… for that of steps" "the learning rate is 0 after step 4 and stays there: 12 of the 16 steps of the run train nothing"
says "… with the right number" "steps: 16, or no 'steps', ends it with the run"
exits 0 "a long decay" "$GTRAIN" check length.yaml --set 'schedule={type: exponential, gamma: 0.5}' --set train.epochs=10000
says "… ends" "the learning rate is practically 0 after step 68 and stays there: 39932 of the 40000 steps"
for schedule in '{type: cosine, steps: 15}' '{type: cosine, steps: 4, min_factor: 0.01}' '{type: linear, steps: 4, end_factor: 0.1}' \
  '{type: cosine, warmup: 3}' '{type: one_cycle}' '{type: exponential, gamma: 0.1}' '{type: step, step_size: 1, gamma: 0.1}'; do
  silent "schedule: $schedule" "$GTRAIN" check length.yaml --set "schedule=$schedule"
done
# The last rate of one_cycle is small by design; a rate that grows never ends.
silent "the last step of a short cycle" "$GTRAIN" check length.yaml --set schedule=one_cycle --set train.epochs=2
silent "a rate that grows" "$GTRAIN" check length.yaml --set 'schedule={type: exponential, by: step, gamma: 1.1}' --set train.epochs=10000
finds no_effect "--set:1:32" "12 of the 16 steps of phase 2 train nothing" "$GTRAIN" check length.yaml \
  --set 'schedule={type: linear, steps: 4}' --set 'train={batch_size: 5, phases: [{epochs: 1}, {epochs: 4}]}'
# A moving average that still holds much of the initial weights.
finds no_effect "--set:1:15" "this average spans about 20 steps, and the run ends after 16: in the weights that are evaluated and saved, the initial ones still count 44 %" \
  "$GTRAIN" check length.yaml --set optimizer.ema=0.95
exits 0 "an average that hardly begins" "$GTRAIN" check length.yaml --set optimizer.ema=0.9999
says "… keeps all of the initial weights" "the initial ones still count 100 %"
silent "a shorter average" "$GTRAIN" check length.yaml --set optimizer.ema=0.8
silent "a longer run" "$GTRAIN" check length.yaml --set optimizer.ema=0.95 --set train.epochs=12
silent "an average over several phases" "$GTRAIN" check length.yaml --set optimizer.ema=0.95 --set 'train={batch_size: 5, phases: [{epochs: 4}, {epochs: 8}]}'
exits 0 "a recipe for large data" "$GTRAIN" check length.yaml --set optimizer.ema=0.9999 --set train.epochs=100
says "… with the way out" "help: a longer run, or ema: 0.99"
exits 0 "exponential in one epoch" "$GTRAIN" check length.yaml --set 'schedule={type: exponential, gamma: 0.5}' --set train.epochs=1
says "… never changes" "needs at least 2 epochs, and the run has 1"
exits 0 "patience" "$GTRAIN" check length.yaml --set train.early_stopping=4
says "… that never ends" "early stopping cannot end the run: it has 4 evaluations, and patience is 4"
finds watches_test "--set:1:22" "early_stopping.patience watches the test data, because there is no validation split" "$GTRAIN" check length.yaml --set train.early_stopping=3
finds watches_test "--set:1:27" "early_stopping.goal watches" "$GTRAIN" check length.yaml --set train.early_stopping.goal=0.1
finds watches_test "--set:1:28" "checkpoint.keep_best watches" "$GTRAIN" check length.yaml --set train.checkpoint.keep_best=true
finds watches_test "--set:1:17" "schedule 'plateau' watches" "$GTRAIN" check length.yaml --set 'schedule={type: plateau, patience: 2}'
finds watches_test "--set:1:33" "early_stopping.patience, early_stopping.goal, checkpoint.keep_best and schedule 'plateau' watch the test" \
  "$GTRAIN" check length.yaml --set 'train.early_stopping={patience: 2, goal: 0.1}' --set train.checkpoint.keep_best=true --set 'schedule={type: plateau, patience: 2}'
finds watches_test "--set:1:90" "early_stopping.patience and schedule 'plateau' watch" "$GTRAIN" check length.yaml \
  --set 'train={batch_size: 5, phases: [{epochs: 1}, {epochs: 2, train.early_stopping: {patience: 1}}, {epochs: 2, schedule: {type: plateau, patience: 0}}]}'
finds never_evaluated "--set:1:90" "early stopping never happens" "$GTRAIN" check length.yaml --set data.test_samples=0 \
  --set 'train={batch_size: 5, phases: [{epochs: 1}, {epochs: 2, train.early_stopping: {patience: 1}}]}'
silent "one evaluation in all" "$GTRAIN" check length.yaml --set train.eval_every=0 --set train.early_stopping.goal=0.1
silent "keep_best and plateau with a validation split" "$GTRAIN" check length.yaml --set train.checkpoint.keep_best=true \
  --set 'schedule={type: plateau, patience: 2}' --set data.validation=0.2 --set train.batch_size=4
silent "the boards of an automaton, of which none are held out" "$GTRAIN" check @life
silent "patience" "$GTRAIN" check length.yaml --set train.early_stopping=3 --set data.validation=0.2 --set train.batch_size=4
exits 0 "one evaluation" "$GTRAIN" check length.yaml --set train.checkpoint.keep_best=true --set train.eval_every=0
says "… leaves nothing to choose" "keep_best has one model to choose from"
exits 0 "a goal" "$GTRAIN" check length.yaml --set train.early_stopping.goal=0.1 --set train.restart_every=4
says "… without a restart" "it never restarts"
# With phases, a setting is reported only if every phase is too short for it.
silent "one phase reaches it" "$GTRAIN" check length.yaml --set 'train={batch_size: 5, eval_every: 3, phases: [{epochs: 2}, {epochs: 3}]}'
finds no_effect "--set:1" "" "$GTRAIN" check length.yaml --set 'train={batch_size: 5, eval_every: 4, phases: [{epochs: 2}, {epochs: 3}]}'

# But a warmup is checked in each phase, because each phase starts its own schedule. The steps between log lines are
# counted across phases.
two='phases: [{epochs: 2}, {epochs: 3'
finds no_effect "--set:1" "warmup takes 10 steps, and phase 1 has 8" "$GTRAIN" check length.yaml --set "schedule={type: cosine, warmup: 10}" --set "train={batch_size: 5, $two}]}"
silent "a shorter one" "$GTRAIN" check length.yaml --set "schedule={type: cosine, warmup: 7}" --set "train={batch_size: 5, $two}]}"
silent "a step of phase 2 is logged" "$GTRAIN" check length.yaml --set "train={batch_size: 5, $two, train.log_every: 15}]}"
finds no_effect "--set:1" "phase 2 ends after step 20 and begins after step 8: the training loss is never logged" "$GTRAIN" check length.yaml --set "train={batch_size: 5, $two, train.log_every: 21}]}"
finds no_effect "--set:1" "phase 2 ends after 3 epochs: there is one evaluation" "$GTRAIN" check length.yaml --set "train={batch_size: 5, $two, train.eval_every: 4}]}"
finds no_effect "--set:1" "phase 2 ends after 3 epochs: no checkpoint is saved before" "$GTRAIN" check length.yaml --set "train={batch_size: 5, $two, train.checkpoint.every: 4}]}"
# Early stopping without a condition to stop, or with an impossible goal.
finds no_effect "--set:1:22" "neither patience nor a goal" "$GTRAIN" check length.yaml --set 'train.early_stopping={min_delta: 0.1}'
silent "what keep_best reads" "$GTRAIN" check length.yaml --set 'train.early_stopping={min_delta: 0.1}' --set train.checkpoint.keep_best=true --set quiet=watches_test
silent "none" "$GTRAIN" check length.yaml --set 'train.early_stopping={patience: 0, min_delta: 0.1}'
finds no_effect "--set:1:27" "loss never reaches -1: it is at least 0" "$GTRAIN" check length.yaml --set train.early_stopping.goal=-1
exits 0 "plateau without evaluations" "$GTRAIN" check length.yaml --set data.test_samples=0 --set schedule=plateau
check "… is said once" test "$(grep -c warning <<< "$out")" = 1
exits 0 "a default that is too long" "$GTRAIN" check length.yaml --set schedule=plateau
says "… is none that was written" "schedule 'plateau' with its default 'patience' needs at least 12 evaluations"

# --- normalization over a single value ---
cat > norm.yaml <<'YAML'
data: {formula: "x0 + x1", samples: 33, test_samples: 10}
model: [{linear: 4}, batch_norm, {linear: 1}]
train: {epochs: 2, batch_size: 16}
YAML
finds single_value_norm norm.yaml:2:22 "in the last batch of an epoch, which has one sample" "$GTRAIN" check norm.yaml
finds single_value_norm norm.yaml:2:22 "over one value" "$GTRAIN" check norm.yaml --set train.batch_size=1
silent "no sample is alone" "$GTRAIN" check norm.yaml --set train.batch_size=15
silent "a frozen norm, which does not use the batch" "$GTRAIN" check norm.yaml --set 'optimizer.parameters=[{match: "batch_norm*", frozen: true}]'
silent "a last step of two batches, the second one empty" "$GTRAIN" check norm.yaml --set data.samples=80 --set train.accumulate=2
finds single_value_norm norm.yaml:2:22 "in the last batch" "$GTRAIN" check norm.yaml --set train.accumulate=3
# The position is the key of the phase that causes it, or the layer if no phase does.
cat > norms.yaml <<'YAML'
data: {formula: "x0 + x1", samples: 33, test_samples: 10}
model: [{linear: 4}, batch_norm, {linear: 1}]
train:
  batch_size: 15
  phases:
    - epochs: 1
    - epochs: 1
      train.batch_size: 16
    - epochs: 1
YAML
finds single_value_norm norms.yaml:8:25 "layer 'batch_norm1' of phase 2 normalizes one value per channel in the last batch" "$GTRAIN" check norms.yaml
exits 0 "two layers" "$GTRAIN" check norms.yaml --set 'model=[{linear: 4}, batch_norm, relu, batch_norm, {linear: 1}]'
check "… are both said" test "$(grep -c 'norms.yaml:8:25: .*single_value_norm' <<< "$out")" = 2
finds single_value_norm norms.yaml:2:22 "layer 'batch_norm1' normalizes" "$GTRAIN" check norms.yaml --set train.batch_size=16 --set train.phases.1.train.batch_size=15
sed 's/train.batch_size: 16/model.2.group_norm: 4/; s/batch_norm/{reshape: [4]}, {group_norm: 2}/' norms.yaml > groups.yaml
finds single_value_norm groups.yaml:8:7 "layer 'group_norm1' of phase 2 normalizes over one value" "$GTRAIN" check groups.yaml
for layers in 'layer_norm' '{group_norm: 1}' '{reshape: [1, 1]}, {instance_norm: {affine: true}}, flatten'; do
  finds single_value_norm "--set:1" "over one value" "$GTRAIN" check norm.yaml --set "model=[{linear: 1}, $layers]"
done
silent "several values" "$GTRAIN" check norm.yaml --set 'model=[{linear: 8}, {group_norm: 4}, {layer_norm: 1}, {reshape: [2, 4]}, {instance_norm: {}}, flatten, {linear: 1}]'

# --- weights that are lost because a phase changes a size ---
cat > sizes.yaml <<'YAML'
data: {formula: "x0 + x1", samples: 20, test_samples: 10}
model: [{linear: {units: 8, name: body}}, tanh, {linear: {units: 6, name: neck}}, tanh, {linear: 1}]
train:
  phases:
    - epochs: 1
    - epochs: 1
      model.body.units: 8
YAML
set_phase() { sed "s/model.body.units: 8/$1/" sizes.yaml > resized.yaml; }
silent "the same size" "$GTRAIN" check sizes.yaml
set_phase 'model.body.units: 9'
silent "a larger layer" "$GTRAIN" check resized.yaml
set_phase 'model.0.linear.units: 5'
finds lost_weights resized.yaml:7:29 "layer 'body' loses trained weights in phase 2: body.weight changes shape from [8, 2] to [5, 2]: some values are dropped" \
  "$GTRAIN" check resized.yaml
set_phase 'model: [{linear: {units: 9, name: body}}, tanh, {linear: {units: 4, name: neck}}, tanh, {linear: 1}]'
finds lost_weights resized.yaml:7:56 "neck.weight changes shape from [6, 8] to [4, 9]: some values are dropped, and new ones are initialized" "$GTRAIN" check resized.yaml
kan='model=[{kan: {units: 3, range: [-2, 2]}}, {kan: {units: 1, range: [-2, 2]}}]'
set_phase 'model.0.kan.grid: 9'
silent "another grid, to which coefficients are fitted" "$GTRAIN" check resized.yaml --set "$kan" --set quiet=outside_grid
set_phase 'model.0.kan.units: 4'
finds lost_weights resized.yaml:7:26 "kan1.coefficients changes shape from [1, 9, 2, 3] to [1, 9, 2, 4]: all values are initialized again" "$GTRAIN" check resized.yaml --set "$kan"
exits 0 "a model" "$GTRAIN" train sizes.yaml --run-dir sizes --quiet
sed '/^train/,$d' sizes.yaml > tuned.yaml && echo 'init_from: sizes' >> tuned.yaml
silent "init_from, the same sizes" "$GTRAIN" check tuned.yaml
finds lost_weights tuned.yaml:3:12 "layer 'body' has weight [5, 2] here and [8, 2] there; layer 'neck' has weight [6, 5] here and [6, 8] there" \
  "$GTRAIN" check tuned.yaml --set model.body.units=5
silent "layers that are meant to start from scratch" "$GTRAIN" check tuned.yaml --set model.body.units=5 --set 'init_from.map={body: ~, neck: ~}'

# --- parameter groups ---
exits 78 "all parameters frozen" "$GTRAIN" check sizes.yaml --set train.phases=~ --set train.epochs=1 \
  --set 'optimizer={type: adam, parameters: [{match: "*", frozen: true}, {match: "body.*", lr: 0.1}]}'
says "… at their place" "--set:1:45: error: nothing to train: all parameters are frozen, the first by '*'"
says "… and the entry that comes too late" "'body.*' has no effect: the first entry that matches a parameter counts, and '*' is earlier [no_effect]"
silent "entries of which each has parameters" "$GTRAIN" check sizes.yaml --set train.phases=~ --set train.epochs=1 \
  --set 'optimizer={type: adam, parameters: [{match: "body.weight", lr: 0.1}, {match: "body.*", frozen: true}]}'

# --- classes ---
printf 'a,b,y\n%s' "$(for i in $(seq 30); do echo "0.$((100 + i)),0.2,$((i % 3 + 1))"; done)" > from1.csv
cat > classes.yaml <<'YAML'
data: {train: from1.csv, test_fraction: 0.4}
model: [{linear: 4}]
loss: cross_entropy
YAML
finds empty_class classes.yaml:1:7 "class 0 has no training sample: labels count from 0, and 3 of the 4 classes occur" "$GTRAIN" check classes.yaml
says "the way out" "data: {task: classification, classes: [1, 2, 3]}"
# class_names for labels that are text already, and with a different number of names.
named="data={train: train.csv, class_names"
printf 'a,y\n1,x\n2,y\n3,z\n' > train.csv
finds empty_class "--set:1:38" "class_names lists 'u', 'v', but no training sample has such a label" \
  "$GTRAIN" check classes.yaml --set "$named: [x, y, z, u, v]}" --set 'model=[{linear: 5}]'
silent "another order" "$GTRAIN" check classes.yaml --set "$named: [z, y, x]}" --set 'model=[{linear: 3}]'
exits 65 "other names than the labels" "$GTRAIN" check classes.yaml --set "$named: [A, B, C]}"
says "… say what class_names is" "train.csv:2:3: 'x' is not in class_names, which lists the labels of the file: A, B, C"
exits 65 "one name of them" "$GTRAIN" check classes.yaml --set "$named: [x]}"
says "… says it, too" "train.csv:3:3: 'y' is not in class_names, which lists the labels of the file: x"
exits 78 "a choice among other names" "$GTRAIN" check classes.yaml --set "$named: [A, B], classes: [x, y]}"
says "… says what it chooses among" "help: \`classes\` chooses among the names in \`class_names\`, or numbers from 0"
exits 65 "fewer names than numbers" "$GTRAIN" check classes.yaml --set 'data.class_names=[A, B, C]'
says "… says which" "label 3 is out of range: with 3 class_names, labels go from 0 to 2"
exits 78 "two numbers of classes" "$GTRAIN" check classes.yaml --set 'data.class_names=[A, B, C]' --set data.classes=4
says "… are reported where they are" "--set:1:14: error: 'classes' and 'class_names' disagree on the number of classes"
exits 0 "the way out" "$GTRAIN" check classes.yaml --set 'data.classes=[1,2,3]' --set 'model=[{linear: 3}]' --strict
says "lists the classes" "classes         1 "
sed 's/,\([123]\)$/,\1.0/; 1!s/,1.0$/,0.0/; s/,3.0$/,1.0/; s/,2.0$/,1.0/' from1.csv > float.csv
exits 0 "0.0 and 1.0 are labels for cross-entropy" "$GTRAIN" check classes.yaml --set data.train=float.csv --set 'model=[{linear: 2}]' --strict
says "… by number" "classes         0 "
exits 78 "numbers for cross-entropy" "$GTRAIN" check classes.yaml --set data.task=regression
says "… name the key that decides" "data: {task: classification}"
exits 78 "labels for mse" "$GTRAIN" check classes.yaml --set loss=mse --set data.task=classification
says "… name it, too" "data: {task: regression}"
printf 'a,y\n1,big\n2,small\n3,big\n4,small\n' > words.csv
exits 78 "text for bce" "$GTRAIN" check classes.yaml --set data.train=words.csv --set loss=bce --set 'model=[{linear: 1}]'
says "… with the way out" "expected loss: cross_entropy, and a last layer with 2 outputs, one per class"
exits 0 "the way out" "$GTRAIN" check classes.yaml --set data.train=words.csv --set 'model=[{linear: 2}]'
exits 78 "labels from 1, and an output for each" "$GTRAIN" check classes.yaml --set 'model=[{linear: 3}]'
says "… with the way out" "data: {task: classification, classes: [1, 2, 3]}, which numbers these labels from 0"
exits 78 "whole numbers without a loss" "$GTRAIN" check classes.yaml --set 'model=[{linear: 3}]' --set 'loss=~'
says "… that may be classes" "data: {task: classification, classes: [1, 2, 3]}, which numbers these labels from 0, if the targets are classes"
exits 0 "… are" "$GTRAIN" check classes.yaml --set 'model=[{linear: 3}]' --set 'loss=~' --set 'data.classes=[1,2,3]' --set data.task=classification --strict
exits 78 "other numbers" "$GTRAIN" check classes.yaml --set 'model=[{linear: 3}]' --set 'loss=~' --set data.target=a
check "… may not" test "$(grep -c "help:" <<< "$out")" = 0
sed 's/,[123]$/,1/' from1.csv > one.csv
finds constant_target "--set:1" "the target 'y' is 1 in all training samples" "$GTRAIN" check classes.yaml --set data.train=one.csv --set 'model=[{linear: 1}]' --set loss=mse --set data.target=y
exits 78 "one label, three outputs" "$GTRAIN" check classes.yaml --set data.train=one.csv --set 'model=[{linear: 3}]' --set 'loss=~'
says "… are classes only if the config says so" "help: data: {task: classification}, if the targets are classes"
exits 0 "one label" "$GTRAIN" check classes.yaml --set data.train=one.csv --set 'model=[{linear: 2}]'
says "is said" "all training samples have the same class, '1'"
check "… once" test "$(grep -c warning <<< "$out")" = 1
printf 'a,y\n1,x\n2,y\n3,z\n' > train.csv
printf 'a,y\n4,x\n5,x\n' > test.csv
finds missing_class "--set:1:31" "the test split has no sample of class 'y', 'z'" "$GTRAIN" check classes.yaml --set 'data={train: train.csv, test: test.csv}' --set 'model=[{linear: 3}]'
printf 'data:\n  train: train.csv\n  test: test.csv\nmodel: [{linear: 3}]\ntrain:\n  phases:\n    - epochs: 1\n    - {epochs: 1, train.batch_size: 2}\n' > split.yaml
finds missing_class split.yaml:3:9 "the test split has no sample of class 'y', 'z'" "$GTRAIN" check split.yaml
exits 78 "an output too many" "$GTRAIN" check classes.yaml --set 'data={train: train.csv, test: test.csv}'
says "… lists the classes" "the classes are 'x', 'y', 'z'"
exits 65 "a label that is not a class" "$GTRAIN" check classes.yaml --set 'data={train: test.csv, test: train.csv}'
says "… lists them" "train.csv:3:3: 'y' is not a class; the only class is x"
exits 0 "counts as JSON" "$GTRAIN" check classes.yaml --set 'data={train: train.csv, test: test.csv}' --set 'model=[{linear: 3}]' --json
says "… of each split" '"classes":[{"name":"x","train":1,"test":2},{"name":"y","train":1,"test":0}'
says "findings as JSON" '"findings":[{"name":"missing_class","text":"the test split has no sample of class'
exits 0 "a training" "$GTRAIN" train classes.yaml --set 'data={train: train.csv, test: test.csv}' --set 'model=[{linear: 3}]' --run-dir r1 --json
says "… counts them" "classes: x 1, y 1, z 1"
says "… lists the finding" '"findings":[{"name":"missing_class"'
exits 78 "a strict training" "$GTRAIN" train classes.yaml --set 'data={train: train.csv, test: test.csv}' --set 'model=[{linear: 3}]' --run-dir r2 --strict
check "… does not begin" test ! -e r2
exits 78 "a name that is none" "$GTRAIN" check classes.yaml --set quiet=mising_class
says "… is reported" "did you mean 'missing_class'?"
exits 0 "quiet" "$GTRAIN" train classes.yaml --set 'quiet=[empty_class]' --run-dir r3
check "… is recorded" grep -q "empty_class" r3/config.yaml

# --- pictures ---
# Writes a picture of one pixel; $2: chunks before its pixel.
pixel() {
  printf '\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00\x3a\x7e\x9b\x55'"${2:-}"'\x00\x00\x00\nIDATx\x9cc\x60\x00\x00\x00\x02\x00\x01\x48\xaf\xa4\x71\x00\x00\x00\x00IEND\xaeB\x60\x82' > "$1"
}
upside_down='\x00\x00\x00\x1a\x65\x58\x49\x66\x49\x49\x2a\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\xff\xa8\x1f\x4d' # an eXIf chunk with orientation 3
mkdir scans masks
for n in 1 2 3; do
  pixel scans/$n.png
  pixel masks/$n.png
done
printf 'data: {train: scans, targets: masks, channels: 1}\nmodel: [{conv2d: {out_channels: 1, kernel_size: 1}}]\nquiet: [constant_target]\n' > masks.yaml
silent "no orientation" "$GTRAIN" check masks.yaml
pixel scans/2.png "$upside_down"
finds turned_pictures masks.yaml:1:31 "scans/2.png has the EXIF orientation 3 and is turned, but masks/2.png has none and is not (1 of 3 pairs" "$GTRAIN" check masks.yaml
says "the way out" "exiftool -Orientation= FOLDER"
pixel masks/2.png "$upside_down"
silent "both have it" "$GTRAIN" check masks.yaml

# --- folders ---
mkdir -p photos/{train,val}/{cat,dog}
for f in photos/*/*; do
  pixel "$f/a.png"
done
printf 'data: {train: photos}\nmodel: [flatten, {linear: 2}]\n' > photos.yaml
finds splits_as_classes photos.yaml:1:15 "the folders of photos, read as classes, are named like splits: train, val" "$GTRAIN" check photos.yaml
says "the way out" "data: {train: photos/train, test: photos/val}"
silent "the way out" "$GTRAIN" check photos.yaml --set data.train=photos/train --set data.test=photos/val --set quiet=repeated_samples
exits 78 "a folder as a fraction" "$GTRAIN" check photos.yaml --set data.train=photos/train --set data.validation=photos/val
says "… goes elsewhere" "help: validation takes a fraction of the training samples, such as 0.1; samples of their own are the test split: test: FILE"
cp -r photos/train photos/test
finds splits_as_classes photos.yaml:1:15 "splits: test, train, val" "$GTRAIN" check photos.yaml --set 'model=[flatten, {linear: 3}]'
says "the roles go by their names" "data: {train: photos/train, test: photos/test}; validation samples are a fraction of train: validation: 0.1"
mv photos/train photos/2_train
mv photos/test photos/1_test
cp -r photos/2_train/cat photos/2_train/extra
rm -r photos/val
mkdir photos/__MACOSX
finds splits_as_classes photos.yaml:1:15 "splits: 1_test, 2_train" "$GTRAIN" check photos.yaml
says "… by a word of them" "data: {train: photos/2_train, test: photos/1_test}"
finds empty_folder photos.yaml:1:15 "photos/__MACOSX contains no pictures (.png, .jpg, .jpeg), so it is not a class" "$GTRAIN" check photos.yaml
rm -r photos/2_train/extra photos/__MACOSX
mv photos/1_test photos/finch
mv photos/2_train photos/robin
finds splits_as_classes photos.yaml:1:15 "(finch, robin), all hold the same folders: cat, dog" "$GTRAIN" check photos.yaml
says "what they are is left open" "with the folder of each split"
mv photos/finch photos/train
silent "one name of them, folders that differ" "$GTRAIN" check photos.yaml --set data.train=photos/train
mv photos/train/cat photos/train/bus
silent "a vehicle" "$GTRAIN" check photos.yaml
rm -r photos/robin
exits 0 "one folder of folders" "$GTRAIN" check photos.yaml --set 'model=[flatten, {linear: 1}]'
says "is said" "the only folder of photos, 'train', is read as the one class, and holds folders: bus, dog"
says "with the way out" "data: {train: photos/train}"
check "… once" test "$(grep -c warning <<< "$out")" = 1

# --- layers and their input ---
cat > far.yaml <<'YAML'
data: {formula: "x0 + x1", range: [5, 9], samples: 40, test_samples: 10}
model: [{kan: {units: 2}}, {kan: {units: 1}}]
YAML
finds outside_grid far.yaml:2:10 "defines its functions from -1 to 1: 100 % of the training samples lie outside in column 'x0'" "$GTRAIN" check far.yaml
finds outside_grid "--set:1" "applies tanh to its input" "$GTRAIN" check far.yaml --set 'model=[{kan: {units: 1, basis: chebyshev}}]'
finds outside_grid "--set:1:59" "of phase 2 defines its functions from -1 to 1" "$GTRAIN" check far.yaml --set 'model=[{kan: {units: 1, range: [5, 9]}}]' --set 'train.phases=[{epochs: 1}, {epochs: 1, model.0.kan.range: [-1, 1]}]'
finds no_effect "--set:1:52" "has an edge_size and no penalty that uses it" "$GTRAIN" check far.yaml --set 'model=[{kan: {units: 1, basis: fourier, edge_size: coefficient}}]'
recurrent() { echo "model=[{reshape: [2, 1]}, {rnn: {hidden_size: 2, return: last, $1}}, {linear: 1}]"; }
finds no_effect "--set:1:73" "layer 'rnn1' drops outputs of every layer but the last, and has only one" "$GTRAIN" check far.yaml --set "$(recurrent 'dropout: 0.5')"
silent "dropout between two layers" "$GTRAIN" check far.yaml --set "$(recurrent 'dropout: 0.5, num_layers: 2')" --set data.range='[0, 1]'
# Language models that see the token to predict, and keys for other kinds of texts.
printf 'a b c d e f g h i j k l m n o p\n%.0s' {1..9} > letters.txt
cat > letters.yaml <<'YAML'
data: {train: letters.txt, text: {vocabulary: byte, window: 8}}
model: [{embedding: {embedding_dim: 2}}, {gru: 2}, {linear: 256}]
YAML
silent "a language model in one direction" "$GTRAIN" check letters.yaml
finds looks_ahead "--set:1:79" "layer 'gru1' sees later places of the text" "$GTRAIN" check letters.yaml --set 'model=[{embedding: {embedding_dim: 2}}, {gru: {hidden_size: 2, bidirectional: true}}, {linear: 256}]'
finds looks_ahead "--set:1:93" "layer 'conv1d1' sees later places" "$GTRAIN" check letters.yaml --set 'model=[{embedding: {embedding_dim: 2}}, {conv1d: {out_channels: 2, kernel_size: 3, padding: same}}, {linear: 256}]'
says "… and how it does not" "pad: {before: [2, 0], after: [0, 0]}"
finds no_effect "--set:1" "'length' has no effect: it is for texts with labels" "$GTRAIN" check letters.yaml --set data.text.length=8
finds no_effect "--set:1" "'lower' has no effect: it is for vocabulary: word" "$GTRAIN" check letters.yaml --set data.text.lower=true
printf '%s\t%s\n' a good b bad a fine b worse > labels.txt
cat > labels.yaml <<'YAML'
data: {train: labels.txt, text: {labels: true, vocabulary: byte, length: 8}}
model: [{embedding: {embedding_dim: 2}}, {gru: {hidden_size: 2, return: last, bidirectional: true}}, {linear: 2}]
YAML
silent "a text with a label, in both directions" "$GTRAIN" check labels.yaml
finds short_series "--set:1:42" "layer 'conv1d1' leaves nothing of 3 of 4 training samples, which are shorter than 5 tokens" "$GTRAIN" check labels.yaml --set 'model=[{embedding: {embedding_dim: 2}}, {conv1d: {out_channels: 2, kernel_size: 5}}, {gru: {hidden_size: 2, return: last}}, {linear: 2}]'
finds short_series "--set:1:87" "layer 'conv1d2' leaves nothing of 3 of 4" "$GTRAIN" check labels.yaml --set 'model=[{embedding: {embedding_dim: 2}}, {conv1d: {out_channels: 2, kernel_size: 3}}, {conv1d: {out_channels: 2, kernel_size: 3}}, {gru: {hidden_size: 2, return: last}}, {linear: 2}]'
silent "texts that padding keeps" "$GTRAIN" check labels.yaml --set 'model=[{embedding: {embedding_dim: 2}}, {conv1d: {out_channels: 2, kernel_size: 5, padding: same}}, {gru: {hidden_size: 2, return: last}}, {linear: 2}]'
finds no_effect "--set:1" "'window' has no effect: it is for language models" "$GTRAIN" check labels.yaml --set data.text.window=8
# A series whose time column is not named in the config.
(echo date,y; for i in {01..28}; do echo "2024-02-$i,$i"; done) > days.csv
cat > days.yaml <<'YAML'
data: {train: days.csv, series: {window: 4, time: date}, target: y}
model: [flatten, {linear: 1}]
YAML
silent "a series with its time" "$GTRAIN" check days.yaml
finds unnamed_time "--set:1:13" "though column 'date' holds dates" "$GTRAIN" check days.yaml --set data.series=4
silent "… whose dates are left out" "$GTRAIN" check days.yaml --set data.series=4 --set data.inputs=y
silent "an edge_size that l1 uses" "$GTRAIN" check far.yaml --set 'model=[{kan: {units: 1, basis: fourier, edge_size: coefficient, l1: 0.1}}]'
finds outside_grid far.yaml:2:10 "% of the training samples lie outside" "$GTRAIN" check far.yaml --set data.normalize=standard
says "the way out holds them" "help: a \`range\` that contains the data, or \`grid_update: {}\`"
silent "scaled inputs" "$GTRAIN" check far.yaml --set data.normalize=standard --set 'model=[{kan: {units: 2, range: [-2, 2]}}, {kan: {units: 1}}]'
silent "few outside" "$GTRAIN" check far.yaml --set 'model=[{kan: {units: 1, range: [5.2, 9]}}]'
# A constant column is not reported and hides no other column; test samples outside the grid are reported, too.
awk 'BEGIN { print "a,k,y"; for (i = 0; i < 40; i++) print (i % 20) / 20 "," 7 "," i }' > even.csv
awk 'BEGIN { print "a,k,y"; for (i = 0; i < 40; i++) print (i % 20) / 16 "," 7 "," i }' > wider.csv
printf 'data:\n  train: even.csv\n  task: regression\nmodel: [{kan: {units: 1}}]\n' > even.yaml
silent "a column that never changes, outside the grid" "$GTRAIN" check even.yaml
finds outside_grid even.yaml:4:10 "15 % of the training samples lie outside in column 'a'" "$GTRAIN" check even.yaml --set data.train=wider.csv
finds outside_grid even.yaml:4:10 "15 % of the test samples lie outside in column 'a'" "$GTRAIN" check even.yaml --set data.test=wider.csv --set quiet=outside_training
silent "a test file in the grid" "$GTRAIN" check even.yaml --set data.test=even.csv --set 'quiet=[repeated_samples]'
silent "a range that holds them" "$GTRAIN" check far.yaml --set 'model=[{kan: {units: 1, range: [5, 9]}}]'
silent "a grid that follows" "$GTRAIN" check far.yaml --set 'model=[{kan: {units: 1, grid_update: {every: 5}}}]'
silent "waves" "$GTRAIN" check far.yaml --set 'model=[{kan: {units: 1, basis: fourier}}]'
finds not_bits "--set:1" "reads numbers other than 0 and 1 from 'input'" "$GTRAIN" check far.yaml --set 'model=[{logic: 8}, {logic: 8}, {group_sum: 1}]'
finds not_bits "--set:1" "from 'linear1'" "$GTRAIN" check far.yaml --set 'model=[{threshold: [7]}, {linear: 8}, {logic: 8}, {group_sum: 1}]'
silent "bits" "$GTRAIN" check far.yaml --set 'model=[{threshold: [6, 7]}, {logic: 8}, {logic: 8}, {group_sum: 1}]'
# A finding that the model's config silences is also silenced in commands that read the model.
for quiet in '[]' '[not_bits]'; do
  exits 0 "gates on numbers, quiet: $quiet" "$GTRAIN" train far.yaml --set 'model=[{logic: 8}, {group_sum: 1}]' --set train.epochs=1 \
    --set "quiet=$quiet" --quiet --run-dir "gates$quiet"
  exits 0 "their export" "$GTRAIN" export "gates$quiet/model.bin" --format c
  check "… says it unless it is silenced" test "$(grep -c '\[not_bits\]' <<< "$out")" = "$([[ $quiet == '[]' ]] && echo 1 || echo 0)"
done
printf 'data: {train: {inputs: %s, targets: y.npy}}\nmodel: [{conv2d: {out_channels: 2, kernel_size: 1}}, flatten, {linear: 1}]\nquiet: [constant_target]\n' x.npy > chw.yaml
# zeros FILE SHAPE COUNT: an NPY file, a float32 array of COUNT zeros.
zeros() {
  local header="{'descr': '<f4', 'fortran_order': False, 'shape': ($2), }" count=$3
  printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$header" > "$1"
  head -c $((4 * count)) /dev/zero >> "$1"
}
zeros x.npy '2, 3, 8, 8' 384
zeros y.npy '2, 1' 2
finds channels_first chw.yaml:2:10 "reads the data's [3, 8, 8] as 3 rows, 8 columns and 8 channels" "$GTRAIN" check chw.yaml
printf 'data: {train: {inputs: x.npy, targets: y.npy}}\naugment: [random_horizontal_flip]\nmodel: [{permute: [2, 3, 1]}, flatten, {linear: 1}]\n' > flipped.yaml
finds channels_first flipped.yaml:2:10 "samples of shape [3, 8, 8] are augmented as images of 3 rows, 8 columns and 8 channels" "$GTRAIN" check flipped.yaml
silent "moved" "$GTRAIN" check chw.yaml --set 'model=[{permute: [2, 3, 1]}, {conv2d: {out_channels: 2, kernel_size: 1}}, flatten, {linear: 1}]'
zeros x.npy '2, 8, 8, 3' 384
silent "channels last" "$GTRAIN" check chw.yaml

# --- samples outside the range of the training data ---
cat > near.yaml <<'YAML'
data: {formula: "x0 + x1", range: [0, 200], samples: 40, test_samples: 10}
model: [{linear: 1}]
train: {epochs: 1}
YAML
exits 0 "a training" "$GTRAIN" train near.yaml --run-dir near
printf '50,60\n100,199\n' > same.csv
printf '50,260\n100,299\n' > shifted.csv
printf '0.5,0.2\n0.1,0.9\n' > small.csv
printf '90,60\n-4,201\n104,190\n' > edge.csv
exits 0 "samples as in the training" "$GTRAIN" predict near/model.bin same.csv --strict
exits 0 "some a little beyond" "$GTRAIN" predict near/model.bin edge.csv --strict
exits 65 "a column elsewhere" "$GTRAIN" predict near/model.bin shifted.csv --strict
exits 0 "silenced in predict" "$GTRAIN" predict near/model.bin shifted.csv --strict --set 'quiet=[outside_training]'
exits 78 "another name" "$GTRAIN" predict near/model.bin shifted.csv --set quiet=outside_trainig
says "… is refused" "did you mean 'outside_training'?"
exits 65 "a column elsewhere" "$GTRAIN" predict near/model.bin shifted.csv --strict
says "… is named" "shifted.csv: warning: 2 of 2 samples lie outside the range of the training data: column 2 is 260 to 299, trained on"
{ for i in $(seq 99); do echo "50,$i"; done && echo 1e6,60; } > one.csv
exits 65 "one of a hundred, in another unit" "$GTRAIN" predict near/model.bin one.csv --strict
says "… is counted" "1 of 100 samples lies outside"
exits 65 "… as JSON" "$GTRAIN" predict near/model.bin one.csv --strict --json
check "… is a line of JSON" test "$(grep -c '^{"finding":{"name":"outside_training","text":"1 of 100 samples lies outside the range of the training data: column 1 is ' <<< "$out")" = 1
check "… and no other" test "$(grep -c 'warning: ' <<< "$out")" = 0
mkdir folder
exits 65 "a folder for a model of numbers" "$GTRAIN" predict near/model.bin folder
says "… says what it takes" "folder is a folder: this model takes numbers from a .csv, .npy or idx file"
printf 'a,k,y\n%s' "$(for i in $(seq 50); do echo "$i,7,$((2 * i))"; done)" > constant.csv
printf 'data: {train: constant.csv, target: y, task: regression}\nmodel: [{linear: 1}]\ntrain: {epochs: 1}\n' > constant.yaml
exits 0 "a column that never changes" "$GTRAIN" train constant.yaml --run-dir constant
printf 'a,k\n1,7\n2,8\n' > other.csv
exits 65 "… and does" "$GTRAIN" predict constant/model.bin other.csv --strict
says "… is told" "1 of 2 samples lies outside the range of the training data: 'k' is 7 to 8, trained on 7"
printf 'a,k\n2,8\n' > other.csv
exits 65 "… in one sample" "$GTRAIN" predict constant/model.bin - --strict < other.csv
says "… is told" "<stdin>: warning: the sample lies outside the range of the training data: 'k' is 8, trained on 7"
sed '1!s/^/9/' constant.csv > test.csv
finds outside_training "--set:1:11" "samples lie outside the range of the training data: 'a' is 91 to 950" "$GTRAIN" check constant.yaml --set data.test=test.csv
finds repeated_samples "--set:1:11" "50 of the 50 test samples are also in the training split" "$GTRAIN" check constant.yaml --set data.test=constant.csv
sed '1!s/^\([0-9]*\)/\1.25/; $d' constant.csv > like.csv
silent "a test file like the training file" "$GTRAIN" check constant.yaml --set data.test=like.csv
printf 'a,y,who\n1,x,i\n2,x,i\n3,x,i\n4,x,k\n5,x,l\n6,z,l\n' > rows.csv
printf 'data: {train: rows.csv, target: y, test_fraction: 0.4, split: {group: who}}\nmodel: [{linear: 2}]\n' > rows.yaml
finds large_group rows.yaml:1:71 "the group 'i' has 3 samples, and the test split should have 2" "$GTRAIN" check rows.yaml --set quiet=missing_class
finds rare_class "--set:1:12" "class 'z' has a single sample" "$GTRAIN" check rows.yaml --set data.split=stratified --set data.ignore=who
exits 65 "a run directory as samples" "$GTRAIN" predict near constant
says "… is reported" "constant is a run directory; expected a file of samples (csv, npy, idx) or a folder of pictures"
exits 65 "another unit" "$GTRAIN" predict near/model.bin small.csv --strict
says "… is reported" "all values are far smaller than in the training data"
exits 0 "without --strict" "$GTRAIN" predict near/model.bin small.csv
says "it is said" "[outside_training]"
exits 0 "an evaluation" "$GTRAIN" eval near/model.bin --set 'data.range=[300, 400]' --json
says "says so, too" '"findings":[{"name":"outside_training"'
exits 0 "silenced" "$GTRAIN" eval near/model.bin --set 'data.range=[300, 400]' --set quiet=outside_training --strict

# --- `gtrain schema` explains each finding ---
"$GTRAIN" schema warnings | sed -n 's/^  \([a-z_]*\)  .*/\1/p' > names
check "there are names" test "$(wc -l < names)" -ge 21
missing=$(while read -r name; do "$GTRAIN" schema "$name" | grep -q "^Appears " || echo "$name"; done < names)
check "when each appears, and what to do" test -z "$missing"

# --- machine-readable output ---
json() { python3 -c "import json, sys; d = json.load(sys.stdin); $1" < stdout; }
"$GTRAIN" check constant.yaml --set data.test=test.csv --strict --json > stdout 2> /dev/null
check "--strict --json: the findings" json 'assert d["errors"] == [] and d["findings"][0]["name"] == "outside_training" and d["findings"][0]["column"] == 11'
"$GTRAIN" check constant.yaml --set data.target=z --json > stdout 2> /dev/null
check "--json: the errors" json 'e = d["errors"][0]; assert "no column" in e["text"] and e["line"] == 1 and e["file"] == "--set" and "expected" in e'
"$GTRAIN" check constant.yaml --set data.train=train.txt --json > stdout 2> /dev/null
check "… with what was probably meant" json 'assert d["errors"][0]["suggestion"]'
"$GTRAIN" train constant.yaml --set data.test=test.csv --strict --json > stdout 2> /dev/null
check "a training" json 'assert d["findings"]'
"$GTRAIN" eval constant --data test.csv --strict --json > stdout 2> /dev/null
check "an evaluation" json 'assert d["findings"]'
mv constant.csv gone.csv
exits 65 "training data that has moved" "$GTRAIN" eval constant
says "… is to be named" "help: --set data.train=FILE, if it has moved"
exits 0 "… where it is" "$GTRAIN" eval constant --set data.train=gone.csv
exits 0 "… is not needed for other test data" "$GTRAIN" eval constant --data test.csv

# --- two files at one path ---
mkdir -p project/data elsewhere/data
printf 'a,y\n1,2\n2,4\n' | tee project/data/t.csv > elsewhere/data/t.csv
printf 'data: {train: data/t.csv, task: regression}\nmodel: [{linear: 1}]\ntrain: {epochs: 1}\n' > project/c.yaml
cd elsewhere || exit 1
silent "the same file twice" "$GTRAIN" check ../project/c.yaml
echo '3,6' >> data/t.csv
finds ambiguous_path ../project/c.yaml:1:15 "'data/t.csv' leads to different files: $PWD/data/t.csv is read, not ${PWD%/*}/project/data/t.csv" "$GTRAIN" check ../project/c.yaml
silent "a file of --set" "$GTRAIN" check ../project/c.yaml --set data.train=data/t.csv
exits 0 "a run next to its config" "$GTRAIN" train ../project/c.yaml --set data.train=../project/data/t.csv --run-dir ../project/run
rm -r data
printf 'init_from: run\n' >> ../project/c.yaml
exits 0 "init_from next to the config" "$GTRAIN" train ../project/c.yaml --run-dir from --strict
check "… is recorded with its whole path" grep -q "model: ${PWD%/*}/project/run" from/config.yaml
cp -r ../project/run run
silent "init_from twice, the same" "$GTRAIN" check ../project/c.yaml
exits 0 "another model" "$GTRAIN" train ../project/c.yaml --set train.epochs=2 --run-dir other
cp other/model.bin run/model.bin
finds ambiguous_path ../project/c.yaml:4:12 "'run' leads to different files" "$GTRAIN" check ../project/c.yaml
cd ..
# A copy of a project: the run in it was trained in the original.
cd project || exit 1
sed -i '/init_from/d' c.yaml
exits 0 "a run" "$GTRAIN" train c.yaml --run-dir own
cd ..
cp -r project copy
cd copy || exit 1
exits 0 "the same data" "$GTRAIN" eval own --set data.test_fraction=0.5
check "… says nothing of files" test "$(grep -c "ambiguous_path\|other_samples" <<< "$out")" = 0
echo '3,6' >> data/t.csv
exits 0 "other data than the original's" "$GTRAIN" eval own --set data.test_fraction=0.5
says "… are not read, which is said" "${PWD%/*}/project/data/t.csv is read, not $PWD/data/t.csv"
cd ..

# --- numbers for a loss of scaled targets ---
awk 'BEGIN { print "a,b,y"; for (i = 0; i < 60; i++) print i % 13 "," i % 7 "," 2000 + 31 * (i % 13) - 5 * (i % 7) }' > far.csv
printf 'data: {train: far.csv, target: y, task: regression, test_fraction: 0.2}\nmodel: [{linear: 1}]\ntrain: {epochs: 2, early_stopping: {goal: 10}}\nquiet: [repeated_samples, watches_test]\n' > far.yaml
finds scaled_loss "far.yaml:3:43" "early_stopping.goal is a number for the loss, which compares scaled targets" "$GTRAIN" check far.yaml
silent "in the units of the data" "$GTRAIN" check far.yaml --set train.early_stopping.metric=rmse
silent "of targets as they are" "$GTRAIN" check far.yaml --set data.normalize_targets=none --set 'quiet=[far_from_unit_scale, repeated_samples, watches_test]'
exits 78 "of targets whose scaling another error leaves open" "$GTRAIN" check far.yaml --set 'metrics=[f1]'
check "… says nothing of their scale" test "$(grep -c "far_from_unit_scale\|scaled_loss" <<< "$out")" = 0
exits 0 "a gate on the loss" "$GTRAIN" train far.yaml --set train.early_stopping=~ --fail-if 'loss>1e9' --run-dir far --quiet
says "… is in the units of the loss" "--fail-if: warning: 'loss' is a number for the loss, which compares scaled targets"
exits 78 "… with --strict" "$GTRAIN" train far.yaml --set train.early_stopping=~ --fail-if 'loss>1e9' --quiet --run-dir far2 --strict
exits 0 "… of rmse" "$GTRAIN" train far.yaml --set train.early_stopping=~ --fail-if 'rmse>1e9' --quiet --run-dir far3 --strict
exits 0 "… of eval" "$GTRAIN" eval far --fail-if 'loss>1e9'
says "… too" "--fail-if: warning: 'loss' is a number for the loss"
for key in normalize normalize_targets; do
  exits 0 "a scaling that a model has already" "$GTRAIN" eval far --set data.$key=none
  says "… stays" "data.$key has no effect: a trained model keeps the scaling that it was trained with [no_effect]"
done

# --- tables: inputs that are not scaled, and categories that are not in the training rows ---
awk 'BEGIN { srand(4); print "a,city,fold,y"
  for (i = 0; i < 60; i++) print 100 * rand() "," (i < 50 ? (i % 3 ? "Rome" : "Oslo") : "Bern") "," (i < 50 ? "train" : "test") "," 2000 + i }' > city.csv
printf 'data: {train: city.csv, target: y, split: {column: fold}}\nmodel: [{linear: 1}]\ntrain: {epochs: 1}\n' > city.yaml
finds unseen_category "city.yaml:1:15" "test samples: 10 cells of column 'city' hold a category that is not one of the 2 learned from the training rows ('Bern', …); they are read as the most frequent one, 'Rome'" "$GTRAIN" check city.yaml
finds far_from_unit_scale "--set:1:16" "input column 'a' reaches 9" "$GTRAIN" check city.yaml --set quiet=unseen_category --set data.normalize=none
finds far_from_unit_scale "--set:1:24" "target 'y' has mean 202" "$GTRAIN" check city.yaml --set quiet=unseen_category --set data.normalize_targets=none
silent "a table that is scaled" "$GTRAIN" check city.yaml --set quiet=unseen_category
silent "a model that ends in the targets' units" "$GTRAIN" check city.yaml --set quiet=unseen_category --set data.normalize_targets=none --set 'model=[{linear: 1}, {expression: "2000 + 20*x"}]'
awk 'BEGIN { print "dose,y"; for (i = 0; i < 40; i++) print 5 * (1 + i % 4) " mg," i % 7 }' > dose.csv
printf 'data: {train: dose.csv, target: y, task: regression, test_fraction: 0.2}\nmodel: [{linear: 1}]\ntrain: {epochs: 1}\nquiet: [repeated_samples]\n' > dose.yaml
finds numbers_as_text "dose.yaml:1:15" "'dose' holds numbers with the unit 'mg' ('5 mg'), read as text with 4 categories" "$GTRAIN" check dose.yaml
awk 'BEGIN { print "dose,y\nnone,1"; for (i = 0; i < 60; i++) print 1 + i % 25 "%," i % 7 }' > share.csv
finds numbers_as_text "--set:1:12" "'dose' holds percentages ('1%'), read as text with 26 categories" "$GTRAIN" check dose.yaml --set data.train=share.csv
silent "categories that the config names" "$GTRAIN" check dose.yaml --set 'data.columns={dose: category}'
awk 'BEGIN { print "a,b,y,z"; for (i = 0; i < 40; i++) print (i % 10 ? 5 + i : -999) "," (i % 2 ? -9 : 3) "," i / 7 "," i % 3 "." i ",45" }' | sed 's/,\([0-9.]*\),45$/,"\1,45"/' > gaps.csv
printf 'data: {train: gaps.csv, target: y, ignore: z, test_fraction: 0.2}\nmodel: [{linear: 1}]\ntrain: {epochs: 1}\n' > gaps.yaml
finds sentinel_values gaps.yaml:1:15 "4 of 40 cells of column 'a' are -999, and all others lie from 6 to 44" "$GTRAIN" check gaps.yaml --set quiet=repeated_samples
silent "a number that is named" "$GTRAIN" check gaps.yaml --set 'data.missing_values=[-999]'
finds many_classes gaps.yaml:1:15 "the text target 'z' has 40 distinct values in 40 rows, and each is read as a class ('0.0,45', …)" "$GTRAIN" check gaps.yaml \
  --set data.target=z --set data.ignore=y --set 'data.missing_values=[-999]' --set model.0.linear=40 --set quiet=missing_class

# --- values in other units than a setting expects ---
# bytes FILE SHAPE VALUE…: an NPY file of bytes.
bytes() {
  local file=$1 shape=$2 value
  printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': ($shape), }" > "$file"
  for value in "${@:3}"; do printf %b "\\x$(printf %x "$value")"; done >> "$file"
}
# shellcheck disable=SC2046 # one argument for each value
bytes light.npy '12, 2, 2, 3' $(for i in $(seq 144); do echo $((i * 37 % 240 + 10)); done)
bytes kind.npy '12,' 0 1 0 1 0 1 0 1 0 1 0 1
printf 'data: {train: {inputs: light.npy, targets: kind.npy}, task: classification, test_fraction: 0.25}\nmodel: [flatten, {linear: 2}]\ntrain: {epochs: 1}\n' > light.yaml
imagenet='mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]' caffe='mean: [123.675, 116.28, 103.53], std: [58.395, 57.12, 57.375]'
finds far_from_unit_scale "--set:1:16" "channel 1 goes from -2.1" "$GTRAIN" check light.yaml --set "data.normalize={$caffe}"
says "the way out for bytes" "give mean and std between 0 and 1, or add scale: 1"
finds far_from_unit_scale "--set:1:16" "after this normalization" "$GTRAIN" check light.yaml --set "data.normalize={$imagenet, scale: 1}"
finds far_from_unit_scale "--set:1:16" "values go from 0.000" "$GTRAIN" check light.yaml --set 'data.normalize={std: 255, mean: 0}'
finds far_from_unit_scale "--set:1:16" "values go from -" "$GTRAIN" check light.yaml --set 'data.normalize={mean: 0.5, std: 0.001}'
exits 0 "a deviation between 0 and 1 that is too small" "$GTRAIN" check light.yaml --set 'data.normalize={mean: 0.5, std: 0.001}'
says "… is measured" "data: {normalize: standard} measures mean and deviation"
check "… and the unit is right" test "$(grep -c "between 0 and 1" <<< "$out")" = 0
for normalize in "{$imagenet}" "{$caffe, scale: 1}" '{mean: 0.5, std: 0.5}' '{scale: 0.004}' channel standard none; do
  silent "normalize: $normalize" "$GTRAIN" check light.yaml --set "data.normalize=$normalize"
done
finds far_from_unit_scale "--set:1:16" "values go from 11 to 242 after" "$GTRAIN" check light.yaml --set 'data.normalize={scale: 1}'
says "the way out for a factor on bytes" "without 'scale', bytes are divided by 255"
finds far_from_unit_scale "--set:1:16" "after this normalization" "$GTRAIN" check light.yaml --set 'data.normalize={scale: 255}'
silent "values as gates need them" "$GTRAIN" check light.yaml --set 'data.normalize={scale: 1}' --set 'model=[flatten, {threshold: [64, 128]}, {logic: 24}, {group_sum: 2}]'
printf 'data: {train: far.csv, target: y, task: regression, test_fraction: 0.2}\nmodel: [{linear: 1}]\nquiet: repeated_samples\n' > given.yaml
finds far_from_unit_scale "--set:1:16" "after this normalization" "$GTRAIN" check given.yaml --set 'data.normalize={scale: 255}'
says "what a factor does" "'scale' multiplies"
finds far_from_unit_scale "--set:1:16" "column 'b' goes from 100 to 103 after this normalization" "$GTRAIN" check given.yaml --set 'data.normalize={mean: [6, -200], std: [4, 2]}'
awk 'BEGIN { print "a,b,y"; for (i = 0; i < 60; i++) print i % 13 "," (i == 7 ? 0.05 : 0) "," i }' > rare.csv
silent "a column of few values that one number scales with all others" "$GTRAIN" check given.yaml --set data.train=rare.csv --set 'data.normalize={mean: 6, std: 4}'
silent "numbers that suit the columns" "$GTRAIN" check given.yaml --set 'data.normalize={mean: [6, 3], std: [4, 2]}'
exits 0 "a run on such values" "$GTRAIN" train light.yaml --device "$DEVICE" --run-dir dark --set "data.normalize={$caffe}" --set optimizer.lr=1e-9
says "… has the reason" "; channel 1 goes from -2.1"
# Levels of a threshold in other units than its input.
bits='model=[flatten, {threshold: %s}, {logic: 24}, {group_sum: 2}]'
# shellcheck disable=SC2059
finds no_effect "--set:1:29" "with the levels 64, 128, 192: its bits never change" "$GTRAIN" check light.yaml --set "$(printf "$bits" '[64, 128, 192]')"
says "the way out for levels" "values are compared after data.normalize"
# Levels with no value between them.
# shellcheck disable=SC2059
finds no_effect "--set:1:29" "no value of the training samples lies, so that their bits are always equal: 0.5 and 0.5005" "$GTRAIN" check light.yaml --set "$(printf "$bits" '[0.5, 0.25, 0.5005]')"
# shellcheck disable=SC2059
finds no_effect "--set:1:29" "with the level -0.5: this level's bits never change" "$GTRAIN" check light.yaml --set "$(printf "$bits" '[-0.5, 0.5]')"
# shellcheck disable=SC2059
silent "levels between the values" "$GTRAIN" check light.yaml --set "$(printf "$bits" '[0.25, 0.5, 0.75]')"
# shellcheck disable=SC2059
exits 0 "levels for values that augmentation changes" "$GTRAIN" check light.yaml --set "$(printf "$bits" '[2]')" --set 'augment=[{color_jitter: {brightness: 5}}]'
check "… are not judged" test "$(grep -c no_effect <<< "$out")" = 0

# --- targets without any content ---
# A PNG of one grey pixel value: the header, a stored block and their checksums.
python3 - << 'PY'
import struct, zlib
def png(name, rows):
    part = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    raw = b"".join(b"\0" + bytes(row) for row in rows)
    open(name, "wb").write(b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">2I5B", len(rows[0]), len(rows), 8, 0, 0, 0, 0))
                           + part(b"IDAT", zlib.compress(raw)) + part(b"IEND", b""))
png("black.png", [[0] * 6] * 6)
png("white.png", [[255] * 6] * 6)
png("dot.png", [[0] * 6] * 5 + [[0] * 5 + [255]])
PY
cat > board.yaml << 'YAML'
data: {format: ca, image: black.png, channels: 16, start: zeros}
model: [bernoulli, {logic_ca: {steps: 2, kernels: 4, sampling: 0.2, perception: [8, 4, 2], update: [128, 64, 32, 16], outputs: 1}}]
loss: sum_squared
train: {steps: 4, batch_size: 1, eval_every: 4}
YAML
finds constant_target board.yaml:1:27 "all cells of the target board are 0" "$GTRAIN" check board.yaml
finds constant_target "--set:1" "all cells of the target board are 1" "$GTRAIN" check board.yaml --set data.image=white.png
silent "a single cell" "$GTRAIN" check board.yaml --set data.image=dot.png
finish
