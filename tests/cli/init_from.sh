#!/usr/bin/env bash
# Fine-tuning: a run starts from the tensors of another model, as far as they match, and its frozen layers compute the same
# afterwards.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/dense.yaml" << 'YAML'
seed: 1
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: {scale: 0.0625}}
model: [{linear: {units: 32, name: body}}, batch_norm, relu, {linear: {units: 10, name: head}}]
optimizer: {type: adam, lr: 5e-3, ema: 0.9}
train: {epochs: 3, batch_size: 100, checkpoint: {every: 1, keep_last: 4}}
YAML
sed 's/^model:.*/model: [{threshold: [0.3, 0.6]}, {logic: 80}, {logic: 40}, {group_sum: 10}]/' \
  "$TEST_TMP/dense.yaml" > "$TEST_TMP/gates.yaml"
train() { "$GTRAIN" train "$TEST_TMP/$1.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$2" "${@:3}"; }
answers() { "$GTRAIN" predict "$1" --input datasets/digits/digits.csv --output "$2" --device "$DEVICE"; }

for kind in dense gates; do
  model=$TEST_TMP/$kind/model.bin
  exits 0 "$kind: a model" train $kind $kind
  exits 0 "$kind: a run that begins with it" train $kind $kind-1 --init "$model" --set seed=5 \
    --set optimizer.lr=1e-20 --set train.epochs=1
  says "$kind: … says what it took" "init_from: "
  exits 0 "$kind: a run that goes on" train $kind $kind-2 --init "$model"
  cp -r "$TEST_TMP/$kind-2" "$TEST_TMP/$kind-3"
  rm "$TEST_TMP/$kind-3"/model.bin "$TEST_TMP/$kind-3"/checkpoints/step-*{30,45}.safetensors
  exits 0 "$kind: … is resumed" train $kind $kind-3 --init "$model" --resume
  check "$kind: … to the same bytes" cmp "$TEST_TMP/$kind-2/model.bin" "$TEST_TMP/$kind-3/model.bin"
  check "$kind: … and metrics" cmp "$TEST_TMP/$kind-2/metrics.jsonl" "$TEST_TMP/$kind-3/metrics.jsonl"
done
# With a learning rate of almost 0, the run ends with the circuit that it started with, including its wiring, although
# its seed would draw another wiring.
for run in gates gates-1; do exits 0 "$run: answers" answers "$TEST_TMP/$run/model.bin" "$TEST_TMP/$run.csv"; done
check "gates: the same circuit" cmp "$TEST_TMP/gates.csv" "$TEST_TMP/gates-1.csv"

cp "$TEST_TMP/dense/model.bin" "$TEST_TMP/other.bin"
exits 0 "a run from a file" train dense changed --init "$TEST_TMP/other.bin" --set train.epochs=1
cp "$TEST_TMP/dense-1/model.bin" "$TEST_TMP/other.bin"
exits 65 "… is not resumed with another file" train dense changed --init "$TEST_TMP/other.bin" --resume
says "… and told why" "is not the model that"
rm "$TEST_TMP/other.bin"
exits 0 "the model of such a run needs that file no more" \
  "$GTRAIN" eval "$TEST_TMP/changed/model.bin" --device "$DEVICE"

exits 0 "the short form on the command line" "$GTRAIN" check "$TEST_TMP/dense.yaml" --set "init_from=$TEST_TMP/dense/model.bin"
says "… is read" "init_from: 9 of 9 tensors"
exits 0 "… and can get a map" "$GTRAIN" check "$TEST_TMP/dense.yaml" --set "init_from=$TEST_TMP/dense" --set 'init_from.map={head: ~}'
says "… that is read" "init_from: 7 of 9 tensors"
printf 'init_from: {model: %s, map: {head: ~, body: body}}\n' "$TEST_TMP/dense/model.bin" >> "$TEST_TMP/dense.yaml"
exits 0 "a map in the config" train dense map --set train.epochs=1
says "… leaves a layer out" "starts from scratch: head.weight (left out by the map)"
says "… and takes the others" "init_from: 7 of 9 tensors"
check "… and stands in the run's config" grep -q 'head: ~' "$TEST_TMP/map/config.yaml"
exits 0 "another model than the config's" train dense map-2 --set train.epochs=1 --init "$TEST_TMP/dense-1/model.bin"
says "… is taken with the same map" "init_from: 7 of 9 tensors from $TEST_TMP/dense-1/model.bin"
exits 0 "another width" train dense narrow --set model.0.linear.units=16 --set train.epochs=1 --set 'init_from.map={}'
says "… is reported tensor by tensor" "body.weight (f32 [16, 64] in this model, f32 [32, 64] in the file)"
says "… a layer with statistics whole or not at all" "num_batches_tracked (other tensors of its layer do not match)"
exits 78 "names that there are not" "$GTRAIN" check "$TEST_TMP/dense.yaml" --set 'init_from.map={haed: ~, body: bdy}'
says "… of this model" "did you mean 'head'"
says "… and of the file" "did you mean 'body'"
exits 78 "nothing fits" train dense none --set 'init_from.map={"*": ~}'
says "… is an error at its place" "no tensor in"
exits 65 "a file that is none" train dense none --set 'init_from={model: README.md}'
says "… is an error at its place" "--set:1:"
exits 78 "no file" train dense none --init "$TEST_TMP/nowhere"
says "… is an error at the option" "--init: error: "
check "… not at an assignment that nobody wrote" test -z "$(grep 'init_from.model=' <<< "$out")"
formats=('zip:a zip archive:PK\3\4' 'pickle:a pickle:\x80\2' 'h5:an HDF5 file:\x89HDF\r\n\x1a\n' 'onnx:an ONNX model:\x08\x08\x12\x07')
for format in "${formats[@]}"; do
  IFS=: read -r name text start <<< "$format"
  # shellcheck disable=SC2059
  { printf "$start" && head -c 200 README.md; } > "$TEST_TMP/weights.$name"
  exits 65 "weights in another format: $name" train dense none --init "$TEST_TMP/weights.$name"
  says "… are recognized" "--init: error: $TEST_TMP/weights.$name is $text"
  says "… with the way to write the right one" "safetensors.torch.save_file(model.state_dict()"
done
printf '\x80\x02\0\0\0\0\0\0{"a' > "$TEST_TMP/cut.safetensors"
exits 65 "a file cut off in its header of 640 bytes" train dense none --init "$TEST_TMP/cut.safetensors"
says "… is not a pickle" "its header is longer than the file"
head -c 500 "$TEST_TMP/dense/model.bin" > "$TEST_TMP/half.bin"
exits 65 "a damaged file" train dense none --init "$TEST_TMP/half.bin"
exits 78 "… and a mistake in the config" train dense none --init "$TEST_TMP/half.bin" --set train.epochs=none
swapped='init_from.map={batch_norm1.running_var: batch_norm1.running_mean}'
for command in train check; do
  exits 65 "means for variances ($command)" "$GTRAIN" $command "$TEST_TMP/dense.yaml" --set "$swapped"
  says "… are reported, as they are negative" "expected 0 or more"
  says "… by the name that they would have" "of 'batch_norm1.running_var' is -"
done
exits 78 "restarts and init_from" train gates none --init "$TEST_TMP/gates/model.bin" --set train.restart_every=1 \
  --set 'train.early_stopping={goal: 0, metric: loss}'
exits 0 "inputs on another scale" train dense scaled --set data.normalize.scale=1 --set train.epochs=1
says "… are warned of" "inputs use other normalization statistics than"

# With a learning rate of almost 0, only the statistics of batch norms can change, on other samples than before.
learn_nothing() { # RUN MODEL OPTION…: a run that starts from MODEL
  rm -rf "${TEST_TMP:?}/$1"
  train dense "$1" --init "$TEST_TMP/$2" --set 'init_from.map={}' --set optimizer.lr=1e-20 --set train.epochs=1 \
    --set data.test_fraction=0.9 "${@:3}"
}
frozen() { printf 'optimizer.parameters=[{match: "%s", frozen: true}]' "$1"; }
bare='model.1={batch_norm: {affine: false, name: norm}}'
exits 0 "a batch norm without parameters" train dense bare --set "$bare" --set 'init_from=~'
for case in 'dense b*' 'dense batch_norm1*' 'bare norm' 'bare norm.*'; do
  read -r model pattern <<< "$case"
  options=()
  [[ $model == bare ]] && options=(--set "$bare")
  exits 0 "$model: frozen: $pattern" learn_nothing still "$model" "${options[@]}" --set "$(frozen "$pattern")"
  for run in "$model" still; do exits 0 "… answers" answers "$TEST_TMP/$run/model.bin" "$TEST_TMP/$run.csv"; done
  check "… computes the same" cmp "$TEST_TMP/$model.csv" "$TEST_TMP/still.csv"
done
exits 0 "frozen weights" learn_nothing moved dense --set "$(frozen '*.weight')"
exits 0 "… are not the layer" answers "$TEST_TMP/moved/model.bin" "$TEST_TMP/moved.csv"
check "… whose statistics follow the samples" test "$(cmp "$TEST_TMP/dense.csv" "$TEST_TMP/moved.csv")"
exits 78 "a layer without parameters" learn_nothing none bare --set "$bare" --set 'optimizer.parameters=[{match: norm, lr: 1}]'
says "… can only be frozen" "no parameter is called 'norm'"
finish
