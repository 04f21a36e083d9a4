#!/usr/bin/env bash
# A run of several phases: each phase has its own settings and starts from the weights of the phase before; the run can
# be stopped and resumed anywhere.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/run.yaml" << 'YAML'
seed: 1
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: {scale: 0.0625}}
model: [{linear: {units: 20, name: body}}, batch_norm, relu, {dropout: 0.1}, {linear: {units: 10, name: head}}]
optimizer: {type: adam, lr: 5e-3, ema: 0.9, parameters: [{match: "body.*", frozen: true}]}
train:
  batch_size: 64
  log_every: 5
  checkpoint: {every: 1, keep_last: 100}
  phases:
    - epochs: 2
    - {epochs: 2, train.batch_size: 512, optimizer.parameters: [], optimizer.lr: 1e-2}
    - {epochs: 2, model.0.linear.units: 28, train.accumulate: 2, optimizer: {type: adamw, lr: 3e-3}, schedule: cosine}
YAML
train() { "$GTRAIN" train "$TEST_TMP/run.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$1" "${@:2}"; }

exits 0 "a run of three phases" train whole --set train.threads=1
says "… says where each begins" "phase 2 of 3, until step 52 of 56"
says "… and the last" "phase 3 of 3, until step 56 of 56"
check "all have learned" "$GTRAIN" eval "$TEST_TMP/whole/model.bin" --device "$DEVICE" --fail-if 'accuracy<0.7'
"$GTRAIN" inspect "$TEST_TMP/whole/model.bin" > "$TEST_TMP/tensors"
check "the model has the last sizes" grep -q 'body.weight *f32 *\[28, 64\]' "$TEST_TMP/tensors"
check "and is a config without phases" sh -c "! grep -q phases '$TEST_TMP/tensors'"
exits 0 "on two threads" train threads --set train.threads=2
check "… the same bytes" cmp "$TEST_TMP/whole/model.bin" "$TEST_TMP/threads/model.bin"
exits 0 "its own config trains" "$GTRAIN" train "$TEST_TMP/whole/config.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/config"
check "… to the same bytes" cmp "$TEST_TMP/whole/model.bin" "$TEST_TMP/config/model.bin"

# --set with a path into a phase: an existing dotted key is replaced, a new key is added.
exits 0 "a key of a phase" "$GTRAIN" check "$TEST_TMP/run.yaml" --set train.phases.1.train.batch_size=100 --set train.phases.0.optimizer.lr=0.1
says "… is replaced" "then 30 steps of 100 samples"
says "… or added, and what else the section has stays" "46 steps of 64 samples, optimizer adam"
says "what a new size drops or begins anew" "phase 3: body.weight changes shape from [20, 64] to [28, 64]: the added values are initialized"
exits 0 "smaller layers" "$GTRAIN" check "$TEST_TMP/run.yaml" --set train.phases.2.model.body.units=5
says "… are cut" "phase 3: body.weight changes shape from [20, 64] to [5, 64]: some values are dropped"

# Resumed from every checkpoint: within a phase, and directly before the next phase.
goes_on whole metrics.jsonl

# A phase inherits the settings that it does not name: three phases of one epoch give the same result as one phase of
# three epochs.
sed 's/^  phases:.*//; /^    - /d' "$TEST_TMP/run.yaml" > "$TEST_TMP/plain.yaml"
for phases in '[{epochs: 3}]' '[{epochs: 1}, {epochs: 1}, {epochs: 1}]'; do
  exits 0 "phases: $phases" "$GTRAIN" train "$TEST_TMP/plain.yaml" --device "$DEVICE" --quiet \
    --run-dir "$TEST_TMP/split-${#phases}" --set train.phases="$phases"
done
exits 0 "three epochs" "$GTRAIN" train "$TEST_TMP/plain.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/plain" --set train.epochs=3
"$GTRAIN" inspect "$TEST_TMP/plain/model.bin" > "$TEST_TMP/a"
weights() { "$GTRAIN" predict "$1/model.bin" --input datasets/digits/digits.csv --output "$2" --device "$DEVICE"; }
exits 0 "answers of one phase" weights "$TEST_TMP/plain" "$TEST_TMP/one.csv"
for phases in '[{epochs: 3}]' '[{epochs: 1}, {epochs: 1}, {epochs: 1}]'; do
  exits 0 "answers of $phases" weights "$TEST_TMP/split-${#phases}" "$TEST_TMP/other.csv"
  check "… are the same" cmp "$TEST_TMP/one.csv" "$TEST_TMP/other.csv"
done

# A phase can switch a setting off with 0: training continues from the weights, not from their moving average, as in a
# run without an average.
off() { # off NAME OPTION…
  "$GTRAIN" train "$TEST_TMP/plain.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/$1" --set train.batch_size=512 "${@:2}"
}
train_off() { off "$1" --set optimizer.ema_statistics=true --set optimizer.clip_norm=9e9 --set optimizer.clip_value=9e9 \
  --set 'train.phases=[{epochs: 1}, {epochs: 1, optimizer.ema: 0, optimizer.clip_norm: 0, optimizer.clip_value: 0}]' "${@:2}"; }
exits 0 "an average and limits that end" train_off off
exits 0 "a run without" off never --set train.phases='[{epochs: 1}, {epochs: 1}]' --set 'optimizer={type: adam, lr: 5.0e-3, parameters: [{match: "body.*", frozen: true}]}'
for run in off never; do exits 0 "answers" weights "$TEST_TMP/$run" "$TEST_TMP/$run.csv"; done
check "are the same" cmp "$TEST_TMP/off.csv" "$TEST_TMP/never.csv"
cp -r "$TEST_TMP/off" "$TEST_TMP/again" && rm "$TEST_TMP/again/model.bin" "$TEST_TMP/again/checkpoints/step-000000006.safetensors"
exits 0 "resumed from the first phase" train_off again --resume
check "the same bytes" cmp "$TEST_TMP/off/model.bin" "$TEST_TMP/again/model.bin"
exits 78 "an average of the statistics alone" off none --set train.epochs=1 --set 'optimizer={type: adam, ema_statistics: true}'

# Patience ends a phase; the best model may come from an earlier phase, with other sizes.
exits 0 "patience" train patience --set train.early_stopping.patience=1 --set 'train.phases=[{epochs: 30, optimizer.lr: 0.05}, {epochs: 4, model.0.linear.units: 24, optimizer.lr: 0.9}]'
says "… ends the first phase" "phase 2 of 2"
check "… the best is that of the first" grep -q '"step":' "$TEST_TMP/patience/metrics.jsonl"
exits 0 "… and evaluates" "$GTRAIN" eval "$TEST_TMP/patience/model.bin" --device "$DEVICE" --fail-if 'accuracy<0.5'
"$GTRAIN" inspect "$TEST_TMP/patience/model.bin" > "$TEST_TMP/tensors"
check "… with its sizes" grep -q 'body.weight *f32 *\[20, 64\]' "$TEST_TMP/tensors"

wrong() { # wrong NAME TEXT PHASES
  exits 78 "$1" "$GTRAIN" check "$TEST_TMP/run.yaml" --set train.phases="$3"
  says "… is said" "$2"
}
wrong "no length" "this phase has no length" '[{optimizer.lr: 1}]'
wrong "two lengths" "both epochs and steps" '[{epochs: 1, steps: 2}]'
wrong "another key" "did you mean 'batch_size'" '[{epochs: 1, train.batch_sise: 2}]'
wrong "other data" "a phase cannot change 'data.train'" '[{epochs: 1, data.train: x.csv}]'
wrong "a precision" "a phase cannot change 'precision.products'" '[{epochs: 1, precision.products: half}]'
wrong "a seed" "a phase cannot change 'seed'" '[{epochs: 1, seed: 2}]'
wrong "a key without its section" "did you mean 'optimizer.lr'" '[{epochs: 1, lr: 1e-4}]'
wrong "one of train" "did you mean 'train.batch_size'" '[{epochs: 1, batch_size: 7}]'
wrong "a section mistyped" "did you mean 'optimizer.lr'" '[{epochs: 1, optimiser.lr: 1}]'
wrong "a name mistyped" "did you mean 'model'" '[{epochs: 1, modle: 3}]'
wrong "no key at all" "unknown key 'freeze' in a phase" '[{epochs: 1, freeze: body}]'
wrong "a phase that cannot begin" "this phase cannot start: optimizer 'lbfgs' evaluates the loss several times in a step" \
  '[{epochs: 1}, {epochs: 1, optimizer: {type: lbfgs}}]'
wrong "nothing left to train" "nothing to train: all parameters are frozen, the first by '*'" \
  '[{epochs: 1}, {epochs: 1, optimizer.parameters: [{match: "*", frozen: true}]}]'
wrong "another layer" "a phase cannot add layers or parameters" "[{epochs: 1}, {epochs: 1, model: [{linear: {units: 20, name: body}}, {linear: 10}]}]"
wrong "no list" "is not a list" '{epochs: 1}'
wrong "an item that is none" "a phase is not a map" '[1]'
exits 78 "a length next to phases" "$GTRAIN" check "$TEST_TMP/run.yaml" --set train.epochs=3
says "… is said" "given twice"

# --- a fine grid -------------------------------------------------------------------------------------------------

cat > "$TEST_TMP/fine.yaml" << 'YAML'
data: {formula: "sin(30*x)", samples: 500, test_samples: 10}
model: [{kan: {units: 1, grid: 5, spline_scale: false}}]
train: {phases: [{steps: 1}, {steps: 1, model.0.kan.grid: 1000}]}
YAML
# Each spline overlaps only three others on either side, so least squares must use a banded matrix: a full matrix took
# 36 s.
exits 0 "1000 cells in seconds" within 15 "$GTRAIN" train "$TEST_TMP/fine.yaml" --device cpu --quiet --run-dir "$TEST_TMP/fine"
finish
