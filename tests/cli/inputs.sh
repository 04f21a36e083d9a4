#!/usr/bin/env bash
# Several named inputs, from columns, files and tables, in training and in all commands on the model.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/shops.csv" << 'CSV'
size,age,city,kind,price
1.5,2,0,3,10
0.5,1,1,2,4
1,2,2,1,7
0.25,7,3,0,2
2,3,1,1,12
0.75,4,2,3,5
CSV
model='
  - embedding: {num_embeddings: 4, embedding_dim: 3, from: place}
  - flatten
  - concatenate: {from: [flatten1, plain]}
  - linear: 8
  - tanh
  - linear: 1'
cat > "$TEST_TMP/columns.yaml" << YAML
data:
  train: $TEST_TMP/shops.csv
  target: price
  task: regression
  inputs: {plain: [size, age, kind], place: [city, kind]}
  integers: place
model:$model
optimizer: {type: adam, lr: 0.02}
train: {epochs: 20, batch_size: 4, checkpoint: {every: 5, keep_last: 5}}
YAML
cat > "$TEST_TMP/table.yaml" << YAML
data:
  format: table
  inputs:
    plain: [[1.5, 2, 3], [0.5, 1, 2], [1, 2, 1], [0.25, 7, 0], [2, 3, 1], [0.75, 4, 3]]
    place: [[0, 3], [1, 2], [2, 1], [3, 0], [1, 1], [2, 3]]
  targets: [[10], [4], [7], [2], [12], [5]]
  integers: [place]
model:$model
optimizer: {type: adam, lr: 0.02}
train: {epochs: 20, batch_size: 4}
YAML
train() { "$GTRAIN" train "$TEST_TMP/$1.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/$2" "${@:3}"; }
answers() { "$GTRAIN" predict "$TEST_TMP/columns/model.bin" --device "$DEVICE" --output "$TEST_TMP/$1.csv" "${@:2}"; }

for kind in columns table; do exits 0 "trains on $kind" train $kind $kind --set data.normalize=none --set data.normalize_targets=none; done
check "columns and table are the same data" diff \
  <("$GTRAIN" inspect "$TEST_TMP/columns/model.bin" --json | tr ',' '\n' | grep '"loss"') \
  <("$GTRAIN" inspect "$TEST_TMP/table/model.bin" --json | tr ',' '\n' | grep '"loss"')
losses() { sed -n 's/.*"split":"train".*"loss":\([^,]*\),.*/\1/p' "$TEST_TMP/$1/metrics.jsonl"; }
check "… with the same losses" test "$(losses columns)" = "$(losses table)"
check "… of which there are some" test "$(losses columns | wc -l)" -ge 20
exits 0 "a resolved config is one" "$GTRAIN" check "$TEST_TMP/columns/config.yaml"
says "the inputs stand in the table" "flatten1, plain"

cp -r "$TEST_TMP/columns" "$TEST_TMP/again"
rm "$TEST_TMP/again/model.bin" "$TEST_TMP/again"/checkpoints/step-*{20,30,40}.safetensors
exits 0 "a run is resumed" train columns again --resume --set data.normalize=none --set data.normalize_targets=none
check "… to the same bytes" cmp "$TEST_TMP/columns/model.bin" "$TEST_TMP/again/model.bin"

exits 0 "evaluates" "$GTRAIN" eval "$TEST_TMP/columns/model.bin" --device "$DEVICE" --set data.test="$TEST_TMP/shops.csv" \
  --fail-if 'loss>60' --fail-if 'samples<6'
exits 0 "predicts from one file with all columns" answers all --input "$TEST_TMP/shops.csv"
cut -d, -f3,4 "$TEST_TMP/shops.csv" > "$TEST_TMP/place.csv"
awk -F, '{ print $4 "," $1 "," $2 }' "$TEST_TMP/shops.csv" > "$TEST_TMP/plain.csv"
exits 0 "… from a file for each input" answers each --input "place=$TEST_TMP/place.csv" --input "plain=$TEST_TMP/plain.csv"
check "… the same" cmp "$TEST_TMP/all.csv" "$TEST_TMP/each.csv"
exits 65 "an input without a file" answers none --input "place=$TEST_TMP/place.csv"
says "… is named" "no file for the model's input 'plain'"
exits 65 "an input with two files" answers none --input "$TEST_TMP/shops.csv" --input "place=$TEST_TMP/place.csv"
says "… is named" "input 'place' has more than one file"
head -n 3 "$TEST_TMP/place.csv" > "$TEST_TMP/short.csv"
exits 65 "inputs of other lengths" answers none --input "place=$TEST_TMP/short.csv" --input "plain=$TEST_TMP/plain.csv"
says "… are named" "2 samples of the input 'place', but 6 of 'plain'"
sed '3s/,./,4/' "$TEST_TMP/place.csv" > "$TEST_TMP/large.csv"
exits 65 "an integer that no row has" answers none --input "place=$TEST_TMP/large.csv" --input "plain=$TEST_TMP/plain.csv"
says "… is named" "has 4 rows, but 'place' holds values up to 4"
sed '3s/,./,1.5/' "$TEST_TMP/place.csv" > "$TEST_TMP/half.csv"
exits 65 "no integer" answers none --input "place=$TEST_TMP/half.csv" --input "plain=$TEST_TMP/plain.csv"
says "… is shown where it stands" "half.csv:3:3: column 'kind' has numbers that are not whole numbers from 0 to 16777215, which its input needs ('1.5' at 3:3)"

# wrong NAME SED-EXPRESSION LINE:COLUMN MESSAGE [CODE]: a config with one mistake gives this message at this position.
wrong() {
  sed "$2" "$TEST_TMP/columns.yaml" > "$TEST_TMP/wrong.yaml"
  exits "${5-78}" "$1" "$GTRAIN" check "$TEST_TMP/wrong.yaml"
  says "… where it stands" "wrong.yaml:$3: error: $4"
  check "… alone" test "$(grep -c ': error: ' <<< "$out")" = 1
}
wrong "a layer that does not say which input" 's/, from: place//' 8:5 "the model has several inputs, and this layer"
wrong "an unknown input" 's/from: place/from: plaice/' 8:60 "layer 'embedding1' reads 'plaice'"
says "… and the one that was meant" "did you mean 'place'?"
wrong "integers where none are taken" 's/linear: 8/linear: {units: 8, from: place}/' 11:5 \
  "layer 'linear1' does not accept integers, but 'place' holds integers"
sed '/^model:/,/linear: 1/d' "$TEST_TMP/columns.yaml" > "$TEST_TMP/moved.yaml"
echo 'model: [{flatten: {from: place}}]' >> "$TEST_TMP/moved.yaml"
exits 78 "a model of integers" "$GTRAIN" check "$TEST_TMP/moved.yaml"
says "… is reported" "the model's output, 'flatten1', holds integers"
wrong "floats where integers are taken" '/integers:/d' 7:5 "layer 'embedding1' needs integers, but 'place' [4, 2] holds floats"
wrong "a table with too few rows" 's/num_embeddings: 4/num_embeddings: 3/' 8:33 \
  "layer 'embedding1' has 3 rows, but 'place' holds" 65
wrong "integers of an unknown input" 's/integers: place/integers: [place, plan]/' 6:21 "there is no input 'plan'"
wrong "a name that is none" 's/plain/2nd/' 5:12 "'2nd' cannot be the name of an input"
wrong "a layer that takes an input's name" 's/linear: 8/linear: {units: 8, name: place}/' 11:30 \
  "a layer cannot be called 'place': that is an input of the model"
wrong "normalisation of an unknown input" 's/^  integers: place/&\n  normalize: {inputs: {plane: standard}}/' 7:24 \
  "there is no input 'plane'"
wrong "a shape that could be of each" 's/^  integers: place/&\n  shape: [3]/' 7:10 "the data has several inputs"
exits 0 "an input that nothing reads" "$GTRAIN" check "$TEST_TMP/columns.yaml" --set 'model=[{linear: {units: 1, from: plain}}]'
says "… is reported" "the input 'place' is never read"
exits 0 "… and trained without" train columns unread --set 'model=[{linear: {units: 1, from: plain}}]' --set train.epochs=1
exits 78 "data with other inputs" "$GTRAIN" eval "$TEST_TMP/columns/model.bin" --set 'data.inputs=[size, age]'
says "… is reported" "the inputs of this data are not those of the model"
finish
