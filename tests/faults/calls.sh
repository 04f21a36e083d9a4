#!/usr/bin/env bash
# tests/faults/calls.sh [OPTION…]: makes memory and file calls fail in the commands of driver.c, which gets the OPTIONs.
# See rules.mk. The runs are as small as possible, but use everything that can fail: compressed text and
# arrays, an image, moving averages, gates, restarts, the best model so far.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${BUILD:-build}")
gtrain=${GTRAIN:-$build/gtrain}
folder=${TEST_TMP:-$build/tests/faults}/calls
rm -rf "$folder"
mkdir -p "$folder"/{mlp,gates,automaton}

awk -F, -v OFS=, 'NR == 1 { print $1, $2, $3, $8, "species" }
  NR > 1 { print $1, $2, $3, $8, $4 ? "adelie" : $5 ? "chinstrap" : "gentoo" }' datasets/penguins/penguins.csv |
  sed -n '1p; 2~5p' > "$folder/mlp/data.csv"
cut -d, -f1-4 "$folder/mlp/data.csv" | sed -n 1,6p > "$folder/mlp/inputs.csv"
gzip -n "$folder/mlp/data.csv"
cat > "$folder/mlp/config.yaml" << 'YAML'
seed: 2
data: {train: in/data.csv.gz, target: species, test_fraction: 0.2, validation: 0.2, normalize: standard}
model: [{linear: {units: 24, name: hidden}}, relu, {dropout: 0.1}, {linear: 3}]
loss: cross_entropy
optimizer: {type: adam, lr: 0.01, ema: 0.9, parameters: [{match: "hidden.bias", frozen: true}]}
schedule: {type: plateau, patience: 1}
train: {steps: 6, batch_size: 32, log_every: 1, eval_every: 2, checkpoint: {every: 1, keep_best: true}}
YAML

# Images of 4x4 bytes and their labels, as IDX; four more images as NPY.
bytes() { awk -v n="$1" -v of="$2" 'BEGIN { srand(3); for (i = 0; i < n; i++) printf "\\x%02x", int(rand() * of) }'; }
printf '\0\0\x08\x03\0\0\0\x20\0\0\0\x04\0\0\0\x04%b' "$(bytes 512 256)" | gzip -n > "$folder/gates/images-idx3-ubyte.gz"
printf '\0\0\x08\x01\0\0\0\x20%b' "$(bytes 32 2)" > "$folder/gates/labels-idx1-ubyte"
printf '\x93NUMPY\x01\0\x76\0%-117s\n%b' "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 4, 4), }" \
  "$(bytes 64 256)" > "$folder/gates/inputs.npy"
cat > "$folder/gates/config.yaml" << 'YAML'
seed: 3
data:
  train: {inputs: in/images-idx3-ubyte.gz, targets: in/labels-idx1-ubyte}
  test_fraction: 0.25
  shape: [4, 4, 1]
model:
  - threshold: [0.3, 0.6]
  - logic_conv2d: {channels: 4, padding: 1, pool: 2, depth: 2}
  - flatten
  - logic: {units: 32}
  - group_sum: {groups: 2, tau: 2}
loss: cross_entropy
optimizer: {type: adam, lr: 0.1}
train: {epochs: 3, batch_size: 8, early_stopping: {patience: 5}}
YAML

cat > "$folder/automaton/config.yaml" << 'YAML'
seed: 4
data: {format: ca, image: datasets/ca/letter_g.png, channels: 4, start: zeros}
model: [bernoulli, {logic_ca: {steps: 2, kernels: 1, perception: [8, 4, 2], update: [16, 8, 4], outputs: 3}}]
loss: sum_squared
optimizer: {type: adamw, lr: 0.06}
train: {steps: 6, batch_size: 1, eval_every: 1, restart_every: 3, early_stopping: {metric: hard_loss, goal: 0}}
YAML

# Makes the folders `half`, of a run that was killed before its last checkpoint, and `torn`, in which the last
# checkpoint is truncated.
export GTRAIN_DEVICE=cpu GTRAIN_THREADS=1 LC_ALL=C NO_COLOR=1
for subject in mlp gates automaton; do
  cd "$folder/$subject"
  ln -s . in
  ln -s "$OLDPWD/datasets" datasets
  "$gtrain" train in/config.yaml --run-dir run --quiet > log 2>&1
  cp run/model.bin model.bin
  mv run half
  echo old > half/circuit.c # an output that exists
  newest=$(find half/checkpoints -name '*.safetensors' | sort | tail -n 1)
  cp -R half torn
  rm half/model.bin torn/model.bin "$newest"
  truncate -s -9 "torn${newest#half}"
  [[ $subject != automaton ]] ||
    "$gtrain" simulate model.bin --steps 1 --png . --final start.txt --scale 1 --channels 0 --start random --quiet > /dev/null
  cd "$OLDPWD"
done
mv "$folder/automaton/step-000001.png" "$folder/automaton/start.png"

# Tests copies, because a build may replace the binaries meanwhile.
cp "$gtrain" "$folder/gtrain"
cp "$build/tests/faults/shim.so" "$folder/"
"$build/tests/faults/driver" "$folder" "$folder/gtrain" "$folder/shim.so" "$@"
