#!/usr/bin/env bash
# What a training keeps for its gradient: ResNet-18 as it is for CIFAR, with batches of 512, against what PyTorch keeps
# of it; and train.recompute, which keeps less for the same numbers.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

# 1024 pictures of 32x32 in colour, in ten classes.
for ((i = 0; i < 64; i++)); do
  printf '%b' "\\x0$((i % 10))"
  tail -c +$((500 * i + 1)) datasets/digits/digits.csv | head -c 3072
done > "$TEST_TMP/few.bin"
for ((i = 0; i < 16; i++)); do cat "$TEST_TMP/few.bin"; done > "$TEST_TMP/pictures.bin"

# head_of WIDTH STRIDE: all but the last layers.
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
foretold() { "$GTRAIN" check "$TEST_TMP/resnet18.yaml" --target device --json "$@" 2> /dev/null; }

# Each number is a float. The largest image, 512x32x32x64, counts as 1. PyTorch keeps what each convolution and each
# batch norm reads: in front 2, then 4 a block of the first two, (5 + 4) of half, a quarter and an eighth the size.
# With the input, parameters and momentum that is the least it can do with; gradients and cuDNN's room come to it.
image=$((4 * 512 * 32 * 32 * 64))
least=$((2 * image + 8 * image + 9 * image / 2 + 9 * image / 4 + 9 * image / 8 + 4 * 512 * 32 * 32 * 3 + 8 * 11173962))
plain=$(foretold)
total=$(number total <<< "$plain")
less=$(foretold --set train.recompute=true | number total)
echo "  PyTorch keeps $least at least, gtrain takes $total, with train.recompute $less"
check "no more than is needed" test "${total:-0}" -gt 0 -a "${total:-0}" -lt $((least + 3 * image / 4))
check "less than PyTorch" test "${less:-0}" -gt 0 -a "${less:-0}" -lt $((least - 3 * image))
# Of the front and of each block's first convolution: 1 + 2, 2 of half the size, a quarter and an eighth.
saved=$((3 * image + image + image / 2 + image / 4))
check "a rectified image for each" test $((total - less)) -gt $((saved - image / 2)) -a $((total - less)) -lt $((saved + image / 2))
check "evaluations share the arena" test "$(number evaluation <<< "$plain")" -lt $((image / 64))

for device in cpu vulkan; do
  [[ $device = cpu ]] || grep -q '^vulkan' <<< "$("$GTRAIN" devices 2>&1)" || continue
  for again in false true; do
    check "a training on $device, recompute $again" "$GTRAIN" train "$TEST_TMP/small.yaml" --device "$device" --quiet \
      --set train.recompute=$again --set train.batch_size=24 --run-dir "$TEST_TMP/$device.$again"
    # Behind the description, which names the setting: the tensors.
    size=$(od -An -t u8 -N 8 "$TEST_TMP/$device.$again/model.bin")
    tail -c +$((size + 9)) "$TEST_TMP/$device.$again/model.bin" > "$TEST_TMP/$device.$again.values"
  done
  check "the same numbers on $device" cmp "$TEST_TMP/$device.false.values" "$TEST_TMP/$device.true.values"
  check "and there are some" test -s "$TEST_TMP/$device.true.values"
done
finish
