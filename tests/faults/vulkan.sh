#!/usr/bin/env bash
# tests/faults/vulkan.sh [OPTION…]: makes the calls of the Vulkan backend fail, one after another; OPTIONs are passed to
# the driver (vulkan_driver.c). See vulkan.mk. Needs only the programs in its own folder (or in $FAULTS) and a Vulkan
# device. With GTRAIN_DEBUG=validation, any message of the validation layer is a failure.
set -euo pipefail
faults=$(realpath "${FAULTS:-$(dirname "$0")}")
folder=${TEST_TMP:-$(mktemp -d)}/vulkan
[[ -n ${TEST_TMP-} ]] || trap 'rm -rf "${folder%/vulkan}"' EXIT
rm -rf "$folder"
mkdir -p "$folder"/{mlp,stream,gates,automaton}
folder=$(realpath "$folder")

cat > "$folder/mlp/config.yaml" << 'YAML'
seed: 3
data:
  inputs: [[0, 0], [0, 1], [1, 0], [1, 1], [0, 0.5], [1, 0.5]]
  targets: [[0], [1], [1], [0], [0.5], [0.5]]
  validation: 0.34
model: [{linear: 4}, tanh, {linear: 1}]
loss: mse
optimizer: {type: sgd, lr: 0.1, momentum: 0.9}
train: {steps: 4, batch_size: 2, eval_every: 2, checkpoint: {keep_best: true}}
YAML
printf '0,0\n1,1\n0.5,0\n' > "$folder/mlp/inputs.csv"

# A run that streams half a megabyte of data.
cat > "$folder/stream/config.yaml" << 'YAML'
seed: 3
data: {formula: "x0*x1", range: [-1, 1], samples: 30000, test_samples: 12000}
model: [{linear: 4}, tanh, {linear: 1}]
loss: mse
optimizer: {type: sgd, lr: 0.1, momentum: 0.9}
train: {steps: 9, batch_size: 1000, eval_batch_size: 1500, eval_every: 9}
YAML

cat > "$folder/gates/config.yaml" << 'YAML'
seed: 3
data:
  inputs: [[0, 0, 1, 0], [0, 1, 1, 1], [1, 0, 0, 1], [1, 1, 0, 0]]
  targets: [0, 1, 1, 0]
model: [{logic: {units: 8}}, {group_sum: {groups: 2, tau: 1}}]
loss: cross_entropy
optimizer: {type: adam, lr: 0.1}
train: {steps: 4, batch_size: 4, eval_every: 2}
YAML
printf '0,0,1,0\n1,1,0,1\n' > "$folder/gates/inputs.csv"

cat > "$folder/automaton/config.yaml" << 'YAML'
seed: 4
data: {format: ca, grid: [4, 4], channels: 2, start: random, target: checkerboard, samples: 2, test_samples: 2}
model: [bernoulli, {logic_ca: {steps: 2, kernels: 1, perception: [8, 4, 2], update: [8, 4, 2], outputs: 1}}]
loss: sum_squared
optimizer: {type: sgd, lr: 0.06}
train: {steps: 4, batch_size: 2, eval_every: 2}
YAML

export GTRAIN_DEVICE=vulkan LC_ALL=C NO_COLOR=1
# train SUBJECT RUN: trains; ends the script if there is no device.
train() {
  local code=0
  cd "$folder/$1"
  "$faults/gtrain-vulkan" train in/config.yaml --run-dir "$2" --quiet > log 2>&1 || code=$?
  if ((code == 69)); then
    echo "no Vulkan device: $(tail -n 1 log)"
    exit 77
  elif ((code != 0)); then
    cat log
    exit 1
  fi
}

# Makes the folders of runs that were killed before their last checkpoint.
export GTRAIN_CACHE_DIR=$folder/cache
for subject in mlp stream gates automaton; do
  ln -s . "$folder/$subject/in"
  train "$subject" half
  mv half/model.bin model.bin
  rm "$(find half/checkpoints -name '*.safetensors' | sort | tail -n 1)"
done

# An error in the pipeline cache must not be fatal, because the cache only saves time. (Mesa's CPU driver stores nothing
# in it.)
try_cache() {
  GTRAIN_CACHE_DIR=$folder/$1 train mlp "run-$1"
  cmp "run-$1/model.bin" model.bin
}
: > "$folder/cache-is-a-file"
try_cache cache-is-a-file
for file in "$folder"/cache/*.cache; do
  [[ -f $file ]] || continue
  size=$(stat -c %s "$file")
  for damage in cut changed folder; do
    mkdir "$folder/cache-$damage"
    bad=$folder/cache-$damage/${file##*/}
    case $damage in
      cut) head -c $((size / 2)) "$file" > "$bad" ;;
      changed) { head -c $((size / 2)) "$file" && echo 'not what was there' && tail -c $((size / 2 - 19)) "$file"; } > "$bad" ;;
      folder) mkdir "$bad" ;;
    esac
    try_cache "cache-$damage"
  done
done

cd "$folder"
"$faults/vulkan-driver" "$folder" "$faults/gtrain-vulkan" "$@"
