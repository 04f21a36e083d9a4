#!/usr/bin/env bash
# --set and phases can set a key inside a short form of the config: `optimizer: adam` is short for `optimizer: {type:
# adam}`.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/short.yaml" << 'YAML'
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: standard}
model:
  - reshape: [8, 8, 1]
  - conv2d: {out_channels: 2, kernel_size: 3, init: zeros}
  - repeat: {times: 1, layers: [flatten, linear: 5, relu]}
  - dropout
  - linear: 10
loss: cross_entropy
optimizer: sgd
schedule: cosine
train: {steps: 1, batch_size: 16, checkpoint: 1, early_stopping: 3}
YAML
# resolved NAME OPTION…: prints the run's config, in which all defaults and short forms are written out.
resolved() {
  "$GTRAIN" train "$TEST_TMP/short.yaml" --device cpu --quiet --run-dir "$TEST_TMP/$1" "${@:2}" > "$TEST_TMP/said" 2>&1 ||
    cat "$TEST_TMP/said"
  cat "$TEST_TMP/$1/config.yaml"
}
number=0
# same SHORT LONG: both assignments give the same config, and it differs from the config without them.
resolved plain > "$TEST_TMP/plain.yaml"
same() {
  number=$((number + 1))
  resolved "short$number" --set "$1" > "$TEST_TMP/a"
  resolved "long$number" --set "$2" > "$TEST_TMP/b"
  check "$1" cmp "$TEST_TMP/a" "$TEST_TMP/b"
  check "… does something" test -n "$(diff "$TEST_TMP/a" "$TEST_TMP/plain.yaml")"
}
same optimizer.lr=0.125 'optimizer={type: sgd, lr: 0.125}'
same optimizer.type=adam optimizer=adam
same schedule.warmup=1 'schedule={type: cosine, warmup: 1}'
same loss.label_smoothing=0.25 'loss={type: cross_entropy, label_smoothing: 0.25}'
same train.checkpoint.keep_last=7 'train.checkpoint={every: 1, keep_last: 7}'
same train.early_stopping.min_delta=0.5 'train.early_stopping={patience: 3, min_delta: 0.5}'
same model.4.linear.bias=false 'model.4={linear: {units: 10, bias: false}}'
same model.3.dropout.p=0.25 'model.3={dropout: {p: 0.25}}'
same model.3.dropout=0.25 'model.3={dropout: 0.25}'
same model.2.repeat.layers.1.linear.bias=false 'model.2.repeat.layers.1={linear: {units: 5, bias: false}}'
same model.2.repeat.layers.2.relu.name=here 'model.2.repeat.layers.2={relu: {name: here}}'
same model.0.reshape.name=image 'model.0={reshape: {shape: [8, 8, 1], name: image}}'
same model.1.conv2d.init.type=ones 'model.1.conv2d.init={type: ones}'

# --- layers by the names that `gtrain check` prints -----------------------------------------------------------------
same model.conv2d1.out_channels=4 model.1.conv2d.out_channels=4
same model.linear2.bias=false model.4.linear.bias=false
same model.dropout1=0.25 model.3.dropout=0.25
same model.linear1.bias=false model.2.repeat.layers.1.linear.bias=false
same model.flatten1.name=flat model.2.repeat.layers.0.flatten.name=flat
exits 0 "a name that was given" "$GTRAIN" check "$TEST_TMP/short.yaml" --set model.4.linear.name=head --set model.head.bias=false
exits 0 "… in a phase, too" "$GTRAIN" check "$TEST_TMP/short.yaml" --set \
  'train={batch_size: 16, phases: [{steps: 1}, {steps: 1, model.dropout1.p: 0.5}]}'
exits 78 "a name that no layer has" "$GTRAIN" check "$TEST_TMP/short.yaml" --set model.liner2.bias=false
says "… is shown" "--set:1:7: error: there is no layer 'liner2'"
says "… with those there are" "one of reshape1, conv2d1, flatten1, linear1, relu1, dropout1, linear2, or a number from 0 to 4"
says "… and the nearest" "did you mean 'linear"
exits 78 "… in a phase, too" "$GTRAIN" check "$TEST_TMP/short.yaml" --set \
  'train={batch_size: 16, phases: [{steps: 1}, {steps: 1, model.drop.p: 0.5}]}'
says "… where it stands" "error: there is no layer 'drop'"
exits 78 "a key that the layer does not have" "$GTRAIN" check "$TEST_TMP/short.yaml" --set model.linear2.unit=3
says "… is shown" "--set:1:15: error: unknown key 'unit' in layer 'linear'"

exits 0 "a phase, too" "$GTRAIN" check "$TEST_TMP/short.yaml" --set \
  'train={batch_size: 16, phases: [{steps: 1}, {steps: 1, optimizer.lr: 0.5, schedule.warmup: 1}]}'
exits 0 "a phase's own" "$GTRAIN" check "$TEST_TMP/short.yaml" --set \
  'train={batch_size: 16, phases: [{steps: 1}, {steps: 1, optimizer: adam}]}' --set train.phases.1.optimizer.lr=0.5
exits 0 "a list's item stays one" "$GTRAIN" check "$TEST_TMP/short.yaml" --set model.0.reshape.0=4 --set model.0.reshape.2=2
exits 0 "one after another" "$GTRAIN" check "$TEST_TMP/short.yaml" --set optimizer=adamw --set optimizer.lr=0.1
exits 78 "an unknown key of a short form" "$GTRAIN" check "$TEST_TMP/short.yaml" --set optimizer.rate=0.1
says "… is one of what it stands for" "--set:1:11: error: unknown key 'rate' in optimizer 'sgd'"
exits 78 "a value that stands for nothing" "$GTRAIN" check "$TEST_TMP/short.yaml" --set train.steps.more=1
says "… is no map" "'more' cannot be set inside '1', which is a value and not a map"
exits 78 "an item of a list that is not there" "$GTRAIN" check "$TEST_TMP/short.yaml" --set model.9.linear.bias=false
says "… as before" "the list has no item 9"
exits 78 "another layer than there is" "$GTRAIN" check "$TEST_TMP/short.yaml" --set model.3.linear.units=3
says "… is not put into its place" "layer 'model.3' is of type 'dropout', not 'linear'"
# ~ unsets a key: its default applies.
same data.test_fraction=~ data.test_fraction=0
same schedule.type=~ schedule=constant
same train.early_stopping=~ train.early_stopping=0
exits 0 "~ for a key that is not there" "$GTRAIN" check "$TEST_TMP/short.yaml" --set data.ignore=~
exits 78 "~ for a key that must be there" "$GTRAIN" check "$TEST_TMP/short.yaml" --set data.train=~
says "… says that it is missing" "cannot tell the format of the data"
# A path that names a layer by the type of another layer.
for path in model.0.kan.grid=7 model.0.kan=7; do
  exits 78 "$path of a linear layer" "$GTRAIN" check configs/digits.yaml --set "$path"
  says "… says what it is" "--set:1:9: error: layer 'model.0' is of type 'linear', not 'kan'"
done
exits 78 "… of one without settings" "$GTRAIN" check configs/digits.yaml --set model.1.kan.grid=7
says "… says what it is" "layer 'model.1' is of type 'relu', not 'kan'"
exits 78 "… in a phase" "$GTRAIN" check configs/digits.yaml --set 'train={phases: [{epochs: 1, model.0.kan.grid: 7}]}'
says "… says what it is" "layer 'model.0' is of type 'linear', not 'kan'"
finish
