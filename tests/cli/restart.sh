#!/usr/bin/env bash
# train.early_stopping.goal ends a run; train.restart_every restarts it until the goal is reached.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/life.yaml" << 'YAML'
data: {format: ca, grid: [3, 3], start: boards, target: life}
model:
  - logic_ca:
      steps: 1
      periodic: true
      strength: 5
      perception: [8, 4, 2, 1]
      update: [128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 64, 32, 16, 8, 4, 2, 1]
loss: sum_squared
optimizer: {type: adamw, lr: 0.05, betas: [0.9, 0.99], weight_decay: 0.01, clip_value: 100}
train: {steps: 60, batch_size: 20, eval_every: 5}
YAML
train() { "$GTRAIN" train "$TEST_TMP/life.yaml" --device "$DEVICE" "$@"; }
goal=(--set model.0.logic_ca.init=normal --set 'train.early_stopping={metric: hard_loss, goal: 0}')
row() { grep "^{\"step\":$2,.*\"split\":\"test\"" "$1/metrics.jsonl" | sed "s/.*\"$3\":\([0-9.]*\).*/\1/"; }

exact() { row "$1" "$2" soft_loss; }
# near RUN STEP: the loss without the digits that depend on the order of the samples.
near() { printf '%.3f' "$(exact "$1" "$2")"; }

exits 0 "a goal at once" train --run-dir "$TEST_TMP/goal" --set 'train.early_stopping={metric: loss, goal: 1000}'
says "the run ends" "after 5 steps"
exits 78 "restart_every needs a goal" train --run-dir "$TEST_TMP/none" --set train.restart_every=20
says "what is missing" "restart_every needs a goal"
for form in hard soft; do
  exits 78 "no $form form" "$GTRAIN" train configs/xor.yaml --set "train.early_stopping={metric: ${form}_loss}"
  says "what to watch" "did you mean 'loss'"
done

# Three attempts of 20 steps each, with the seeds 1, 1 + 1000003 and 1 + 2000006. Each gives the same losses as a run
# with this seed, except that the order of the boards differs.
exits 0 "three attempts" train --run-dir "$TEST_TMP/run" "${goal[@]}" --set train.restart_every=20 \
  --set train.batch_size=512
says "it tells" "attempt 3: new wiring and initial values"
for attempt in 1 2 3; do
  seed=$((1 + (attempt - 1) * 1000003))
  exits 0 "seed $seed alone" train --set model.0.logic_ca.init=normal --run-dir "$TEST_TMP/seed$attempt" --set seed=$seed --set train.batch_size=512
  same=1
  for step in 5 10 20; do
    [[ $(near "$TEST_TMP/run" $((20 * (attempt - 1) + step))) == "$(near "$TEST_TMP/seed$attempt" $step)" ]] || same=0
  done
  check "attempt $attempt is the run of seed $seed" test $same = 1
done
check "the attempts differ" test "$(near "$TEST_TMP/run" 20)" != "$(near "$TEST_TMP/run" 40)" -a "$(near "$TEST_TMP/run" 40)" != "$(near "$TEST_TMP/run" 60)"

# Initial logits depend on which neighbor a wire reads, so each attempt computes them from its own wiring.
cat > "$TEST_TMP/looks.yaml" << 'YAML'
data: {format: ca, grid: [5, 5], channels: 2, start: centre, target: checkerboard}
model: [{logic_ca: {steps: 2, kernels: 3, strength: 3, perception: [8, 4, 2], update: [8, 4, 2], outputs: 1}}]
loss: sum_squared
train: {steps: 40, batch_size: 1, eval_every: 20}
YAML
looks() { "$GTRAIN" train "$TEST_TMP/looks.yaml" --device "$DEVICE" "$@"; }
exits 0 "two attempts" looks --run-dir "$TEST_TMP/looks" --set train.restart_every=20 \
  --set 'train.early_stopping={metric: soft_loss, goal: 0}'
exits 0 "seed 1000004 alone" looks --run-dir "$TEST_TMP/looks2" --set seed=1000004
check "attempt 2 is the run of that seed" test "$(exact "$TEST_TMP/looks" 40)" = "$(exact "$TEST_TMP/looks2" 20)"
check "attempt 1 is not" test "$(exact "$TEST_TMP/looks" 20)" != "$(exact "$TEST_TMP/looks2" 20)"

# model.bin has the weights and the wiring of the best attempt.
best=$(for step in $(seq 5 5 60); do row "$TEST_TMP/run" "$step" loss; done | sort -g | sed -n 1p)
check "there is a best" test -n "$best"
exits 0 "eval of the best" "$GTRAIN" eval "$TEST_TMP/run/model.bin" --device "$DEVICE" --json
says "has its loss" "\"loss\":$best"

# In log lines, results and goals, 'loss' always means the loss of the hard circuit, and 'soft_loss' that of the soft
# gates.
check "no row is there twice" test -z "$(sed 's/,"loss.*//; s/,"soft_loss.*//' "$TEST_TMP/run/metrics.jsonl" | sort | uniq -d)"
check "training is soft" test "$(grep -c '"split":"train","steps":[0-9]*,"soft_loss":' "$TEST_TMP/run/metrics.jsonl")" = 12
step=$(grep -F "\"split\":\"test\",\"loss\":$best," "$TEST_TMP/run/metrics.jsonl" | sed -n 1p | sed 's/{"step":\([0-9]*\).*/\1/')
for metric in loss hard_loss; do
  exits 0 "goal: $metric" train --run-dir "$TEST_TMP/$metric" --set train.batch_size=512 --set train.restart_every=20 --json \
    --set model.0.logic_ca.init=normal --set "train.early_stopping={metric: $metric, goal: $best}"
  says "is reached where the row says so" "\"best_step\":$step,"
done

# If a later attempt reached the goal, resuming the finished run writes the same model.
second=$(exact "$TEST_TMP/run" 40)
later=(--set model.0.logic_ca.init=normal --set train.restart_every=20 --set train.batch_size=512
  --set "train.early_stopping={metric: soft_loss, goal: $second}")
exits 0 "a goal" train --run-dir "$TEST_TMP/later" "${later[@]}" --json
cp "$TEST_TMP/later/model.bin" "$TEST_TMP/later.bin"
exits 0 "and again" train --run-dir "$TEST_TMP/later" "${later[@]}" --resume
check "the same bytes" cmp "$TEST_TMP/later/model.bin" "$TEST_TMP/later.bin"

# Dense layers have another kind of wiring.
exits 0 "attempts of a dense network" "$GTRAIN" train configs/digits_logic.yaml --device "$DEVICE" --run-dir "$TEST_TMP/dense" \
  --set train.epochs=3 --set train.restart_every=1 --set 'train.early_stopping={metric: hard_accuracy, goal: 1}' --json
says "three of them" '"attempts":3'
exits 78 "patience and restarts" "$GTRAIN" train configs/digits_logic.yaml --set train.restart_every=1 \
  --set 'train.early_stopping={metric: hard_accuracy, goal: 1, patience: 2}'
says "why" "patience would stop it"
exits 0 "a goal within min_delta" train --run-dir "$TEST_TMP/delta" --set train.batch_size=512 --json \
  --set 'train.early_stopping={metric: soft_loss, goal: 1.85, min_delta: 1, patience: 100}'
says "is what the model has" '"best_step":15'

# The plan may depend on the wiring of the few gates: attempt 15 needs another plan than attempt 14.
few=(configs/xor.yaml --device "$DEVICE" --set train.steps=16 --set train.restart_every=1 --set train.eval_every=1
  --set 'model=[{threshold: [0.25, 0.75]}, {logic: 4}, {logic: 4}, {group_sum: {groups: 1, tau: 1}}]'
  --set 'train.early_stopping={metric: hard_accuracy, goal: 2}' --set train.checkpoint.keep_last=100)
exits 0 "attempts of few gates" "$GTRAIN" train "${few[@]}" --run-dir "$TEST_TMP/few"
says "the last one" "attempt 16"
cp "$TEST_TMP/few/model.bin" "$TEST_TMP/few.bin"
cp "$TEST_TMP/few/metrics.jsonl" "$TEST_TMP/few.jsonl"
rm "$TEST_TMP/few/model.bin" "$TEST_TMP"/few/checkpoints/*1[56].safetensors
exits 0 "on from attempt 14" "$GTRAIN" train "${few[@]}" --run-dir "$TEST_TMP/few" --resume
check "the same model" cmp "$TEST_TMP/few/model.bin" "$TEST_TMP/few.bin"
check "the same metrics" cmp "$TEST_TMP/few/metrics.jsonl" "$TEST_TMP/few.jsonl"
rm "$TEST_TMP"/few/checkpoints/*16.safetensors
exits 0 "on from attempt 15" "$GTRAIN" train "${few[@]}" --run-dir "$TEST_TMP/few" --resume
check "the same model again" cmp "$TEST_TMP/few/model.bin" "$TEST_TMP/few.bin"
check "the same metrics again" cmp "$TEST_TMP/few/metrics.jsonl" "$TEST_TMP/few.jsonl"

# A run that was stopped between and within attempts ends with the same bytes.
for stop in 20 30 40; do
  dir=$TEST_TMP/stopped$stop
  exits 0 "until step $stop" train --run-dir "$dir" "${goal[@]}" --set train.restart_every=20 --set train.batch_size=512 \
    --set train.checkpoint.keep_last=100
  rm -f "$dir/model.bin"
  for file in "$dir"/checkpoints/*; do
    name=${file##*step-}
    ((10#${name%%.*} > stop)) && rm "$file"
  done
  exits 0 "on from step $stop" train --run-dir "$dir" "${goal[@]}" --set train.restart_every=20 \
    --set train.batch_size=512 --set train.checkpoint.keep_last=100 --resume
  check "the same metrics" cmp "$TEST_TMP/run/metrics.jsonl" "$dir/metrics.jsonl"
  exits 0 "eval of it" "$GTRAIN" eval "$dir/model.bin" --device "$DEVICE" --json
  says "the same model" "\"loss\":$best"
done
finish
