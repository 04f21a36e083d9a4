#!/usr/bin/env bash
# With the smallest limits that Vulkan guarantees (128 invocations, 16 KiB of shared memory, 1 GiB in one allocation, no
# time stamps), and with few workgroups along x, ops give the right results and trainings agree with the CPU. The layer
# in small_device.c reports these limits to gtrain and to the validation layer, which must not print any message.
# LIMITS_ALL=1 tests all ops, and subgroups of 4, 8 and 16.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
build=$(realpath "${BUILD:-build}")
layer=VK_LAYER_GTRAIN_small_device validation=VK_LAYER_KHRONOS_validation

# Of two layers, the one that is found first is above the other, regardless of the order in VK_INSTANCE_LAYERS.
mkdir "$TEST_TMP/layers"
cat > "$TEST_TMP/layers/small_device.json" << END
{"file_format_version": "1.1.2", "layer": {"name": "$layer", "type": "GLOBAL", "api_version": "1.3.0",
 "library_path": "$build/portable/small_device.so", "implementation_version": "1", "description": "for tests"}}
END
export VK_LAYER_PATH=/usr/share/vulkan/explicit_layer.d:/usr/local/share/vulkan/explicit_layer.d:/etc/vulkan/explicit_layer.d:$TEST_TMP/layers
export VK_INSTANCE_LAYERS=$validation:$layer GTRAIN_DEBUG=validation

code=0
out=$(TEST_DEVICE=small VK_LOADER_DEBUG=layer "$GTRAIN" devices 2>&1) || code=$?
if [[ $out != *vulkan:0* || $out == *"is not installed"* ]]; then
  echo "no Vulkan device or no validation layer: $(tail -n 1 <<< "$out")"
  exit 77
fi
says "the device looks small" "workgroup 128, "
says "and its memory" "shared memory 16384 bytes"
stack=$(sed -n '/vkCreateInstance layer callstack/,/<Drivers>/p' <<< "$out" | grep -o "VK_LAYER_[A-Za-z_]*" | tail -n 2)
check "the validation layer sees it so" test "$stack" = "$validation"$'\n'"$layer"

# quiet COMMAND…: true if the command succeeds without a validation message.
quiet() {
  local log=$TEST_TMP/quiet status=0
  "$@" > "$log" 2>&1 || status=$?
  if ((status)) || grep -q '^validation:' "$log"; then
    grep -m 3 '^validation:' "$log" | cut -c 1-400
    grep -v '^validation:' "$log" | tail -n 20
    return 1
  fi
}
small() { TEST_DEVICE=small "$@"; }
wide() { TEST_DEVICE=small TEST_DEVICE_SUBGROUP=64 "$@"; }
few() { TEST_DEVICE=small TEST_DEVICE_GROUPS=5 "$@"; }
selftest() { "$GTRAIN" selftest --device vulkan "$@"; }

# agrees CONFIG STEPS SETTING…: true if the losses of the first steps with few workgroups agree with those on the CPU.
agrees() {
  local config=$1 steps=$2 run=$TEST_TMP/$1 settings=() setting
  shift 2
  for setting in "$@" train.log_every=1; do settings+=(--set "$setting"); done
  quiet few "$GTRAIN" train "configs/$config.yaml" --device vulkan --quiet --run-dir "$run.vulkan" "${settings[@]}" &&
    quiet "$GTRAIN" train "configs/$config.yaml" --device cpu --quiet --run-dir "$run.cpu" "${settings[@]}" || return 1
  for run in "$run.cpu" "$run.vulkan"; do
    sed -n 's/.*"split":"train".*"\(soft_\)*loss":\([^,]*\),.*/\2/p' "$run/metrics.jsonl" > "$run/losses"
  done
  awk -v least="$steps" '
    NR == FNR { cpu[FNR] = $1; next }
    { d = ($1 - cpu[FNR]) / cpu[FNR]; if (d < 0) d = -d; if (d > worst) worst = d; n++ }
    END { print "  " n " losses, largest difference " worst + 0; exit !(n >= least && worst < 1e-3) }' \
    "${run%.*}.cpu/losses" "${run%.*}.vulkan/losses"
}

check "trains an MLP" agrees digits 20 train.epochs=1
check "trains on columns" agrees csv_regression 9 train.epochs=1
check "trains gates" agrees digits_logic 15 train.epochs=1
# With SGD, because Adam amplifies gradients that are only rounding errors.
check "trains trees of gates" agrees digits_logic_conv 15 train.epochs=1 optimizer.type=sgd optimizer.lr=1

# 34 MiB of samples, in tensors of 23 and 11 MiB, for a network with two inputs.
cat > "$TEST_TMP/large.yaml" << 'YAML'
data: {formula: "x0*x1", range: [-1, 1], samples: 3000000, test_samples: 1000}
model: [{linear: 4}, tanh, {linear: 1}]
train: {steps: 40, batch_size: 10000, log_every: 1}
YAML
# streams NAME HOW: streamed data, which do not fit in the device's memory, give the same bytes as resident data.
streams() {
  local name=$1
  shift
  check "$name: trains" quiet small env "$@" "$GTRAIN" train "$TEST_TMP/large.yaml" --device vulkan --run-dir "$TEST_TMP/$name"
  check "$name: streams" grep -q "train (34.3 MiB) streams through" "$TEST_TMP/quiet"
  check "$name: to the same bytes" cmp "$TEST_TMP/roomy/model.bin" "$TEST_TMP/$name/model.bin"
}
check "data that fit" quiet small "$GTRAIN" train "$TEST_TMP/large.yaml" --device vulkan --run-dir "$TEST_TMP/roomy"
check "… do not stream" test "$(grep -c streams "$TEST_TMP/quiet")" = 0
streams "in small pieces" TEST_DEVICE_PIECE=20
streams "in little memory" TEST_DEVICE_MEMORY=36

if [[ -n ${LIMITS_ALL-} ]]; then
  check "trains an automaton" agrees life 3 train.steps=3
  for bits in 128 256 512; do
    export LP_NATIVE_VECTOR_WIDTH=$bits
    out=$(small "$GTRAIN" devices)
    subgroup=$(sed -n 's/.*subgroup \([0-9]*\).*/\1/p' <<< "$out")
    check "all ops, subgroups of $subgroup" quiet small selftest
    check "all ops, subgroups of $subgroup, few workgroups" quiet few selftest
  done
  check "all ops, planned for subgroups of 64" quiet wide selftest
else
  check "trees of gates, planned for subgroups of 64" quiet wide selftest --filter logic_conv
  export LP_NATIVE_VECTOR_WIDTH=256 # other tests have subgroups of 4
  for family in softmax reduce group_sum cross_entropy; do check "$family" quiet few selftest --filter $family; done
fi
finish
