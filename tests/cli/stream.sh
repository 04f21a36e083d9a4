#!/usr/bin/env bash
# Data that do not fit in the device's memory are streamed through windows; results have the same bytes as with resident
# data, for windows of any size.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

# 1294 samples are 21 batches of 64, the last one not full.
cat > "$TEST_TMP/dense.yaml" << 'YAML'
seed: 3
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, validation: 0.1, normalize: {scale: 0.0625}}
model: [{linear: 32}, relu, {dropout: 0.1}, {linear: 10}]
optimizer: {type: adam, lr: 3e-3, clip_norm: 5, ema: 0.9}
schedule: cosine
train: {epochs: 6, batch_size: 64, eval_batch_size: 32, eval_every: 2, log_every: 1, checkpoint: {every: 1, keep_last: 8}}
YAML
train() { "$GTRAIN" train "$TEST_TMP/$1.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$2" "${@:3}"; }
same() { cmp "$TEST_TMP/$1/model.bin" "$TEST_TMP/$2/model.bin" && cmp "$TEST_TMP/$1/metrics.jsonl" "$TEST_TMP/$2/metrics.jsonl"; }
# least COMMAND…: the smallest --memory-limit that works, in bytes, from the error message for a smaller one.
least() {
  "$@" --memory-limit 1K 2>&1 | sed -n 's/.*but at least \([0-9.]*\) \([KM]\)iB.*/\1 \2/p' |
    awk '{ printf "%.0f", $1 * ($2 == "M" ? 1048576 : 1024) + 1 }'
}
# compare CONFIG NAME EXTRAS OPTIONS…: the same result with resident data and with limits that exceed the smallest one
# by each number of bytes in EXTRAS.
compare() {
  local config=$1 name=$2 extras=$3 limit
  shift 3
  exits 0 "$name: whole" train "$config" "$name" --quiet "$@"
  limit=$(least train "$config" refused "$@")
  for extra in $extras; do
    exits 0 "$name: $extra bytes more than the least" train "$config" "$name-$extra" --memory-limit $((limit + extra)) "$@"
    says "… some of it streams" ") streams through"
    check "… to the same bytes" same "$name" "$name-$extra"
  done
}

if [[ -n ${TEST_BRIEF-} ]]; then
  compare dense dense "0 120000" --set train.epochs=3
  compare dense accumulate "150000" --set train.batch_size=16 --set train.accumulate=5 --set train.epochs=2
  finish
fi
compare dense dense "0 17000 40000 120000"
compare dense small "0 3000" --set train.batch_size=7 --set train.epochs=2
# With sample weights: a pixel, from 0 to 16.
compare dense weights "17000" --set data.weight=p03 --set train.epochs=2
compare dense accumulate "0 17000 60000 150000" --set train.batch_size=16 --set train.accumulate=5
sed 's/epochs: 6/phases: [{epochs: 1}, {epochs: 2, train.batch_size: 100}, {steps: 5, optimizer.lr: 1e-4}]/' \
  "$TEST_TMP/dense.yaml" > "$TEST_TMP/phases.yaml"
compare phases phases "90000"
exits 71 "a phase that has no room" train phases late --memory-limit "$(least train dense refused)"
says "… is named before the first begins" "phase 2: --memory-limit"
check "… indeed" test "${out/epoch/}" = "$out"
compare dense restart "30000" --set train.restart_every=2 --set 'train.early_stopping={metric: accuracy, goal: 0.999}'

# A limit that is large enough changes nothing, and prints nothing.
exits 0 "room for all" train dense roomy --memory-limit 1G
check "… is not mentioned" test "${out/streams/}" = "$out"
check "… and changes nothing" same dense roomy

# A run resumes from any step, also within a chunk, with another limit or without a limit.
limit=$(least train dense refused)
for step in 2 5; do
  rm -rf "$TEST_TMP/again"
  cp -r "$TEST_TMP/dense" "$TEST_TMP/again"
  rm "$TEST_TMP/again/model.bin"
  for later in "$TEST_TMP"/again/checkpoints/*; do
    [[ ${later##*-0} > $(printf '%07d' $((step * 21))).safetensors ]] && rm "$later"
  done
  exits 0 "gone on after epoch $step" train dense again --resume --memory-limit $((limit + 40000))
  says "… indeed" "resuming"
  check "… to the same bytes" same dense again
done
exits 0 "gone on without a limit" train dense dense-17000 --resume
check "… to the same bytes" same dense dense-17000

# A run is stopped at any time and resumed.
exits 0 "a longer run" train dense long --quiet --set train.epochs=60
(
  trap - INT # background processes of a script ignore it by default
  exec "$GTRAIN" train "$TEST_TMP/dense.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/stopped" --memory-limit $((limit + 40000)) \
    --set train.epochs=60 > /dev/null 2>&1
) &
pid=$!
while kill -0 $pid 2> /dev/null && [[ ! -d $TEST_TMP/stopped/checkpoints ]]; do sleep 0.01; done
kill -INT $pid 2> /dev/null
code=0
wait $pid || code=$?
check "stopped by a signal, or done" test $code = 75 -o -e "$TEST_TMP/stopped/model.bin"
exits 0 "gone on" train dense stopped --resume --set train.epochs=60 --memory-limit "$limit"
check "… to the same bytes" same long stopped

# Evaluation and prediction stream data, too.
digits() { "$GTRAIN" "$1" "$TEST_TMP/dense/model.bin" --device "$DEVICE" "${@:2}"; }
for split in train test; do
  digits eval --split $split --json > "$TEST_TMP/whole.json" 2> /dev/null
  limit=$(least digits eval --split $split)
  for extra in 0 30000; do
    digits eval --split $split --memory-limit $((limit + extra)) --json > "$TEST_TMP/window.json" 2> "$TEST_TMP/err"
    check "eval of $split streams" grep -q 'streams through' "$TEST_TMP/err"
    check "… to the same result" cmp "$TEST_TMP/whole.json" "$TEST_TMP/window.json"
  done
done
digits predict datasets/digits/digits.csv --output "$TEST_TMP/whole.npy" > /dev/null 2>&1
limit=$(least digits predict datasets/digits/digits.csv)
exits 0 "predict" digits predict datasets/digits/digits.csv --output "$TEST_TMP/window.npy" --memory-limit "$limit"
says "… streams" "streams through"
check "… to the same outputs" cmp "$TEST_TMP/whole.npy" "$TEST_TMP/window.npy"
exits 0 "bench train" "$GTRAIN" bench train "$TEST_TMP/dense.yaml" --device "$DEVICE" --steps 30 --profile \
  --memory-limit $(($(least train dense refused) + 40000))
says "… streams" "streams through"

# Data of bytes, several inputs, numbers as targets, and line searches, which read all data repeatedly.
cat > "$TEST_TMP/pictures.yaml" << 'YAML'
seed: 1
data: {train: datasets/clothes/train, test: datasets/clothes/test, size: [28, 28], channels: 1, normalize: channel}
model: [{conv2d: {out_channels: 4, kernel_size: 3, stride: 2}}, relu, flatten, {linear: 5}]
optimizer: {type: adamw, lr: 2e-3}
train: {epochs: 3, batch_size: 10, eval_batch_size: 9, log_every: 1}
YAML
compare pictures pictures "0 20000 70000"
compare pictures augmented "20000" --set 'augment=[{random_crop: {padding: 2}}, random_horizontal_flip, {mixup: 0.2}]' --set eval.flip=true
sed 's/epochs: 150/epochs: 8/; s/eval_every: 50/eval_every: 4/' configs/wide_and_deep.yaml > "$TEST_TMP/inputs.yaml"
compare inputs inputs "0 4000" --set train.eval_batch_size=16
cat > "$TEST_TMP/search.yaml" << 'YAML'
seed: 1
data: {formula: "exp(sin(pi*x0) + x1^2)", range: [-1, 1], samples: 1000, test_samples: 500}
model: [{linear: 8}, tanh, {linear: 1}]
optimizer: lbfgs
train: {steps: 20, log_every: 1, eval_every: 5, batch_size: 64, eval_batch_size: 100}
YAML
compare search search "0 3000 6000"

# If the loss of a step is not finite, the batch that causes it is found with streamed data, too.
cat > "$TEST_TMP/bad.yaml" << 'YAML'
data: {formula: "x0", range: [-0.02, 1], samples: 2000}
model: [{expression: {expression: "log(x)", name: logarithm}}, {linear: 1}]
train: {steps: 2000, batch_size: 4}
YAML
limit=$(($(least train bad refused) + 100))
exits 65 "a bad sample" train bad bad --memory-limit $limit
says "… streams" "streams through"
says "… names its layer" "logarithm"

# Weights of samples count: 6300 rows of an input, a target and a weight.
awk 'BEGIN { print "x,y,w"; for (i = 0; i < 9000; i++) print i * 7 % 11 + i / 1e4 "," i % 5 "," 1 + i % 3 }' > "$TEST_TMP/weighted.csv"
printf '%s\n' "data: {train: $TEST_TMP/weighted.csv, target: y, weight: w, task: regression, test_fraction: 0.3}" 'model: [{linear: 1}]' \
  'train: {epochs: 1, batch_size: 1000, eval_batch_size: 1000}' > "$TEST_TMP/weighted.yaml"
exits 0 "weights of samples" train weighted weighted --memory-limit "$(least train weighted refused)"
says "… stream, too" "train (73.8 KiB) streams through 11.7 KiB"

exits 71 "too little" train dense little --memory-limit 20K
says "… says what will do" "but at least"
for size in "" x 1X -1 0 1KK 12MBB; do exits 2 "no size: '$size'" train dense none --memory-limit "$size"; done
finish
