#!/usr/bin/env bash
# A logic network trains; eval, --fail-if and predict use its hard gates; the wiring is read from the model file.
source "$(dirname "$0")/../support/cli.sh"

run=$TEST_TMP/run
exits 0 "digits_logic trains" "$GTRAIN" train configs/digits_logic.yaml --device "$DEVICE" --run-dir "$run" --quiet --json
trained=$out
exits 0 "the circuit is good" "$GTRAIN" eval "$run/model.bin" --device "$DEVICE" --json --quiet \
  --fail-if 'accuracy<0.9' --fail-if 'soft_accuracy<0.92'
check "eval agrees with training" grep -qF "\"test\":{$(sed 's|.*\("loss":.*"soft_accuracy":[0-9.]*\),.*|\1|' <<< "$out")}" <<< "$trained"
says "eval tells the soft accuracy" '"soft_accuracy":'
check "metrics tell both" grep -q '"split":"test","loss":.*"accuracy":.*"soft_loss":.*"soft_accuracy":' "$run/metrics.jsonl"

# Another seed would draw another wiring, but eval uses the wiring in the file.
exits 0 "eval with another seed" "$GTRAIN" eval "$run/model.bin" --device "$DEVICE" --quiet --set seed=2 --split train \
  --fail-if 'accuracy<0.9'
exits 0 "predict" "$GTRAIN" predict "$run/model.bin" --input datasets/digits/digits.csv --device "$DEVICE" \
  --output "$TEST_TMP/out.csv"
exits 0 "inspect" "$GTRAIN" inspect "$run/model.bin"
says "the wiring is in the file" "logic1.wiring"

# The same run, interrupted and resumed, gives the same bits.
exits 0 "half a run" "$GTRAIN" train configs/digits_logic.yaml --device "$DEVICE" --run-dir "$TEST_TMP/half" --quiet \
  --set train.epochs=3
exits 0 "the same again" "$GTRAIN" train configs/digits_logic.yaml --device "$DEVICE" --run-dir "$TEST_TMP/again" \
  --quiet --set train.epochs=3
check "equal bytes" cmp "$TEST_TMP/half/metrics.jsonl" "$TEST_TMP/again/metrics.jsonl"

exits 0 "a model without gates" "$GTRAIN" train configs/xor.yaml --device "$DEVICE" --quiet --run-dir "$TEST_TMP/xor"
exits 2 "has no soft accuracy" "$GTRAIN" eval "$TEST_TMP/xor/model.bin" --device "$DEVICE" --quiet \
  --fail-if 'soft_accuracy<0.5'
exits 78 "too few gates" "$GTRAIN" check configs/digits_logic.yaml --set 'model=[{logic: 20}, {group_sum: 10}]'
says "with the reason" "too few to read all values"
exits 78 "unequal groups" "$GTRAIN" check configs/digits_logic.yaml --set 'model=[{logic: 45}, {group_sum: 10}]'
says "with the reason" "equal groups"
exits 78 "too few pairs" "$GTRAIN" check configs/xor.yaml --set 'model=[{logic: {units: 9, wiring: unique}}]'
says "with the reason" "pairs"

# Mistakes in a logic convolution: each error is at its key.
conv() {
  exits 78 "a convolution with $1" "$GTRAIN" check configs/digits_logic_conv.yaml \
    --set "model=[{reshape: [8, 8, 1]}, {logic_conv2d: {$1}}, flatten, {group_sum: 10}]"
  says "says so" "$2"
}
conv 'channels: 10, kernel: 9' "has a kernel of 9, but with padding there are 8 rows in 'reshape1'"
conv 'channels: 10, pool: 7' "has pooling windows of 7, but its kernels have 6 positions along the rows"
conv 'channels: 10, depth: 5' "at most 4"
conv 'channels: 10, padding: same' "expected an integer, found 'same'"
exits 78 "too few kernels" "$GTRAIN" check configs/digits_logic_conv.yaml \
  --set 'model=[{reshape: [4, 4, 4]}, {logic_conv2d: 1}, flatten, {linear: 10}]'
says "with the reason" "too few to read all channels"
exits 78 "no image" "$GTRAIN" check configs/digits_logic_conv.yaml --set 'model=[{logic_conv2d: 10}]'
says "with the reason" "needs an image"
finish
