#!/usr/bin/env bash
# Fine-tuning by name: rows and columns of weights go with the names of classes, columns and tokens, not with their places;
# a finding says where that is not possible. Weights of other programs are taken from a safetensors file.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
cd "$TEST_TMP" || exit 1

# --- columns and classes ---
# The class says which of three columns is the largest.
table() { # COLUMNS CLASSES ORDER: always the same numbers; ORDER of the columns
  awk -v header="$1" -v classes="$2" -v order="$3" 'BEGIN {
    split(classes, class, " "); split(order, place, " ")
    print header ",y"
    for (i = 0; i < 160; i++) {
      for (k = 1; k <= 3; k++) { seed = (seed * 1664525 + 12345) % 4294967296; v[k] = seed / 4294967296 }
      best = 1
      for (k = 2; k <= 3; k++) if (v[k] > v[best]) best = k
      printf "%.4f,%.4f,%.4f,%s\n", v[place[1]], v[place[2]], v[place[3]], class[best]
    }
  }'
}
table a,b,c "ant bee cat" "1 2 3" > one.csv
table c,a,b "ant bee cat" "3 1 2" > turned.csv
table c,a,d "ant bee cat" "3 1 2" > new_column.csv
table d,e,f "ant bee cat" "1 2 3" > new_columns.csv
table a,b,c "emu bee cat" "1 2 3" > new_class.csv
table a,b,c "red green blue" "1 2 3" > new_classes.csv
config() { # MODEL
  echo 'data: {train: one.csv, target: y, test_fraction: 0.25, normalize: none}'
  echo "model: $1"
  echo 'optimizer: {type: adam, lr: 0.05}'
  echo 'train: {epochs: 15, batch_size: 10, eval_every: 0}'
}
config '[{linear: {units: 8, name: body}}, relu, {linear: {units: 3, name: head}}]' > dense.yaml
config '[batch_norm, {linear: {units: 3, name: head}}, {batch_norm: {name: last}}]' > norm.yaml
config '[{kan: {units: 3, name: head}}]' > kan.yaml
config '[{threshold: [0.3, 0.6]}, {logic: 30}, {group_sum: 3}]' > logic.yaml
train() { "$GTRAIN" train "$1.yaml" --run-dir "$2" --device "$DEVICE" "${@:3}"; }
# tuned MODEL TABLE [OPTION…]: a run that starts from MODEL and learns almost nothing.
tuned() {
  rm -rf tuned
  train "$1" tuned --init "$1" --set "data.train=$2" --set optimizer.lr=1e-20 --set train.epochs=1 "${@:3}"
}
accuracy() { grep -o 'test loss.* accuracy [0-9.]*' <<< "$out" | tail -n 1 | grep -o '[0-9.]*$'; }
silent() { case $out in *lost_weights*) fail "$1: $out" ;; *) pass "$1" ;; esac }

for kind in dense norm kan logic; do
  exits 0 "$kind: a model" train $kind $kind
  learned=$(accuracy)
  exits 0 "$kind: the same names" tuned $kind one.csv
  silent "$kind: … are no matter"
  check "$kind: … nor is a name" test -z "$(grep 'by name' <<< "$out")"
  [[ $kind == dense ]] || continue
  exits 0 "columns in another order" tuned $kind turned.csv
  says "… are taken by name" "by name: 3 of 3 columns, in 'body'"
  silent "… without a warning"
  check "… and the model answers as before" test "$(accuracy)" = "$learned"
done
exits 0 "norms of columns in another order" tuned norm turned.csv
says "… are taken by name" "by name: 3 of 3 columns, in 'batch_norm1', 'head'"
exits 0 "a new column" tuned dense new_column.csv
says "… has initial weights" "by name: 2 of 3 columns, in 'body'; the others start from scratch"
exits 0 "only new columns" tuned dense new_columns.csv
says "… are warned of" "none of the columns is in dense/model.bin (a, b, c): their weights in 'body' start from scratch [lost_weights]"
says "… and not counted as taken" "init_from: 3 of 4 tensors"
exits 0 "a column less" tuned dense one.csv --set 'data.ignore=[b]'
says "… leaves the others" "by name: 2 of 2 columns, in 'body'"

exits 0 "a new class" tuned dense new_class.csv
says "… has an initial row" "by name: 2 of 3 classes, in 'head'; the others start from scratch"
silent "… without a warning"
exits 0 "a new class before a norm" tuned norm new_class.csv
says "… has initial statistics" "by name: 2 of 3 classes, in 'head', 'last'"
exits 0 "only new classes" tuned dense new_classes.csv
says "… are warned of" "none of the classes is in dense/model.bin (ant, bee, cat): their weights in 'head' start from scratch [lost_weights]"
says "… with a way out" "map: {head: ~}"
exits 0 "… which is followed" tuned dense new_classes.csv --set 'init_from.map={head: ~}'
silent "… and ends the warning"
exits 0 "fewer classes" tuned dense one.csv --set 'data.classes=[cat, ant]' --set model.head.units=2
says "… are taken by name" "by name: 2 of 2 classes, in 'head'"
silent "… although the head has another size"
for kind in kan logic; do
  exits 0 "$kind: other classes" tuned $kind new_class.csv
  says "$kind: … are warned of" "the classes are not those of $kind/model.bin (ant, bee, cat) in the same order, and are taken by place in '"
  says "$kind: … by name" "[lost_weights]"
  exits 0 "$kind: columns in another order" tuned $kind turned.csv
  says "$kind: … are warned of" "the columns are not those of $kind/model.bin (a, b, c) in the same order"
  says "$kind: … with a way out" "map: {$([[ $kind == kan ]] && echo head || echo logic1): ~}"
done

# Without names on one side, and with a single column, there is no order to mistake: a line says what was taken.
table a,b,c "0 1 2" "1 2 3" > numbers.csv
exits 0 "classes without names" tuned dense numbers.csv --set data.task=classification
says "… are matched by number" "classes are matched by number: this data has no names for them"
config '[{linear: {units: 1, name: head}}]' | sed 's/target: y/target: b, ignore: [c, y]/' > single.yaml
exits 0 "a single column" train single single
exits 0 "… of another name" tuned single one.csv --set data.target=c --set 'data.ignore=[a, y]'
says "… takes the place of the other" "column 'b' takes the place of 'a'"
says "… and so does the target" "column 'c' takes the place of 'b'"
silent "… without a warning"

# --- several targets, categories, windows ---
awk 'BEGIN { print "p,q,job,u,v"; for (i = 0; i < 60; i++) printf "%d.5,%d.25,%s,%d.125,%d.75\n", i % 7, i % 5, substr("xyz", i % 3 + 1, 1), i % 4, i % 6 }' > jobs.csv
sed 's/,x,/,new,/' jobs.csv > other_jobs.csv
cat > several.yaml << 'YAML'
data: {train: jobs.csv, targets: {sum: [u, v], kind: job}, inputs: {all: [p, q]}, test_fraction: 0.2}
model: [{linear: {units: 6, name: body}}, relu, {linear: {units: 2, name: sum}}, {linear: {units: 3, name: kind, from: relu1}}]
loss: {sum: mse, kind: cross_entropy}
train: {epochs: 1, batch_size: 10}
YAML
exits 0 "several targets" train several several
exits 0 "… with other names" tuned several other_jobs.csv --set 'data.targets.sum=[v, u]'
says "… take classes by name" "by name: 2 of 3 classes of target 'kind', in 'kind'"
says "… and columns" "by name: 2 of 2 columns of target 'sum', in 'sum'"
sed 's/targets: {.*}, inputs: {.*}, test/target: u, inputs: {job: job}, integers: [job], test/; s/^model.*/model: [{embedding: {num_embeddings: 3, embedding_dim: 4}}, flatten, {linear: 1}]/; /^loss/d' several.yaml > codes.yaml
exits 0 "codes of categories" train codes codes
exits 0 "… of other names" tuned codes other_jobs.csv
says "… are taken by name" "by name: 2 of 3 categories, in 'embedding1'"
sed 's/targets: {.*}, test/target: u, ignore: [job], series: {window: 3, horizon: 2}, test/; s/^model.*/model: [flatten, {linear: {units: 2, name: head}}]/; /^loss/d' several.yaml > windows.yaml
exits 0 "windows" train windows windows
exits 0 "… of other columns and another length" tuned windows jobs.csv --set 'data.ignore=[job, p]' --set data.series.horizon=1 --set model.head.units=1
says "… take columns of each step by name" "by name: 3 of 3 columns, in 'head'"
says "… and steps of the target" "by name: 1 of 1 columns of the target, in 'head'"

# --- tokens ---
for _ in $(seq 80); do echo "abc cab bca"; done > letters.txt
tr abc bcd < letters.txt > other.txt
cat > letters.yaml << 'YAML'
data: {train: letters.txt, text: {vocabulary: char, window: 8}, validation: 0.1}
model: [{embedding: {embedding_dim: 4, name: table}}, {gru: 6}, {linear: {units: 5, name: head}}]
train: {steps: 2, batch_size: 8, eval_every: 0}
YAML
exits 0 "letters" train letters letters
exits 0 "… others" train letters tuned-letters --init letters --set data.train=other.txt
says "… take rows of the embedding" "by name: 4 of 5 tokens, in 'table'; the others start from scratch"
says "… and of the output" "by name: 4 of 5 tokens, in 'head'; the others start from scratch"
silent "… without a warning"

# --- weights of other programs ---
# y = 1.5 p - 2 q + 0.5; the weight is bf16, the bias f16.
foreign() { # HEADER: a file of this header, padded, and 6 bytes of data
  printf -v header '%-320s' "$1"
  printf '\x40\x01\0\0\0\0\0\0%s\xc0\x3f\x00\xc0\x00\x38' "$header"
}
entry() { printf '"%s": {"dtype": "%s", "shape": [%s], "data_offsets": [%s]}' "$@"; }
foreign "{\"__metadata__\": {\"format\": \"pt\"}, $(entry linear1.bias F16 1 '4, 6'), $(entry linear1.weight BF16 '1, 2' '0, 4')}" > line.safetensors
foreign "{$(entry fc.bias F16 1 '4, 6'), $(entry fc.weight BF16 '1, 2' '0, 4')}" > fc.safetensors
foreign "{$(entry linear1.bias F16 1 '4, 6'), $(entry fc.weight BF16 '1, 2' '0, 4')}" > half.safetensors
printf 'p,q,y\n1,2,0\n4,0.25,0\n-2,8,0\n0,0,0\n' > line.csv
cat > line.yaml << 'YAML'
data: {train: line.csv, target: y, normalize: none, normalize_targets: none, task: regression}
model: [{linear: 1}]
loss: mse
optimizer: {type: sgd, lr: 1.0e-20}
train: {steps: 1, batch_size: 4, eval_every: 0}
YAML
exits 0 "inspect a file of another program" "$GTRAIN" inspect line.safetensors
says "… lists its tensors" "linear1.weight  bf16 [1, 2]"
says "… of all types" "linear1.bias    f16  [1]"
says "… and its metadata" "format: pt"
exits 0 "… as JSON" "$GTRAIN" inspect line.safetensors --json
says "… too" '"dtype":"bf16"'
exits 0 "a run from weights of another program" train line line --init line.safetensors
says "… takes them" "init_from: 2 of 2 tensors from line.safetensors"
exits 0 "… and predicts" "$GTRAIN" predict line --input line.csv --output answers.csv --device "$DEVICE"
check "… what they do" test "$(tail -n +2 answers.csv | tr '\n' ' ')" = "-2 6 -18.5 0.5 "
exits 0 "… without the file" "$GTRAIN" eval line --device "$DEVICE"
exits 0 "names that a map changes" train line mapped --init fc.safetensors --set 'init_from.map={linear1: fc}'
says "… fit" "init_from: 2 of 2 tensors"
exits 78 "other names" train line none --init fc.safetensors
says "… are an error with a way out" "map: {linear1: fc}"
exits 0 "some names" train line some --init half.safetensors
says "… say what this model lacks" "starts from scratch: linear1.weight (not in the file)"
says "… and what the file has left" "left over in the file: fc.weight [1, 2]"
# A file of other names gets a map of the layers whose shapes fit.
zeros() { # TENSOR:SHAPE…: a file of these tensors, all 0
  local tensor size end=0 header=
  for tensor; do
    size=$((4 * (${tensor##*:})))
    header+="${header:+, }$(entry "${tensor%%:*}" F32 "$(tr '*' , <<< "${tensor##*:}")" "$end, $((end + size))")"
    end=$((end + size))
  done
  printf -v header '%-800s' "{$header}"
  printf '\x20\x03\0\0\0\0\0\0%s' "$header"
  head -c $end /dev/zero
}
zeros model.fc1.weight:8*2 model.fc1.bias:8 model.fc2.weight:8*8 model.fc2.bias:8 model.fc3.weight:1*8 model.fc3.bias:1 > prefixed.safetensors
sed 's/^model.*/model: [{linear: {units: 8, name: fc1}}, {linear: {units: 8, name: fc2}}, {linear: {units: 1, name: fc3}}]/' line.yaml > three.yaml
exits 78 "names with a prefix" "$GTRAIN" check three.yaml --set init_from=prefixed.safetensors
says "… get the map that fits" "map: {fc1: model.fc1, fc2: model.fc2, fc3: model.fc3}"
says "… and a word about it" "names in the file begin with 'model.'"
map=$(grep -o 'map: {.*}' <<< "$out" | cut -d ' ' -f 2-)
exits 0 "… which is taken" "$GTRAIN" check three.yaml --set init_from=prefixed.safetensors --set "init_from.map=$map"
says "… completely" "init_from: 6 of 6 tensors"
zeros other.weight:9*9 > misfit.safetensors
exits 78 "shapes that do not fit" "$GTRAIN" check three.yaml --set init_from=misfit.safetensors
check "… are not suggested" test -z "$(grep 'map: {' <<< "$out")"

# A norm does not need its counter; without another tensor it is not taken, which a finding says.
zeros norm.{weight,bias,running_mean,running_var}:2 head.weight:1*2 head.bias:1 > uncounted.safetensors
zeros norm.{weight,bias,running_var}:2 head.weight:1*2 > incomplete.safetensors
sed 's/^model.*/model: [{batch_norm: {name: norm}}, {linear: {units: 1, name: head}}]/' line.yaml > counted.yaml
for map in '{}' '{norm.weight: norm.weight, norm.running_mean: norm.running_mean}'; do
  exits 0 "a norm without a counter" "$GTRAIN" check counted.yaml --set init_from=uncounted.safetensors --set "init_from.map=$map"
  says "… is taken" "init_from: 6 of 7 tensors"
  silent "… without a warning"
done
exits 0 "one without its mean" "$GTRAIN" check counted.yaml --quiet --set init_from=incomplete.safetensors
says "… is not taken" "layer 'norm' has no running_mean there [lost_weights]"
exits 0 "a layer without the bias of the file" "$GTRAIN" check line.yaml --quiet --set init_from=line.safetensors --set 'model.0.linear.bias=false'
says "… drops it" "layers take only a part of what they have in line.safetensors; dropped: linear1.bias [lost_weights]"
exits 0 "a norm left out by its tensors" "$GTRAIN" check counted.yaml --set init_from=uncounted.safetensors --set 'init_from.map={"norm.*": ~, head.bias: ~}'
silent "… is meant"
exits 0 "… with intent" "$GTRAIN" check counted.yaml --set init_from=incomplete.safetensors --set 'init_from.map={norm: ~}'
says "… head alone is taken" "init_from: 1 of 7 tensors"
silent "… without a warning"
for command in "eval line.safetensors" "predict line.safetensors --input line.csv"; do
  # shellcheck disable=SC2086
  exits 65 "${command%% *} a file of another program" "$GTRAIN" $command
  says "… is told" "it was written by another program"
  says "… and where to put it" "--init"
done
head -c 330 line.safetensors > short.safetensors
exits 65 "a file of another program that is cut off" "$GTRAIN" inspect short.safetensors
sed 's/gtrain.xxh3/gtrain.xxh2/' dense/model.bin > renamed.bin
exits 65 "a model whose hash is gone" train dense none --init renamed.bin
says "… is damaged, not foreign" "the file is damaged"
finish
