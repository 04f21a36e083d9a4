#!/usr/bin/env bash
# A new kind of change at the start of a training phase needs only one file, here multiply.c, which src/ does not know.
# It is read from the config, listed in the schema, applied between phases and recorded in checkpoints, and a run can be
# resumed before and after it.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
GUEST=$(dirname "$GTRAIN")/guest/gtrain

cat > "$TEST_TMP/run.yaml" << 'YAML'
seed: 3
data: {formula: "x0 - 2*x1", range: [-1, 1], samples: 64, test_samples: 16}
model: [{linear: 1}]
loss: mse
optimizer: {type: sgd, lr: 0.1}
train:
  batch_size: 64
  checkpoint: {every: 2, keep_last: 9}
  phases:
    - steps: 4
    - {steps: 4, multiply: -1}
YAML
train() { "$GUEST" train "$TEST_TMP/run.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$1" "${@:2}"; }
# loss FILE STEP: the loss on the test split
loss() { sed -n "s/.*\"step\":$2,.*\"split\":\"test\".*\"loss\":\([^,}]*\).*/\1/p" "$1/metrics.jsonl"; }

exits 78 "the program that is shipped does not know the change" "$GTRAIN" check "$TEST_TMP/run.yaml"
says "… and says so" "unknown key 'multiply' in a phase"
exits 0 "with its file it does" "$GUEST" check "$TEST_TMP/run.yaml"
exits 0 "the schema has it" "$GUEST" schema multiply
says "… with its key" "by"
sed 's/- steps: 4/- {steps: 4, multiply: 1}/' "$TEST_TMP/run.yaml" > "$TEST_TMP/early.yaml"
exits 78 "in the first phase" "$GUEST" check "$TEST_TMP/early.yaml"
says "… it is refused in its own words" "there is nothing to multiply yet"
sed 's/multiply: -1/multiply: -1, prune: {}/' "$TEST_TMP/run.yaml" > "$TEST_TMP/both.yaml"
exits 78 "with another change" "$GUEST" check "$TEST_TMP/both.yaml"
says "… too" "a phase can start with 'multiply' or 'prune', not with both"

exits 0 "a run" train whole
says "… says what it did" "multiplied by -1"
check "… and kept what was before" test -s "$TEST_TMP/whole/unmultiplied.bin"
"$GUEST" eval "$TEST_TMP/whole/unmultiplied.bin" --device "$DEVICE" --json > "$TEST_TMP/before.json" 2> /dev/null
was=$(sed 's/.*"loss":\([^,}]*\).*/\1/' "$TEST_TMP/before.json")
check "after it the loss is larger" awk -v a="$was" -v b="$(loss "$TEST_TMP/whole" 8)" 'BEGIN { exit !(a > 0 && b > a) }'
for step in 4 6; do
  has=$(grep -c '"multiply":"done"' "$TEST_TMP/whole/checkpoints/step-00000000$step.safetensors")
  check "the checkpoint of step $step notes it only behind it" test "$has" = $((step > 4))
done
goes_on whole
finish
