#!/usr/bin/env bash
# Malicious configs: gtrain exits with code 78 and a position, never by a signal.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

# refused NAME COLUMN ASSIGNMENT…: an error at this column of the last --set assignment.
refused() {
  local name=$1 place=$2 settings=()
  shift 2
  for assignment; do settings+=(--set "$assignment"); done
  exits 78 "$name" "$GTRAIN" check configs/xor.yaml "${settings[@]}"
  says "$name: where" "--set:1:$place: error: "
}

# A value that its schema rejects is not used in later checks.
refused "from: a list in a list" 35 'model=[{linear: {units: 1, from: [[a, b]]}}]'
refused "from: a map in a list" 35 'model=[{linear: {units: 1, from: [{}]}}]'
refused "from: nothing in a list" 35 'model=[{linear: {units: 1, from: [~]}}]'
refused "a batch out of range" 18 'data={inputs: [[0, 0, 0, 0]], targets: [[1]]}' 'model=[flatten, {logic: 4}]' \
  train.batch_size=4611686018427387904
refused "a batch below 1" 18 'model=[flatten, {linear: 1}]' train.batch_size=0

# Too many values: an error at the setting that requests them, before a count overflows.
refused "10^12 parameters" 28 'model=[{linear: 1000000}, {linear: 1000000}, {linear: 1}]'
refused "margins of 2^24 on all sides" 31 'model=[{reshape: [1, 1, 2]}, {pad: [16777216, 16777216, 16777216]}, flatten, {linear: 1}]'
exits 0 "a batch of more samples than there are is all of them" "$GTRAIN" check configs/digits.yaml \
  --set train.batch_size=100000000

# The number of samples of a formula is checked before they are computed.
exits 0 "2^31 samples" within 15 "$GTRAIN" check configs/function_regression.yaml --set data.samples=2147483647 \
  --set data.inputs=1 --set 'data.formula=sin(x)'
says "are counted" "2147483647 training"

# Long configs: time and memory must grow in proportion to the length. Each of these configs once took too long. long
# LINE COUNT: a config of COUNT such layers; %d in the line counts them.
long() {
  printf 'data: {inputs: [[0, 0], [0, 1], [1, 0], [1, 1]], targets: [[0], [1], [1], [0]]}\n'
  printf 'loss: mse\ntrain: {steps: 1, batch_size: 4}\nmodel:\n'
  awk -v line="$1" -v count="$2" 'BEGIN { for (i = 1; i <= count; i++) printf line "\n", i }'
}
long '  - relu' 40000 > "$TEST_TMP/deep.yaml"
echo "  - linear: 1" >> "$TEST_TMP/deep.yaml"
exits 0 "40,000 layers" within 15 "$GTRAIN" check "$TEST_TMP/deep.yaml"
long '  - linear: 2' 10000 > "$TEST_TMP/linear.yaml"
echo '  - linear: 1' >> "$TEST_TMP/linear.yaml"
exits 0 "10,000 layers with parameters" within 15 "$GTRAIN" check "$TEST_TMP/linear.yaml"
long '  - relu: {from: unknown_%d}' 10000 > "$TEST_TMP/from.yaml"
exits 78 "10,000 unknown sources" within 15 "$GTRAIN" check "$TEST_TMP/from.yaml"
says "are shown in part" "… and 9900 more errors"
check "in a few words each" test ${#out} -lt 60000
long '  - rellu' 40000 > "$TEST_TMP/type.yaml"
exits 78 "40,000 unknown layers" within 15 "$GTRAIN" check "$TEST_TMP/type.yaml"
{
  printf 'loss: mse\ntrain: {steps: 1, batch_size: 4}\nmodel: [{linear: 1}]\ndata: {targets: [1], inputs: ['
  awk 'BEGIN { for (i = 0; i < 30000; i++) printf "[0, 0], " }'
  printf ']}\n'
} > "$TEST_TMP/line.yaml"
exits 78 "90,000 values on a line" within 15 "$GTRAIN" check "$TEST_TMP/line.yaml"
says "up to the last of them" "the numbers of samples and targets differ"

# Warnings do not crowd out errors.
long '  - linear: {units: 1, from: input}' 300 > "$TEST_TMP/warn.yaml"
exits 78 "300 warnings and an error" "$GTRAIN" check "$TEST_TMP/warn.yaml" --set loss=cross_entropy
says "the error is shown" "the data has 2 classes"
says "the warnings in part" "… and 199 more warnings"
# Other commands than check print the worst 8.
printf 'data: {inputs: [[0, 1], [1, 0], [0, 0]], targets: [0, 1, 1]}\nmodel:\n' > "$TEST_TMP/few.yaml"
for _ in {1..9}; do printf '  - linear: {units: 3, from: input}\n'; done >> "$TEST_TMP/few.yaml"
printf '  - linear: 2\n  - softmax\nloss: cross_entropy\ntrain: {steps: 1, batch_size: 3}\n' >> "$TEST_TMP/few.yaml"
exits 0 "nine warnings" "$GTRAIN" check "$TEST_TMP/few.yaml"
check "… are all shown by check" test "$(grep -c 'warning: ' <<< "$out")" = 9
exits 0 "… by train in part" "$GTRAIN" train "$TEST_TMP/few.yaml" --device cpu --quiet --run-dir "$TEST_TMP/few"
check "… eight" test "$(grep -c 'yaml:.* warning: ' <<< "$out")" = 8
says "… and the number of the others" "… and 1 more warning: gtrain check"
check "… the worst first" grep -q '\[applied_twice\]' <<< "$(grep -m 1 warning <<< "$out")"
exits 78 "… and with --strict all" "$GTRAIN" train "$TEST_TMP/few.yaml" --device cpu --quiet --run-dir "$TEST_TMP/strict" --strict
check "…" test "$(grep -c 'yaml:.* warning: ' <<< "$out")" = 9

# Limits of --fail-if with which a gate would never or always fail.
exits 0 "a model to gate" "$GTRAIN" train configs/xor.yaml --set train.steps=1 --device cpu --quiet \
  --run-dir "$TEST_TMP/gate"
for limit in nan inf -inf 1e999 '' x 0.5x; do
  exits 2 "--fail-if accuracy<$limit" "$GTRAIN" eval "$TEST_TMP/gate/model.bin" --device cpu \
    --fail-if "accuracy<$limit"
done
finish
