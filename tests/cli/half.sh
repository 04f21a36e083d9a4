#!/usr/bin/env bash
# precision: {products: half}: with 16-bit operands on matrix units, which are emulated if the device has none, the
# digits are learned as well as with 32-bit operands. Without matrix units, the setting changes nothing. It is stored
# only if the config sets it.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

# learn NAME DEVICE OPTION…: trains to the run NAME.
learn() {
  local run=$TEST_TMP/$1 device=$2
  shift 2
  "$GTRAIN" train configs/digits.yaml --device "$device" --quiet --run-dir "$run" "$@" 2>&1
}
# accuracy NAME: the test accuracy of the run, in thousandths.
accuracy() {
  "$GTRAIN" eval "$TEST_TMP/$1/model.bin" --device cpu --json 2> /dev/null |
    awk -F '"accuracy":' '{ printf "%d", 1000 * $2 }'
}
half=(--set precision.products=half)

check "in float32" learn full cpu
check "with half, on a CPU" learn cpu cpu "${half[@]}"
check "  the same bits" cmp "$TEST_TMP/full/metrics.jsonl" "$TEST_TMP/cpu/metrics.jsonl"
check "the config that was run says so" grep -A 1 '^precision:' "$TEST_TMP/cpu/config.yaml"
check "  and the default is not in it" test -z "$(grep precision "$TEST_TMP/full/config.yaml")"
exits 0 "scalar" "$GTRAIN" check configs/digits.yaml --graph --set precision.products=scalar
check "  rounds nothing" test "${out/ half/}" = "$out"
exits 0 "half" "$GTRAIN" check configs/digits.yaml --graph "${half[@]}"
says "  is in the products of all layers" "nt half : f32 [64, 10]  (linear3)"
says "  and in their gradients" "tn half : f32 [10, 32]  (linear3)"

short=(--set train.epochs=1 --set train.early_stopping.patience=0)
if ! learn plain vulkan "${short[@]}" > /dev/null; then
  echo "no Vulkan device"
  finish
fi
export GTRAIN_DEBUG=matrix,float16
exits 0 "on matrix units" learn half vulkan "${half[@]}"
export GTRAIN_DEBUG=matrix,float16,plan
exits 0 "  a plan" learn plan vulkan "${half[@]}" "${short[@]}"
check "  with all seven products of a step on them" test "$(grep -c 'product_matrix' <<< "$out")" -ge 7
check "  and no other" test "$(grep -c ' matmul ' <<< "$out")" = 0
exits 0 "scalar" learn scalar vulkan --set precision.products=scalar "${short[@]}"
check "  has none on them" test "${out/product_matrix/}" = "$out"
check "  and the bits of a device without" cmp "$TEST_TMP/plain/metrics.jsonl" "$TEST_TMP/scalar/metrics.jsonl"
for command in "predict --input datasets/digits/digits.csv" eval; do
  # shellcheck disable=SC2086 # words
  exits 0 "${command%% *} of that model" "$GTRAIN" ${command%% *} "$TEST_TMP/scalar/model.bin" ${command#"${command%% *}"} --device vulkan
  check "  has none, either" test "${out/product_matrix/}" = "$out"
done
exits 0 "the default" learn default vulkan "${short[@]}"
check "  measures their factors" test "$(grep -c 'product_range' <<< "$out")" -ge 7
loss() { grep -o '"loss":[0-9.e+-]*' "$TEST_TMP/$1/metrics.jsonl" | sed -n 1p | cut -d : -f 2; }
check "  and has the losses of scalar units" awk -v a="$(loss scalar)" -v b="$(loss default)" \
  'BEGIN { exit !(a > 0 && (a - b) ^ 2 < (1e-4 * a) ^ 2) }'
exits 0 "predictions" "$GTRAIN" predict "$TEST_TMP/half/model.bin" --device vulkan --quiet \
  --input datasets/digits/digits.csv --output "$TEST_TMP/half.csv"
check "  with their products on them" test "$(grep -c 'product_matrix' <<< "$out")" = 3
full=$(accuracy full) rounded=$(accuracy half)
check "accuracy within a point: $rounded and $full thousandths" test $((rounded - full)) -ge -10 -a $((rounded - full)) -le 10
finish
