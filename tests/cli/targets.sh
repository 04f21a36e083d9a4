#!/usr/bin/env bash
# Targets that are far from mean 0 and standard deviation 1 are scaled for the loss; predictions and metrics have the
# units of the data.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

# Three targets; `near` needs no scaling. Every fifth row is held out.
awk 'BEGIN {
  srand(3)
  print "a,b,load,price,near,w,fold"
  for (i = 0; i < 240; i++) {
    a = 2 * rand() - 1; b = 2 * rand() - 1; z = sin(2 * a) + b * b
    printf "%.6f,%.6f,%.4f,%.6f,%.6f,%d,%s\n", a, b, 7000 + 900 * z, 50 + 12 * b, z, 1 + i % 3, i % 5 ? "train" : "test"
  }
}' > "$TEST_TMP/t.csv"
cat > "$TEST_TMP/run.yaml" << YAML
data: {train: $TEST_TMP/t.csv, inputs: [a, b], target: load, task: regression, split: {column: fold}}
model: [{linear: 16}, tanh, {linear: 1}]
loss: mse
metrics: [mae, r2]
optimizer: {type: adam, lr: 0.02}
train: {epochs: 40, batch_size: 32, eval_every: 20, checkpoint: {every: 10, keep_last: 4}}
YAML
train() { "$GTRAIN" train "$TEST_TMP/run.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$1" "${@:2}"; }
checks() { "$GTRAIN" check "$TEST_TMP/run.yaml" "$@"; }
# same_number A B TOLERANCE: true if A and B differ by at most TOLERANCE times B.
same_number() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; exit !(a != "" && b != "" && d * d <= t * t * b * b) }'; }
metric() { sed -n "s/.*\"test\":{[^}]*\"$2\":\([^,}]*\).*/\1/p" <<< "$1"; }

# --- when targets are scaled ----------------------------------------------------------------------------------------
exits 0 "check" checks
line=$(grep '^targets' <<< "$out")
says "… says so" "targets         'load' standardized by mean 7"
says "… and how to leave them" "(turn off with data: {normalize_targets: none})"
awk -F, -v OFS=, 'NR == 2 { $3 = 1e9 } { print }' "$TEST_TMP/t.csv" > "$TEST_TMP/held_out.csv"
exits 0 "1e9 in a test row" checks --set data.train="$TEST_TMP/held_out.csv"
check "… changes no statistic" test -n "$line" -a "$line" = "$(grep '^targets' <<< "$out")"
exits 0 "as JSON" checks --json
says "… the numbers" '"scaled_targets":[{"mean":7'
mean=$(sed -n 's/.*"scaled_targets".*"mean":\([^,}]*\).*/\1/p' <<< "$out")
deviation=$(sed -n 's/.*"scaled_targets".*"deviation":\([^,}]*\).*/\1/p' <<< "$out")
# unscaled NAME OPTION…: with these options, targets are not scaled.
unscaled() {
  exits 0 "$1" checks "${@:2}"
  check "… is not scaled" test -z "$(grep '^targets' <<< "$out")"
}
unscaled "a target near mean 0 and deviation 1" --set data.target=near
unscaled "none" --set data.normalize_targets=none
unscaled "an expression that scales" --set 'model=[{linear: 1}, {expression: "7000 + 900*x"}, {reshape: [1]}]'
unscaled "an activation at the end" --set 'model=[{linear: 1}, relu]'
unscaled "reshaped inputs" --set "data.shape=[2]"
unscaled "class labels" --set data.target=fold --set data.task=classification --set data.split=random --set data.validation=0.1 \
  --set 'model=[{linear: 2}]' --set loss=cross_entropy --set 'metrics=[]'
exits 0 "standard" checks --set data.target=near --set data.normalize_targets=standard
says "… scales any target" "'near' standardized by mean"
# refused NAME TEXT OPTION…: with these options, scaling is an error with this text.
refused() {
  exits 78 "$1" checks --set data.normalize_targets=standard "${@:3}"
  says "… says why" "$2"
}
refused "standard for classes" "the targets are classes, which have no scale" --set data.target=fold --set data.split=random \
  --set data.task=classification --set 'model=[{linear: 2}]' --set loss=cross_entropy --set 'metrics=[]'
refused "standard for bce" "loss 'bce' does not train the outputs to equal the targets" \
  --set 'data={inputs: [[0], [1]], targets: [[0], [1]], normalize_targets: standard}' --set loss=bce --set 'metrics=[]'
exits 78 "an unknown way" checks --set data.normalize_targets=standart
says "… suggests the right one" "did you mean 'standard'?"

# --- the same error as with targets scaled by hand, but in the units of the data ------------------------------------
exits 0 "a run" train whole
says "… says so" "targets: 'load' standardized by mean 7"
check "rmse is in metrics.jsonl, without being asked for" grep -q '"rmse":' "$TEST_TMP/whole/metrics.jsonl"
auto=$(sed -n 's/.* rmse \([0-9.]*\)$/\1/p' <<< "$out")
awk -F, -v OFS=, -v CONVFMT=%.9g -v m="$mean" -v d="$deviation" 'NR > 1 { $3 = ($3 - m) / d } { print }' "$TEST_TMP/t.csv" \
  > "$TEST_TMP/hand.csv"
exits 0 "scaled by hand" train hand --json --quiet --set data.train="$TEST_TMP/hand.csv" --set 'metrics=[rmse]'
hand=$(metric "$out" rmse)
check "rmse $auto is $deviation times $hand" awk -v a="$auto" -v b="$hand" -v d="$deviation" \
  'BEGIN { exit !(a > 0 && a < 100 && a < 1.001 * d * b && a > 0.999 * d * b) }'
exits 0 "unscaled" train raw --json --quiet --set data.normalize_targets=none --set 'metrics=[rmse]'
check "… it would be ten times that" awk -v a="$auto" -v b="$(metric "$out" rmse)" 'BEGIN { exit !(b > 10 * a) }'

predict() { "$GTRAIN" predict "$TEST_TMP/$1/model.bin" "$TEST_TMP/${2-t}.csv" --device "$DEVICE" -q; }
# rmse RUN COLUMN OUTPUT: the rmse between a column of the data and a column of the predictions, over the test rows.
rmse() {
  predict "$1" > "$TEST_TMP/predicted"
  paste -d' ' <(tail -n +2 "$TEST_TMP/t.csv" | tr , ' ') "$TEST_TMP/predicted" |
    awk -v c="$2" -v p="$3" '$7 == "test" { d = $c - $(7 + p); s += d * d; n++ } END { print sqrt(s / n) }'
}
check "predictions have the data's units" same_number "$(rmse whole 3 1)" "$auto" 1e-4
exits 0 "eval" "$GTRAIN" eval "$TEST_TMP/whole/model.bin" --device "$DEVICE" --json --quiet --fail-if 'rmse>100' --fail-if 'loss>0.02' \
  --set quiet=scaled_loss
check "… of the same numbers" same_number "$(sed 's/.*"rmse":\([^,}]*\).*/\1/' <<< "$out")" "$auto" 1e-5
# New data with another mean: the model uses the mean of its training data.
awk -F, -v OFS=, 'NR > 1 { $3 += 5000 } { print }' "$TEST_TMP/t.csv" > "$TEST_TMP/shifted.csv"
says "… against the mean in the units of the loss" '"metric":"loss","value":1.1'
exits 0 "eval of shifted data" "$GTRAIN" eval "$TEST_TMP/whole/model.bin" --device "$DEVICE" --json --quiet \
  --set data.train="$TEST_TMP/shifted.csv" --fail-if 'mae<4900' --fail-if 'mae>5100'

# --- resumed --------------------------------------------------------------------------------------------------------
goes_on whole metrics.jsonl
exits 65 "not with other targets" train whole --resume --set data.train="$TEST_TMP/shifted.csv"
exits 65 "not a run with unscaled targets, such as an old one" train raw --resume
says "… says how" "resume it with --set data.normalize_targets=none"
exits 0 "… so it goes on" train raw --resume --set data.normalize_targets=none --set 'metrics=[rmse]'

# --- several targets, weights, accumulated batches, L-BFGS ----------------------------------------------------------
two=(--set 'data.target=[load, price]' --set data.weight=w --set model.2.linear=2 --json -q)
exits 0 "two targets" train two "${two[@]}" --set train.accumulate=2 --set train.epochs=80
both=$out
check "load is learned" awk -v v="$(metric "$both" r2.load)" 'BEGIN { exit !(v > 0.98) }'
check "price, too" awk -v v="$(metric "$both" r2.price)" 'BEGIN { exit !(v > 0.98) }'
exits 0 "L-BFGS" train lbfgs "${two[@]}" --set optimizer=lbfgs --set train.epochs=40
check "… learns both" awk -v a="$(metric "$out" r2.load)" -v b="$(metric "$out" r2.price)" 'BEGIN { exit !(a > 0.98 && b > 0.98) }'
exits 0 "from a model with other scales" train from --set init_from.model="$TEST_TMP/whole/model.bin" --set data.train="$TEST_TMP/shifted.csv"
says "… says so" "targets use other normalization statistics than"
short=("${two[@]}" --set train.accumulate=2 --set train.epochs=6 --set train.eval_every=0)
if grep -q '^vulkan' <<< "$("$GTRAIN" devices 2>&1)"; then
  DEVICE=cpu exits 0 "a short run on the CPU" train short "${short[@]}"
  both=$out
  DEVICE=vulkan exits 0 "on Vulkan" train vulkan "${short[@]}"
  for name in loss rmse.load rmse.price mae; do
    check "… $name is the same" same_number "$(metric "$out" $name)" "$(metric "$both" $name)" 1e-3
  done
fi

# --- formulas -------------------------------------------------------------------------------------------------------
# The symbolic fit chooses functions for the scaled targets; a learning rate of almost 0 keeps the constants in the last
# phase.
awk 'BEGIN {
  srand(5)
  pi = atan2(0, -1)
  print "a,b,y"
  for (i = 0; i < 240; i++) {
    a = 2 * rand() - 1; b = 2 * rand() - 1
    printf "%.6f,%.6f,%.6f\n", a, b, 1000 + 500 * exp(sin(pi * a) + b * b)
  }
}' > "$TEST_TMP/kan.csv"
cat > "$TEST_TMP/kan.yaml" << YAML
data: {train: $TEST_TMP/kan.csv, target: y, task: regression, test_fraction: 0.2}
model: [{kan: {units: 1, grid: 5, range: [-1.2, 1.2]}}, {kan: {units: 1, grid: 5, range: [-2, 2]}}]
optimizer: lbfgs
train:
  batch_size: 200
  eval_every: 0
  phases:
    - {steps: 60}
    - {steps: 1, optimizer: {type: sgd, lr: 1.0e-12}, symbolic: {together: true, library: [x, x^2, sin, exp, tanh]}}
YAML
exits 0 "a KAN, then functions" "$GTRAIN" train "$TEST_TMP/kan.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/kan"
says "… that the targets ask for" "kan2: 1 of 1 edges replaced by functions: 0 -> 0 is exp (1 - R² "
exits 0 "the formula" "$GTRAIN" explain "$TEST_TMP/kan/model.bin" --fail-if 'network_rmse>20'
says "… is in the data's units" "500*exp(sin(pi*a) + b^2) + 1000"
finish
