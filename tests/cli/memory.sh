#!/usr/bin/env bash
# The memory that `gtrain check` predicts for a config is within 5 % of what its training allocates on the device.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/pictures.sh
source "$(dirname "$0")/../support/pictures.sh"

made_pictures
devices=(cpu)
grep -q '^vulkan' <<< "$("$GTRAIN" devices 2>&1)" && devices+=(vulkan)
number() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"; }

# predicted CONFIG OPTION…: compares the prediction with a training of two steps.
predicted() {
  local name=$1 device told taken
  shift
  for device in "${devices[@]}"; do
    runs=$((runs + 1))
    told=$("$GTRAIN" check "configs/$name.yaml" "$@" --device "$device" --json 2> /dev/null | number total)
    taken=$("$GTRAIN" train "configs/$name.yaml" "$@" --device "$device" --json --quiet \
      --run-dir "$TEST_TMP/run$runs" | number memory_peak_bytes)
    echo "  $name on $device: told ${told:-nothing}, took ${taken:-nothing}"
    check "run $runs, $name, on $device" test -n "$told" -a -n "$taken" -a \
      "$((20 * (told > taken ? told - taken : taken - told)))" -le "${taken:-0}"
  done
}
runs=0
two='train={steps: 2, batch_size: 16, eval_batch_size: 16}'
predicted digits --set "$two"
predicted digits --set 'train={steps: 2, batch_size: 300, eval_batch_size: 50}'
predicted digits --set 'train={steps: 2, batch_size: 16, accumulate: 3}'
predicted digits --set "$two" --set data.validation=0.1 --set 'optimizer={type: adam, ema: 0.9, clip_norm: 1}'
predicted digits_logic --set "$two"
predicted digits_squeeze --set "$two" --set optimizer.ema=0.9 --set optimizer.ema_statistics=true
predicted function_lbfgs --set 'train={steps: 1, batch_size: 100}' --set data.samples=200 --set data.test_samples=100
# The same settings as in networks.sh, so that the kernels that the software driver compiled there are reused.
few='train={steps: 2, batch_size: 8, eval_batch_size: 8}'
predicted autoencoder --set "$few"
predicted conv3d --set "$few" --set data.samples=16 --set data.test_samples=8
narrow=()
for layer in 1 4 8.repeat.layers.0; do narrow+=(--set "model.$layer.conv2d.out_channels=8"); done
for layer in 10 14 18.repeat.layers.0; do narrow+=(--set "model.$layer.conv2d.out_channels=12"); done
predicted resnet9 "${pictures[@]}" "${narrow[@]}" --set "$few"
exits 69 "a device that is not there" "$GTRAIN" check configs/xor.yaml --device vulkan:99
finish
