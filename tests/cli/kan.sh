#!/usr/bin/env bash
# Kolmogorov-Arnold networks: every basis learns the digits; a finer grid continues from a coarser one; and a run can be
# stopped and resumed with either grid.
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

# Options that learn or penalize more than the coefficients.
options=('basis: rbf, learn_centres: true, learn_widths: true' 'basis: fourier, learn_frequencies: true'
  'basis: sinc, learn_widths: true' 'grid_update: {every: 10}, l1: 1e-5, entropy: 1e-5, smoothness: 1e-5'
  'basis: chebyshev, edge_size: coefficient, l1: 1e-4')
for option in "${options[@]}"; do
  sed "s/grid: 4/$option/g" "$TEST_TMP/digits.yaml" > "$TEST_TMP/option.yaml"
  exits 0 "$option" "$GTRAIN" train "$TEST_TMP/option.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/option"
  exits 0 "… has learned" "$GTRAIN" eval "$TEST_TMP/option/model.bin" --device "$DEVICE" --fail-if 'accuracy<0.85'
  rm -r "$TEST_TMP/option"
done

# A convolution layer.
sed 's/^model:.*/model: [{reshape: [8, 8, 1]}, {kan_conv2d: {out_channels: 6, kernel_size: 3, stride: 2, padding: 1}}, batch_norm, flatten, {kan: {units: 10}}]/' \
  "$TEST_TMP/digits.yaml" > "$TEST_TMP/windows.yaml"
exits 0 "kan_conv2d" "$GTRAIN" train "$TEST_TMP/windows.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/windows"
exits 0 "… has learned" "$GTRAIN" eval "$TEST_TMP/windows/model.bin" --device "$DEVICE" --fail-if 'accuracy<0.85'

# The knots of 12 cells include those of 4 cells, so the loss does not change when the grid is refined.
grep -v '^train' "$TEST_TMP/digits.yaml" > "$TEST_TMP/finer.yaml"
cat >> "$TEST_TMP/finer.yaml" << 'YAML'
train:
  batch_size: 64
  checkpoint: {every: 1, keep_last: 100}
  phases: [{epochs: 2}, {epochs: 1, optimizer.lr: 1e-9, model.0.kan.grid: 12}, {epochs: 1, model.2.kan.grid: 8, optimizer.lr: 1e-3}]
YAML
train() { "$GTRAIN" train "${config:-$TEST_TMP/finer.yaml}" --device "$DEVICE" --run-dir "$TEST_TMP/$1" "${@:2}"; }
exits 0 "a run that refines" train whole
says "… says from which grid to which" "phase 2: kan1: grid refined from 4 to 12, splines refitted"
losses=$(grep '"split":"test"' "$TEST_TMP/whole/metrics.jsonl" | sed 's/.*"loss":\([^,}]*\).*/\1/')
check "a finer grid keeps what was learned" awk -v all="$(tr '\n' ' ' <<< "$losses")" \
  'BEGIN { split(all, l, " "); exit !(l[3] < 1.02 * l[2] && l[3] > 0.98 * l[2]) }'
# A run resumed from each of its checkpoints ends with the same bytes.
goes_on whole

# Grids that adapt to the data and are refined later: with Adam and a moving average, with gradient accumulation, and
# with L-BFGS. Resumed from checkpoints at grid updates and between them, also after the run was stopped.
cat > "$TEST_TMP/following.yaml" << 'YAML'
seed: 2
data: {formula: "sin(pi*x0) * x1", range: [-1, 1], samples: 300, test_samples: 100}
model: [{kan: {units: 4, grid: 3, grid_update: {every: 4, until: 13}}}, {kan: {units: 1, grid: 3, grid_update: {every: 6}, l1: 1e-4}}]
loss: mse
optimizer: {type: adam, lr: 1e-2, ema: 0.9}
train:
  batch_size: 50
  accumulate: 2
  eval_every: 10
  checkpoint: {every: 2, keep_last: 100}
  phases: [{steps: 16}, {steps: 12, model.0.kan.grid: 6, model.1.kan.grid: 6}]
YAML
config=$TEST_TMP/following.yaml
exits 0 "grids that follow" train follows --quiet
goes_on follows
sed -e 's/^optimizer:.*/optimizer: {type: lbfgs, history_size: 5}/' -e '/accumulate/d' "$TEST_TMP/following.yaml" > "$TEST_TMP/search.yaml"
config=$TEST_TMP/search.yaml
exits 0 "… in a search" train searches --quiet
goes_on searches
finish
