#!/usr/bin/env bash
# A model must not depend on samples outside the training split. A sample with weight n counts as n samples.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
train() { "$GTRAIN" train "$TEST_TMP/$1.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/$2" "${@:3}"; }

# rows SEED: prints a table in which only the rows with fold 3 or 4 depend on the seed.
rows() {
  awk -v other="$1" 'BEGIN {
    srand(5); print "a,b,item,kind,fold"
    for (i = 0; i < 150; i++) {
      a = 3 * rand() - 1; b = 40 * rand(); item = int(5 * rand()); kind = a + b / 40 + rand()
      fold = i % 5
      if (fold > 2 && other) { a = 1000 * other - 7 * i; b = -a * a; item = (item + other) % 7; kind = i % 3 + other % 2 }
      name = kind > 1.6 ? "high" : kind > 0.9 ? "mid" : "low"
      printf "%.4f,%.4f,%d,%s,%d\n", a, b, item, name, fold
    }
  }'
}
cat > "$TEST_TMP/held.yaml" << YAML
data: {train: $TEST_TMP/held.csv, target: kind, inputs: {wide: [a, b], item: [item]}, integers: [item],
       normalize: {inputs: {wide: standard}}, split: {column: fold, test: 3, validation: 4}}
model:
  - kan: {units: 4, from: wide, grid_update: {}, name: k}
  - embedding: {num_embeddings: 7, embedding_dim: 2, from: item}
  - flatten
  - concatenate: {from: [k, flatten1]}
  - batch_norm
  - linear: 3
loss: {type: cross_entropy, class_weights: [1, 2, 0.5]}
quiet: [missing_class]
train: {epochs: 4, batch_size: 20}
YAML
# trained FILE: the part of a model file that depends only on the training samples: all but the results, the
# fingerprints of the data and the checksum.
trained() {
  tail -c +9 "$1" | sed -E '1s/"(gtrain.xxh3|results|fingerprints)":"([^"\\]|\\.)*",?//g; 1s/\} +/}/g'
}
not() { ! "$@"; }
same() { test -s "$TEST_TMP/$1/model.bin" && cmp -s <(trained "$TEST_TMP/$1/model.bin") <(trained "$TEST_TMP/$2/model.bin"); }
for seed in 0 1 2; do
  rows "$seed" > "$TEST_TMP/held.csv"
  exits 0 "a run with held-out rows of kind $seed" train held "held$seed"
done
check "other held-out rows, the same model" same held0 held1
check "… byte for byte" same held0 held2
check "… which were evaluated" test "$(grep -c '"split":"test"' "$TEST_TMP/held1/metrics.jsonl")" = 1
check "… with other results" test "$(tail -1 "$TEST_TMP/held0/metrics.jsonl")" != "$(tail -1 "$TEST_TMP/held1/metrics.jsonl")"
rows 0 | sed '2s/^[^,]*/0.5/' > "$TEST_TMP/held.csv"
exits 0 "a run with another training row" train held held3
check "… ends in another model" not same held0 held3
rows 0 > "$TEST_TMP/held.csv"
exits 0 "evaluated on a file of its own" "$GTRAIN" eval "$TEST_TMP/held0/model.bin" --device "$DEVICE" \
  --data "$TEST_TMP/held.csv" --fail-if 'samples!=150'

# The weights are whole numbers, so a second file can have w copies of each row instead.
awk 'BEGIN {
  srand(3); print "a,b,y,w"
  for (i = 0; i < 90; i++) { a = rand(); b = rand(); printf "%.4f,%.4f,%.4f,%d\n", a, b, sin(3 * a) + b * b, i % 4 % 3 }
}' > "$TEST_TMP/weighed.csv"
awk -F, 'NR == 1 { print; next } { for (k = 0; k < $4; k++) print $1 "," $2 "," $3 ",1" }' "$TEST_TMP/weighed.csv" \
  > "$TEST_TMP/copied.csv"
for name in weighed copied; do
  cat > "$TEST_TMP/$name.yaml" << YAML
seed: 3
data: {train: $TEST_TMP/$name.csv, test: $TEST_TMP/$name.csv, target: y, weight: w, normalize: none}
model: [{linear: 12}, tanh, {linear: 1}]
optimizer: {type: sgd, lr: 0.1}
quiet: [repeated_samples]
train: {steps: 30, batch_size: 200}
YAML
done
# loss RUN: the loss in the last line of the metrics, cut to a few digits.
loss() { tail -1 "$TEST_TMP/$1/metrics.jsonl" | sed 's/.*"loss":\([0-9.]\{7\}\).*/\1/'; }
like() { check "… the same loss as $2" test "$(loss "$1")" = "$(loss "$2")"; }
exits 0 "a run with copies of rows" train copied copies
exits 0 "a run with weights" train weighed weights
like weights copies
exits 0 "evaluated in batches" train weighed batches --set train.eval_batch_size=7
like batches copies
exits 0 "a step of several batches" train weighed parts --set train.batch_size=15 --set train.accumulate=6
like parts copies
exits 0 "by L-BFGS, with copies" train copied searched --set optimizer=lbfgs --set train.steps=5
exits 0 "… with weights" train weighed search --set optimizer=lbfgs --set train.steps=5
like search searched
exits 0 "batches of one sample, many of weight 0" train weighed ones --set train.batch_size=1 --set train.steps=60
exits 0 "… two at a time" train weighed twos --set train.batch_size=1 --set train.accumulate=2 --set train.steps=60
exits 78 "samples with weights are not mixed" "$GTRAIN" check configs/digits.yaml --set data.weight=p03 \
  --set 'data.shape=[9, 7, 1]' --set 'augment=[mixup]' --set 'model=[flatten, {linear: 10}]'
says "… with the reason" "samples with weights (data.weight) cannot be mixed"
exits 0 "all samples are counted" "$GTRAIN" eval "$TEST_TMP/weights/model.bin" --device "$DEVICE" --fail-if 'samples!=90'
cut -d, -f1-3 "$TEST_TMP/copied.csv" > "$TEST_TMP/plain.csv"
exits 0 "a model evaluates a file without weights" "$GTRAIN" eval "$TEST_TMP/weights/model.bin" --device "$DEVICE" \
  --data "$TEST_TMP/plain.csv"
says "… and says so" "there is no column 'w' with weights, so all samples count the same"
says "… to the same loss" "loss $(loss copies)"
finish
