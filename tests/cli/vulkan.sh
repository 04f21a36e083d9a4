#!/usr/bin/env bash
# Training on Vulkan gives nearly the losses of the CPU, and a killed run resumes to the same bytes.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

export GTRAIN_DEBUG=validation # a validation message makes every command below fail
code=0
"$GTRAIN" train configs/xor.yaml --device vulkan --run-dir "$TEST_TMP/xor" --quiet > /dev/null 2> "$TEST_TMP/err" || code=$?
if ((code == 69)); then
  echo "no Vulkan device: $(tail -n 1 "$TEST_TMP/err")"
  exit 77
fi
check "XOR trains on Vulkan" test $code = 0
exits 0 "eval on Vulkan" "$GTRAIN" eval "$TEST_TMP/xor/model.bin" --device vulkan --fail-if 'accuracy<1'
exits 0 "eval on the CPU" "$GTRAIN" eval "$TEST_TMP/xor/model.bin" --device cpu --fail-if 'accuracy<1'

# A resumed run uses the device that it started on, even a software device, unless another is requested.
resume() { GTRAIN_DEVICE='' "$GTRAIN" train configs/xor.yaml --run-dir "$TEST_TMP/xor" --resume "$@"; }
exits 0 "a resumed run" resume --device auto
says "stays on its device" "(the run started on it)"
check "… which is the Vulkan one" grep -q '^device: .* (Vulkan ' <<< "$out"
exits 0 "a run resumed on another device" resume --device cpu
exits 0 "a run that was resumed there" resume
check "stays there, too" grep -q '^device: .* threads\? (the run started on it)$' <<< "$out"
sed -i 's/"device":"[^"]*"/"device":"Another GPU (Vulkan 1.4, driver 1)"/' "$TEST_TMP/xor/timing.jsonl"
exits 0 "a run resumed without its device" resume
says "says so" "warning: the run started on Another GPU (Vulkan 1.4, driver 1), which is not available"
exits 69 "a run resumed on a device that is not there" resume --device vulkan:31

# Compares the losses of 200 steps on both devices.
for device in cpu vulkan; do
  exits 0 "200 steps on $device" "$GTRAIN" train configs/digits.yaml --device $device --quiet \
    --run-dir "$TEST_TMP/$device" --set train.epochs=10 --set train.log_every=1
  sed -n 's/.*"steps":1,"loss":\([^,]*\),.*/\1/p' "$TEST_TMP/$device/metrics.jsonl" > "$TEST_TMP/$device.losses"
done
check "200 losses" test "$(wc -l < "$TEST_TMP/cpu.losses")" = 200
check "they agree to a thousandth" awk '
  NR == FNR { cpu[FNR] = $1; next }
  { d = ($1 - cpu[FNR]) / cpu[FNR]; if (d < 0) d = -d; if (d > worst) worst = d }
  END { print "  largest difference " worst; exit !(worst < 1e-3) }' "$TEST_TMP/cpu.losses" "$TEST_TMP/vulkan.losses"

TEST_DEVICE=vulkan TEST_KILLS=${TEST_KILLS:-8} TEST_TMP=$(mktemp -d "$TEST_TMP/kill.XXXX") GTRAIN=$GTRAIN \
  bash tests/cli/kill.sh || failures=$((failures + 1))
TEST_DEVICE=vulkan TEST_BRIEF=1 TEST_TMP=$(mktemp -d "$TEST_TMP/stream.XXXX") GTRAIN=$GTRAIN \
  bash tests/cli/stream.sh || failures=$((failures + 1))
finish
