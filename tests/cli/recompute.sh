#!/usr/bin/env bash
# Memory for activations: a ResNet-18 on CIFAR, with batches of 512, compared with what PyTorch saves for it; and
# train.recompute, which saves fewer activations and gives the same results.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

# 1024 color images of 32x32, in ten classes.
for ((i = 0; i < 64; i++)); do
  printf '%b' "\\x0$((i % 10))"
  tail -c +$((500 * i + 1)) datasets/digits/digits.csv | head -c 3072
done > "$TEST_TMP/few.bin"
for ((i = 0; i < 16; i++)); do cat "$TEST_TMP/few.bin"; done > "$TEST_TMP/pictures.bin"

# head_of WIDTH STRIDE: a config with the first layers of the network.
head_of() {
  cat << EOF
seed: 1
data: {format: cifar, train: [$TEST_TMP/pictures.bin], test: $TEST_TMP/few.bin, normalize: channel}
loss: cross_entropy
optimizer: {type: sgd, lr: 0.02, momentum: 0.9}
train: {steps: 3, batch_size: 512, eval_batch_size: 512}
model:
  - conv2d: {out_channels: $1, kernel_size: 3, stride: $2, padding: 1, bias: false}
  - batch_norm
  - relu
  - repeat:
      times: 2
      layers:
        - conv2d: {out_channels: $1, kernel_size: 3, padding: 1, bias: false}
        - batch_norm
        - relu
        - conv2d: {out_channels: $1, kernel_size: 3, padding: 1, bias: false}
        - batch_norm: {name: body}
        - add: {from: [block_input, body]}
        - relu
EOF
}
{
  head_of 64 1
  cat << 'EOF'
  - repeat:
      each: {width: [128, 256, 512]}
      layers:
        - conv2d: {out_channels: $width, kernel_size: 3, stride: 2, padding: 1, bias: false}
        - batch_norm
        - relu
        - conv2d: {out_channels: $width, kernel_size: 3, padding: 1, bias: false}
        - batch_norm: {name: down}
        - conv2d: {from: block_input, out_channels: $width, kernel_size: 1, stride: 2, bias: false}
        - batch_norm: {name: skip}
        - add: {from: [skip, down]}
        - relu: {name: half}
        - conv2d: {out_channels: $width, kernel_size: 3, padding: 1, bias: false}
        - batch_norm
        - relu
        - conv2d: {out_channels: $width, kernel_size: 3, padding: 1, bias: false}
        - batch_norm: {name: tail}
        - add: {from: [half, tail]}
        - relu
  - global_avg_pool
  - linear: 10
EOF
} > "$TEST_TMP/resnet18.yaml"
{
  head_of 8 2
  printf '  - conv2d: {out_channels: 8, groups: 8, kernel_size: 3, padding: 1}\n  - batch_norm\n  - relu\n'
  printf '  - conv2d: {out_channels: 12, kernel_size: 3, padding: 1}\n  - max_pool2d: 2\n  - global_avg_pool\n  - linear: 10\n'
} > "$TEST_TMP/small.yaml"

number() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"; }
predicted() { "$GTRAIN" check "$TEST_TMP/resnet18.yaml" --target device --json "$@" 2> /dev/null; }

# A lower bound of PyTorch's memory. The unit is the largest activation, 512x32x32x64 floats. PyTorch saves the inputs
# of each convolution and each batch norm: 2 units in the stem, 4 in each of the first two blocks, and 9 in each further
# pair of blocks, times a half, a quarter and an eighth. The input, the parameters and the momentum are added; gradients
# and cuDNN's workspace are not counted.
image=$((4 * 512 * 32 * 32 * 64))
least=$((2 * image + 8 * image + 9 * image / 2 + 9 * image / 4 + 9 * image / 8 + 4 * 512 * 32 * 32 * 3 + 8 * 11173962))
plain=$(predicted)
total=$(number total <<< "$plain")
less=$(predicted --set train.recompute=true | number total)
echo "  PyTorch keeps $least at least, gtrain takes $total, with train.recompute $less"
check "no more than is needed" test "${total:-0}" -gt 0 -a "${total:-0}" -lt $((least + 3 * image / 4))
check "less than PyTorch" test "${less:-0}" -gt 0 -a "${less:-0}" -lt $((least - 3 * image))
# Memory that recomputing saves in the stem and after the first convolution of each block: 1 + 2 units, and 2 times a
# half, a quarter and an eighth.
saved=$((3 * image + image + image / 2 + image / 4))
check "a rectified image for each" test $((total - less)) -gt $((saved - image / 2)) -a $((total - less)) -lt $((saved + image / 2))
check "evaluations share the arena" test "$(number evaluation <<< "$plain")" -lt $((image / 64))

for device in cpu vulkan; do
  [[ $device = cpu ]] || grep -q '^vulkan' <<< "$("$GTRAIN" devices 2>&1)" || continue
  for again in false true; do
    check "a training on $device, recompute $again" "$GTRAIN" train "$TEST_TMP/small.yaml" --device "$device" --quiet \
      --set train.recompute=$again --set train.batch_size=24 --run-dir "$TEST_TMP/$device.$again"
    # Compares only the tensors, because the header contains the setting.
    size=$(od -An -t u8 -N 8 "$TEST_TMP/$device.$again/model.bin")
    tail -c +$((size + 9)) "$TEST_TMP/$device.$again/model.bin" > "$TEST_TMP/$device.$again.values"
  done
  check "the same numbers on $device" cmp "$TEST_TMP/$device.false.values" "$TEST_TMP/$device.true.values"
  check "and there are some" test -s "$TEST_TMP/$device.true.values"
done
finish
