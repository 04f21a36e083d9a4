#!/usr/bin/env bash
# Kolmogorov-Arnold networks: every basis learns the digits, a finer grid goes on where the coarser one was, and a run may be
# stopped on either.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/digits.yaml" << 'YAML'
seed: 1
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: {scale: 0.0625}}
model: [{kan: {units: 12, grid: 4}}, layer_norm, {kan: {units: 10, grid: 4}}]
optimizer: {type: adam, lr: 5e-3}
train: {batch_size: 64, epochs: 4}
YAML
for basis in bspline chebyshev legendre hermite jacobi rbf rswaf wavelet sinc fourier piecewise_linear; do
  sed "s/grid: 4/basis: $basis/g" "$TEST_TMP/digits.yaml" > "$TEST_TMP/$basis.yaml"
  exits 0 "$basis" "$GTRAIN" train "$TEST_TMP/$basis.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/$basis"
  exits 0 "$basis has learned" "$GTRAIN" eval "$TEST_TMP/$basis/model.bin" --device "$DEVICE" --fail-if 'accuracy<0.85'
done

# From 4 cells to 12, which have the knots of the 4: the loss goes on.
grep -v '^train' "$TEST_TMP/digits.yaml" > "$TEST_TMP/finer.yaml"
cat >> "$TEST_TMP/finer.yaml" << 'YAML'
train:
  batch_size: 64
  checkpoint: {every: 1, keep_last: 100}
  phases: [{epochs: 2}, {epochs: 1, optimizer.lr: 1e-9, model.0.kan.grid: 12}, {epochs: 1, model.2.kan.grid: 8, optimizer.lr: 1e-3}]
YAML
train() { "$GTRAIN" train "$TEST_TMP/finer.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$1" "${@:2}"; }
exits 0 "a run that refines" train whole
losses=$(grep '"split":"test"' "$TEST_TMP/whole/metrics.jsonl" | sed 's/.*"loss":\([^,}]*\).*/\1/')
check "a finer grid keeps what was learned" awk -v all="$(tr '\n' ' ' <<< "$losses")" \
  'BEGIN { split(all, l, " "); exit !(l[3] < 1.02 * l[2] && l[3] > 0.98 * l[2]) }'
for checkpoint in "$TEST_TMP"/whole/checkpoints/*; do
  step=${checkpoint##*/}
  cp -r "$TEST_TMP/whole" "$TEST_TMP/again"
  rm "$TEST_TMP/again/model.bin"
  for later in "$TEST_TMP"/again/checkpoints/*; do [[ ${later##*/} > $step ]] && rm -r "$later"; done
  exits 0 "gone on from $step" train again --resume --quiet
  check "… to the same bytes" cmp "$TEST_TMP/whole/model.bin" "$TEST_TMP/again/model.bin"
  rm -r "$TEST_TMP/again"
done
finish
