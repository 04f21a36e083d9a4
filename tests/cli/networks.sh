#!/usr/bin/env bash
# The bundled convolutional networks: each is checked and trained for a few steps, on the CPU and, if there is a device,
# on Vulkan, with the same losses; those with generated or bundled data learn their task.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/pictures.sh
source "$(dirname "$0")/../support/pictures.sh"

made_pictures
devices=(cpu)
# The settings of tests/run.sh change the CPU's arithmetic only.
[[ -z ${TEST_SETTING-} ]] && grep -q '^vulkan' <<< "$("$GTRAIN" devices 2>&1)" && devices+=(vulkan)

# steps NAME OPTION…: checks the full network and trains it for three steps on the CPU. Then trains it for three steps
# on all devices, which must give the same losses, with the options in $narrow, which make it small enough for a
# software device.
steps() {
  local name=$1 device short='train={steps: 3, log_every: 1, eval_every: 3, batch_size: 8, eval_batch_size: 8}'
  shift
  exits 0 "$name: check" "$GTRAIN" check "configs/$name.yaml" "$@"
  exits 0 "$name: three steps" "$GTRAIN" train "configs/$name.yaml" "$@" --device cpu --quiet --set "$short" \
    --run-dir "$TEST_TMP/$name-whole"
  for device in "${devices[@]}"; do
    exits 0 "$name: three narrow steps on $device" env GTRAIN_DEBUG=validation "$GTRAIN" train "configs/$name.yaml" "$@" \
      "${narrow[@]}" --device "$device" --quiet --run-dir "$TEST_TMP/$name-$device" --set "$short" \
      --set optimizer.lr=1e-3 --set schedule=constant
    sed -n 's/.*"train".*"loss":\([^,]*\),.*/\1/p' "$TEST_TMP/$name-$device/metrics.jsonl" > "$TEST_TMP/$device.losses"
    check "$name: their losses" test "$(wc -l < "$TEST_TMP/$device.losses")" -ge 3
    check "$name: $device and CPU agree" awk '
      NR == FNR { cpu[FNR] = $1; next }
      { d = ($1 - cpu[FNR]) / cpu[FNR]; if (d < 0) d = -d; if (d > worst) worst = d }
      END { print "  largest difference " worst; exit !(worst < 2e-3) }' "$TEST_TMP/cpu.losses" "$TEST_TMP/$device.losses"
  done
}
# channels LAYER N: adds the option that sets the number of channels of a convolution.
channels() { narrow+=(--set "model.$1.conv2d.out_channels=$2"); }

narrow=()
steps lenet "${pictures[@]}"
steps cnn "${pictures[@]}"
steps conv1d --set data.samples=16 --set data.test_samples=8
steps conv3d --set data.samples=16 --set data.test_samples=8
steps autoencoder
narrow=(--set 'model.4.repeat.each={channels: [8, 12], width: [12, 20], stride: [2, 2]}')
channels 1 8
steps mobilenet "${pictures[@]}"
narrow=()
for layer in 1 4 8.repeat.layers.0; do channels $layer 8; done
for layer in 10 14 18.repeat.layers.0; do channels $layer 12; done
steps resnet9 "${pictures[@]}"
narrow=(--set 'model.5.repeat.each.width=[12, 16, 20]')
for layer in 0 4.repeat.layers.0 4.repeat.layers.3; do channels $layer 8; done
for class in datasets/clothes/test/*; do
  mkdir -p "$TEST_TMP/few/${class##*/}"
  cp "$class"/*0.png "$TEST_TMP/few/${class##*/}"
done
steps resnet18 --set data.per_class=4 --set 'data.size=[32, 32]' --set "data.test=$TEST_TMP/few"

# converges NAME GATE…: trains configs/NAME.yaml and evaluates its model with these --fail-if gates.
converges() {
  local name=$1 gates=()
  shift
  for gate in "$@"; do gates+=(--fail-if "$gate"); done
  exits 0 "$name trains" "$GTRAIN" train "configs/$name.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$name" --quiet
  exits 0 "$name learns: $*" "$GTRAIN" eval "$TEST_TMP/$name/model.bin" --device "$DEVICE" --quiet "${gates[@]}"
}
converges conv1d 'accuracy<0.93'
converges conv3d 'accuracy<0.98'
converges autoencoder 'loss>0.28'
exits 0 "pictures of what it makes" "$GTRAIN" predict "$TEST_TMP/autoencoder/model.bin" datasets/clothes/test/bag/*.png \
  --device "$DEVICE" --output "$TEST_TMP/made/"
check "a picture each" test "$(ls "$TEST_TMP/made" | wc -l)" = 15
finish
