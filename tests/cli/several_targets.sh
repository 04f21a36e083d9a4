#!/usr/bin/env bash
# Several named targets, each with its own loss: from columns, files and tables, in training and in all commands on the
# model.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

exits 0 "two steps of SGD are those computed by hand" python3 tests/cli/several_targets.py "$GTRAIN" "$TEST_TMP" "$DEVICE"
printf '%s\n' "$out"

awk 'BEGIN {
  srand(5)
  print "a,b,load,x,y,kind"
  for (i = 0; i < 96; i++) {
    a = 2 * rand() - 1; b = 2 * rand() - 1
    printf "%.5f,%.5f,%.3f,%.5f,%.5f,%s\n", a, b, 500 + 90 * a * b, a + b, a - b, (a > b ? "yes" : "no")
  }
}' > "$TEST_TMP/t.csv"
cat > "$TEST_TMP/run.yaml" << YAML
data: {train: $TEST_TMP/t.csv, targets: {load: load, place: [x, y], kind: kind}, validation: 0.25}
model:
  - linear: {units: 8, name: trunk}
  - tanh: {name: body}
  - linear: {units: 1, name: load, from: body}
  - linear: {units: 2, name: place, from: body}
  - linear: {units: 2, name: kind, from: body}
loss: {place: mae, kind: {type: cross_entropy, weight: 0.5}}
metrics: [mae, f1]
train: {epochs: 4, batch_size: 8, checkpoint: {every: 1, keep_last: 4}, early_stopping: {metric: accuracy, patience: 9}}
YAML
train() { "$GTRAIN" train "$TEST_TMP/run.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$1" "${@:2}"; }
evaluates() { "$GTRAIN" eval "$TEST_TMP/run" --device "$DEVICE" "$@"; }

# --- a run ----------------------------------------------------------------------------------------------------------
exits 0 "trains" train run
says "the task of each target is told" "task of 'kind': binary classification: 'no'"
says "the watched metric is that of the one target that has it" "best validation kind.accuracy so far"
check "metrics.jsonl has a result for each" grep -q '"split":"validation","loss":.*"load.loss":.*"place.loss":.*"kind.accuracy":.*"load.mae":.*"place.mae.x":.*"kind.f1":' "$TEST_TMP/run/metrics.jsonl"
exits 0 "the resolved config is one" "$GTRAIN" check "$TEST_TMP/run/config.yaml" --quiet
exits 0 "… that resolves to itself" "$GTRAIN" train "$TEST_TMP/run/config.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/same" --quiet
check "… and trains the same" cmp "$TEST_TMP/run/model.bin" "$TEST_TMP/same/model.bin"
cp -r "$TEST_TMP/run" "$TEST_TMP/again"
rm "$TEST_TMP/again/model.bin" "$TEST_TMP"/again/checkpoints/step-*{27,36}.safetensors
exits 0 "a run is resumed" train again --resume --quiet
for file in model.bin metrics.jsonl; do check "… to the same $file" cmp "$TEST_TMP/run/$file" "$TEST_TMP/again/$file"; done
least=$(train refused --memory-limit 1K 2>&1 | sed -n 's/.*but at least \([0-9.]*\) KiB.*/\1/p')
exits 0 "streamed samples" train streamed --memory-limit "$(awk -v least="$least" 'BEGIN { print int(1024 * least) + 800 }')"
says "… are some" ") streams through"
for file in model.bin metrics.jsonl; do check "… train the same $file" cmp "$TEST_TMP/run/$file" "$TEST_TMP/streamed/$file"; done

# --- its model ------------------------------------------------------------------------------------------------------
exits 0 "evaluates" evaluates --per-class --split validation --fail-if 'kind.accuracy<0.1' --fail-if 'accuracy<0.1' --fail-if 'load.mae>1000'
says "baselines stand beside the results" "kind.accuracy 0."
says "… of classes" " (baseline, always '"
says "… and of numbers" "(baseline, always the mean: "
says "classes have a table" "class  "
exits 1 "a gate on a target fails" evaluates --fail-if 'kind.accuracy<2.0e0%' --fail-if 'load.mae<1000'
exits 2 "a gate without a target" evaluates --fail-if 'mae<1'
says "… names the results" "expected one of load.mae, place.mae"
exits 2 "a gate on no target" evaluates --fail-if 'lod.mae<1'
says "… names the targets" "names no target; there are load, place, kind"
exits 0 "evaluates as JSON" evaluates --json
says "… with baselines" '"baselines":{"load":{"guess":"always the mean","metric":"load.'
says "… and classes" '"classes_of":{"kind":{"macro":'
head -n 3 "$TEST_TMP/t.csv" > "$TEST_TMP/two.csv"
exits 0 "predicts" "$GTRAIN" predict "$TEST_TMP/run" "$TEST_TMP/two.csv" --device "$DEVICE" --output "$TEST_TMP/p.csv"
check "… columns of all targets" test "$(head -n 1 "$TEST_TMP/p.csv")" = "kind,load,x,y,kind=no,kind=yes"
check "… in units of the data" awk -F, 'NR == 2 { exit !($2 > 300 && $2 < 700) }' "$TEST_TMP/p.csv"
exits 0 "predicts lines" "$GTRAIN" predict "$TEST_TMP/run" "$TEST_TMP/two.csv" --device "$DEVICE"
says "… with the names of the targets" "  kind "
exits 0 "predicts JSON" "$GTRAIN" predict "$TEST_TMP/run" "$TEST_TMP/two.csv" --device "$DEVICE" --json
says "… with an object for each" '"kind":{"class":'
exits 2 "one array for several targets" "$GTRAIN" predict "$TEST_TMP/run" "$TEST_TMP/two.csv" --device "$DEVICE" --output "$TEST_TMP/p.npy"
says "… is refused" "the model predicts 3 targets; write a .csv"
exits 0 "explains columns by the objective" "$GTRAIN" explain "$TEST_TMP/run" --device "$DEVICE" --json
says "… of the data" '"column":"a","loss":'
exits 65 "a circuit" "$GTRAIN" export "$TEST_TMP/run" --format c
says "… needs a single target" "only models with a single target can be exported"
exits 0 "the table of check" "$GTRAIN" check "$TEST_TMP/run.yaml"
says "… shows each loss" "loss load mse, place mae, kind cross_entropy x 0.5"
says "… and each task" "task            kind: binary classification"

# --- booleans, gaps and missing labels ------------------------------------------------------------------------------
awk -F, 'NR == 1 { print "a,b,load,rain,hot,wet" } NR > 1 {
  print $1 "," $2 "," $3 "," (NR == 9 ? "unknown" : $1 > 0.3 ? "yes" : "no") "," ($2 > 0 ? "Yes" : "No") "," ($1 > $2 ? "TRUE" : "FALSE")
}' "$TEST_TMP/t.csv" > "$TEST_TMP/labels.csv"
cat > "$TEST_TMP/labels.yaml" << YAML
data: {train: $TEST_TMP/labels.csv, targets: {load: load, rain: rain, tags: [hot, wet]}, missing_values: [unknown]}
model: [{linear: {units: 1, name: load}}, {linear: {units: 1, name: rain, from: input}}, {linear: {units: 2, name: tags, from: input}}]
loss: {rain: bce, tags: bce}
train: {epochs: 20, batch_size: 8}
YAML
labels() { "$GTRAIN" train "$TEST_TMP/labels.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/labels" "$@"; }
exits 65 "a missing label of one target" labels
says "… is an error at its place" "labels.csv:9:"
exits 0 "… or left out" labels --set 'data.columns={rain: {missing: drop}}'
{ sed -n 1,4p "$TEST_TMP/labels.csv" | cut -d, -f1,2; echo ,0.5; } > "$TEST_TMP/gap.csv"
exits 0 "predicts booleans, and fills a gap" "$GTRAIN" predict "$TEST_TMP/labels" "$TEST_TMP/gap.csv" --device "$DEVICE" -o "$TEST_TMP/words.csv"
says "… which is said" "'a' in 1 of 4 rows with"
check "… the answers, then the numbers" test "$(head -n 1 "$TEST_TMP/words.csv")" = "rain,hot,wet,load,rain=yes,hot=Yes,wet=TRUE"
check "… in the words of the file" awk -F, 'NR > 1 { n++
  if ($1 != ($5 > 0.5 ? "yes" : "no") || $2 != ($6 > 0.5 ? "Yes" : "No") || $3 != ($7 > 0.5 ? "TRUE" : "FALSE")) bad = 1
} END { exit bad || n != 4 }' "$TEST_TMP/words.csv"
exits 0 "… and as JSON" "$GTRAIN" predict "$TEST_TMP/labels" "$TEST_TMP/gap.csv" --device "$DEVICE" --json
says "… by name" '"rain":{"class":'
says "… several labels each" '"tags":{"labels":['
# scaled METRIC GOAL TEXT: TEXT warns that a goal for this metric is a number for scaled targets.
scaled() {
  exits 0 "a goal for $1" "$GTRAIN" check "$TEST_TMP/run.yaml" --set "train.early_stopping={metric: $1, goal: $2, patience: 2}"
  says "… counts in scaled units" "$3"
}
scaled load.loss 3 "early_stopping.goal is a number for the loss of 'load', which compares scaled targets"
says "… unlike the metrics of the target" "metric load.rmse or load.mae"
scaled loss 3 "early_stopping.goal is a number for the sum of losses, and the loss of 'load' compares scaled targets"
exits 0 "a goal for the loss of classes" "$GTRAIN" check "$TEST_TMP/run.yaml" --set "train.early_stopping={metric: kind.loss, goal: 0.3, patience: 2}"
check "… does not" test "$(grep -c scaled_loss <<< "$out")" = 0

# --- names in files of predictions ---
exits 0 "a target with the name of another one's column" train twice --quiet --set 'data.targets={x: load, place: [x, y]}' \
  --set loss=null --set 'metrics=[mae]' --set model.load.name=x --set model.kind.name=spare \
  --set train.early_stopping=~ --set train.epochs=1
exits 0 "… predicts" "$GTRAIN" predict "$TEST_TMP/twice" "$TEST_TMP/two.csv" --device "$DEVICE" --output "$TEST_TMP/p.csv"
check "… columns of different names" test "$(head -n 1 "$TEST_TMP/p.csv")" = "x,place.x,place.y"

# --- other formats --------------------------------------------------------------------------------------------------
cat > "$TEST_TMP/table.yaml" << YAML
data: {inputs: [[0, 0], [0, 1], [1, 0], [1, 1]], targets: {sum: [[0], [1], [1], [2]], xor: [0, 1, 1, 0]}}
model: [{linear: {units: 1, name: sum}}, {linear: {units: 2, name: xor, from: input}}]
train: {epochs: 1}
YAML
exits 0 "a table" "$GTRAIN" check "$TEST_TMP/table.yaml"
says "… has losses by default" "loss sum mse, xor cross_entropy"
exits 0 "a list of columns" "$GTRAIN" check "$TEST_TMP/run.yaml" --set 'data.targets=[load, kind]' --set loss=null --set model.place.name=spare
says "… is a target each" "loss load mse, kind cross_entropy,"
says "a layer that is no head" "the output of layer 'spare' is never used"

# --- mistakes -------------------------------------------------------------------------------------------------------
# wrong NAME MESSAGE OPTION…: with these options, the config has an error with this message.
wrong() {
  exits 78 "$1" "$GTRAIN" check "$TEST_TMP/run.yaml" "${@:3}"
  says "… is reported" "error: $2"
}
wrong "a target without a layer" "no layer predicts the target 'kind'" --set model.kind.name=class
says "… with the lines to add" "- linear: {units: 2, name: kind, from: LAYER}"
wrong "a head of another size" "layer 'kind' outputs 3 values per sample; the data has 2 classes" --set model.kind.units=3
wrong "a loss for all targets" "this is the loss of a single target, and the data has 3: load, place, kind" --set loss=mse
says "… with losses to write" "loss: {load: mse, place: mse, kind: cross_entropy}"
wrong "a loss of no target" "loss for 'knd', which is not a target" --set 'loss={knd: mse}'
wrong "a weight of 0" "'weight' in loss 'mse' is too small" --set 'loss={load: {type: mse, weight: 0}}'
wrong "a single name" "'targets' names a single target" --set 'data.targets={load: load}'
wrong "no name" "'targets' names no target" --set 'data.targets=[]' --set loss=null
wrong "the key of row names" "'id' cannot be the name of a target" --set 'data.targets={id: load, kind: kind}' --set loss=null
wrong "no column" "the list of target 'load' is empty" --set 'data.targets.load=[]'
wrong "an input whose scaling has the name of a target's" "'target_scale' cannot be the name of an input" \
  --set 'data.inputs={target_scale: [a], x0: [b]}' --set model.trunk.from=x0
wrong "two keys for targets" "both 'target' and 'targets' are given" --set data.target=load
wrong "a name that is none" "'x y' cannot be the name of a target" --set 'data.targets={x y: load, kind: kind}' --set loss=null
wrong "a column of two targets" "column 'load' of" --set 'data.targets={load: load, kind: load}' --set loss=null
wrong "a task of no target" "there is no target 'kid'" --set 'data.task={kid: regression}'
wrong "class names" "'class_names' needs a single target; this data has 3: load, place, kind" --set 'data.class_names=[no, yes]'
wrong "a stratified split" "'split: stratified' needs a single target" --set data.split=stratified
wrong "a balanced sampler" "sampler: balanced needs a single target" --set train.sampler=balanced
wrong "a threshold" "threshold needs a single target" --set eval.threshold=auto
wrong "a line search" "optimizer 'lbfgs' needs a single target" --set optimizer=lbfgs
wrong "a metric of several targets" "metric 'mae' is not available: it belongs to several targets; expected one of load.mae, place.mae" \
  --set train.early_stopping.metric=mae
wrong "a metric of no target" "metric 'load.f1' needs targets that are classes" --set 'metrics=[load.f1]'
wrong "a metric that none has" "metric 'iou' needs targets that are classes" --set 'metrics=[iou]' --set 'data.targets=[load, x]' --set loss=null --set model.place='{units: 1, name: x, from: body}' --set train.early_stopping.metric=loss
exits 78 "divisors that differ under accumulate" "$GTRAIN" check "$TEST_TMP/run.yaml" --set train.accumulate=2 --set loss.kind.class_weights=balanced
says "… are refused" "'kind' has class weights, so the means of the targets have different divisors"
exits 78 "data with other targets" evaluates --set 'data.targets={load: load, kind: kind}' --set loss=null
says "… is reported" "the targets of this data are not those of the model"
finish
