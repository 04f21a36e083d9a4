#!/usr/bin/env bash
# Runs with L-BFGS: they learn, resume to the same bytes, do not depend on the number of threads or the batch size, and
# report convergence and unsupported settings.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/run.yaml" << 'YAML'
seed: 1
data: {formula: "exp(sin(pi*x0) + x1^2)", range: [-1, 1], samples: 1000, test_samples: 500}
model: [{linear: 20}, tanh, {linear: 20}, tanh, {linear: 20}, tanh, {linear: 1}]
optimizer: lbfgs
train: {steps: 60, log_every: 1, eval_every: 20, batch_size: 1000, checkpoint: {every: 10, keep_last: 10}}
YAML
train() { "$GTRAIN" train "$TEST_TMP/run.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$1" "${@:2}"; }
losses() { sed -n 's/.*"split":"train","steps":1,"loss":\([^,]*\),.*/\1/p' "$TEST_TMP/$1/metrics.jsonl"; }

exits 0 "60 steps" train whole --set train.threads=1
check "each loses less than the one before" awk 'NR > 1 && $1 > last { bad = 1 } { last = $1 } END { exit bad || NR != 60 }' <(losses whole)
check "they learn" "$GTRAIN" eval "$TEST_TMP/whole/model.bin" --device "$DEVICE" --fail-if 'loss>0.01'
exits 0 "on two threads" train threads --set train.threads=2
check "… the same bytes" cmp "$TEST_TMP/whole/model.bin" "$TEST_TMP/threads/model.bin"
for step in 10 40; do
  cp -r "$TEST_TMP/whole" "$TEST_TMP/again"
  rm "$TEST_TMP/again/model.bin"
  for later in "$TEST_TMP"/again/checkpoints/*; do [[ ${later##*-0} > $(printf '%08d' $step).safetensors ]] && rm "$later"; done
  exits 0 "resumed from step $step" train again --resume --set train.threads=1
  says "… indeed" "at step $step"
  check "… to the same bytes" cmp "$TEST_TMP/whole/model.bin" "$TEST_TMP/again/model.bin"
  check "… and metrics" cmp "$TEST_TMP/whole/metrics.jsonl" "$TEST_TMP/again/metrics.jsonl"
  rm -r "$TEST_TMP/again"
done
exits 0 "in batches of 300" train batches --set train.batch_size=300 --set train.steps=10
check "… the first steps lose the same" awk '
  { d = $1 - $2; if (d < 0) d = -d; if (!(d <= 1e-3 * $2)) bad = 1 } END { exit bad || NR != 10 }' \
  <(paste -d ' ' <(losses batches) <(losses whole | sed -n 1,10p))

exits 0 "a line through two points" "$GTRAIN" train "$TEST_TMP/run.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/line" \
  --set 'data={inputs: [[0], [1]], targets: [[1], [3]]}' --set 'model=[{linear: 1}]' --set train.steps=1000
says "… is soon found" "L-BFGS converged after step"
check "… and exactly" "$GTRAIN" eval "$TEST_TMP/line/model.bin" --split train --device "$DEVICE" --fail-if 'loss>1e-10'
exits 0 "after Adam" train phases --set 'train={batch_size: 100, phases: [{epochs: 2, optimizer: {type: adam, lr: 0.01}}, {steps: 30}]}' \
  --set 'optimizer=adam' --set 'train.phases=[{epochs: 2, optimizer: {type: adam, lr: 0.01}}, {steps: 30, optimizer: lbfgs}]'
check "… it goes further" "$GTRAIN" eval "$TEST_TMP/phases/model.bin" --device "$DEVICE" --fail-if 'loss>0.3'
exits 0 "epochs of it" train epochs --set 'train={batch_size: 300, phases: [{epochs: 1, optimizer: {type: adam}}, {epochs: 2, optimizer: lbfgs}]}'
says "… are steps of all data" "step 6/6"
says "… from the beginning" "step 4/6"

# Only on the CPU, where this takes seconds; a software device would take minutes.
if [[ $DEVICE == cpu ]]; then
  exits 0 "the bundled config" "$GTRAIN" train configs/function_lbfgs.yaml --device "$DEVICE" --run-dir "$TEST_TMP/bundled" --quiet
  # Evaluates the training points, because the error on other points depends on the rounding of sums, and so on the
  # processor.
  check "… reaches an error of 0.001" "$GTRAIN" eval "$TEST_TMP/bundled/model.bin" --split train --device "$DEVICE" \
    --quiet --fail-if 'loss>1e-6'
  check "… and of 0.002 on other points" "$GTRAIN" eval "$TEST_TMP/bundled/model.bin" --split test --device "$DEVICE" \
    --quiet --fail-if 'loss>4e-6'
fi

exits 65 "a loss that is not finite" train bad --set 'model=[{linear: 1}, {expression: {expression: "log(x)", name: logarithm}}]'
says "… names its layer" "logarithm"
exits 78 "running statistics" train norm --set 'model=[{linear: 8}, batch_norm, tanh, {linear: 1}]'
says "… are refused" "batch_norm1.running_mean"
for key in clip_norm ema; do
  exits 78 "$key" "$GTRAIN" check "$TEST_TMP/run.yaml" --set "optimizer={type: lbfgs, $key: 0.5}"
  says "… is refused" "does not support '$key'"
done
# With a loss that has kinks, the curvature estimate soon gives useless directions; L-BFGS then restarts and continues.
sed -e 's/^optimizer:.*/optimizer: {type: lbfgs, tolerance_change: 0}\nloss: mae/' -e 's/ samples: 1000/ samples: 50/' \
  -e 's/steps: 60/steps: 300/' -e 's/^model:.*/model: [{linear: 8}, tanh, {linear: 1}]/' \
  "$TEST_TMP/run.yaml" > "$TEST_TMP/kinks.yaml"
train() {
  "$GTRAIN" train "$TEST_TMP/kinks.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$1" --set seed=4 --set train.threads=1 "${@:2}"
}
exits 0 "mean absolute errors" train kinks
says "… a new history" "L-BFGS: line search failed after step "
first=$(sed -n 's/^L-BFGS: line search failed after step \([0-9]*\), history reset/\1/p' <<< "$out" | sed -n 1p)
check "… where the run would have ended, it learns" awk -v first="$first" '
  NR == first + 1 { then = $1 } { last = $1 } END { exit !(NR > first + 2 && last < then) }' <(losses kinks)
check "… step by step" awk 'NR > 1 && $1 > last { bad = 1 } { last = $1 } END { exit bad }' <(losses kinks)
goes_on kinks metrics.jsonl
finish
