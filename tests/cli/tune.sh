#!/usr/bin/env bash
# gtrain tune stores its results for the device, later runs use them, and resumed runs use the results that they started
# with.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
tmp=$TEST_TMP
export GTRAIN_CACHE_DIR=$tmp/cache

# The CPU has only one candidate kernel for each product.
exits 0 "on the CPU" "$GTRAIN" tune configs/xor.yaml --device cpu
says "nothing to find" "nothing to tune"
check "nothing is kept" test ! -e "$tmp/cache"
exits 2 "no way at all" "$GTRAIN" tune configs/xor.yaml --ways 0
exits 78 "a bad config" "$GTRAIN" tune configs/xor.yaml --device cpu --set train.batch_size=0

cat > "$tmp/run.yaml" <<'YAML'
data: {train: datasets/digits/digits.csv, target: label, normalize: {scale: 0.0625}}
model: [{linear: 128}, relu, {linear: 10}]
optimizer: {type: adam, lr: 1e-3}
train: {steps: 6, batch_size: 64, checkpoint: {every: 2, keep_last: 9}}
YAML
export GTRAIN_DEBUG=validation # a validation message makes every command below fail
train() { "$GTRAIN" train "$tmp/run.yaml" --device vulkan --run-dir "$tmp/$1" "${@:2}"; }
code=0
train reckoned --quiet > /dev/null 2> "$tmp/err" || code=$?
if ((code == 69)); then
  echo "no Vulkan device: $(tail -n 1 "$tmp/err")"
  finish
fi
check "a run with the estimated choices" test $code = 0
check "… has no ways of its own" test ! -e "$tmp/reckoned/tuned.json"

exits 0 "a search" "$GTRAIN" tune "$tmp/run.yaml" --device vulkan --ways 2
says "it goes through all products" "product 64x10x128 nt x1 "
says "it times the step" "step  "
kept=("$tmp"/cache/tuned-*.json)
check "it is kept for the device" grep -q '"format": "gtrain-tuned-2"' "${kept[0]}"
exits 0 "as JSON" "$GTRAIN" tune "$tmp/run.yaml" --device vulkan --ways 1 --json
for key in device file us_before us_after choices changed tries; do says "its $key" "\"$key\":"; done
exits 0 "a search without time" "$GTRAIN" tune "$tmp/run.yaml" --device vulkan --seconds 1 --ways 1000

# Stores a candidate with another order of additions, as if tuning had found it.
device=$(sed -n 's/.*"device": //p' "${kept[0]}")
found() { echo "{\"format\": \"gtrain-tuned-2\", \"device\": $device \"ways\": {\"product 64x10x128 nt x1\": \"$1\"}}"; }
found "32x32x32 by 2x2, split 2" > "${kept[0]}"
exits 0 "what will be taken" "$GTRAIN" check "$tmp/run.yaml" --device vulkan --choices
says "it is marked as tuned" " tuned 32x32x32 by 2x2, split 2"
says "the others are as before" " took "
exits 0 "a tuned run" train tuned
says "it says so" "kernels: 1 chosen by gtrain tune"
check "its bits are others" test "$(cmp "$tmp/reckoned/model.bin" "$tmp/tuned/model.bin" > /dev/null 2>&1; echo $?)" = 1
exits 0 "a step measured" "$GTRAIN" bench train "$tmp/run.yaml" --device vulkan --steps 1
says "… is counted as tuned" "tuned           1 choices"
exits 0 "evaluated" "$GTRAIN" eval "$tmp/tuned/model.bin" --device vulkan
mv "$tmp/cache" "$tmp/gone"
goes_on tuned
mv "$tmp/gone" "$tmp/cache"
goes_on reckoned
found "a way that nobody offers" > "${kept[0]}"
exits 0 "an unknown way" train unknown --quiet
check "… is not taken" cmp "$tmp/reckoned/model.bin" "$tmp/unknown/model.bin"

# An error in the cache does not stop a run; an error in the run's tuned.json does.
echo '{"format": ' > "${kept[0]}"
exits 0 "a damaged cache" train damaged
says "… is reported" "the file is ignored"
echo '{}' > "$tmp/tuned/tuned.json"
rm "$tmp/tuned/model.bin"
exits 65 "a damaged file of a run" train tuned --resume
says "… is named" "tuned/tuned.json is not a file of gtrain tune"
rm "${kept[0]}"
mkfifo "${kept[0]}"
exits 0 "a pipe in the place of the file" or_hangs "$GTRAIN" train "$tmp/run.yaml" --device vulkan --run-dir "$tmp/pipe"
says "… is reported" "it is not a regular file; the file is ignored"
rm "${kept[0]}"
found "32x32x32 by 2x2, split 2" | sed 's/tuned-2/tuned-1/' > "${kept[0]}"
exits 0 "a file of an earlier format" train former
says "… is reported" "which an earlier version of gtrain wrote"
check "… is not used" cmp "$tmp/reckoned/model.bin" "$tmp/former/model.bin"
found "32x32x32 by 2x2, split 2" | sed 's/"device": "/&another /' > "${kept[0]}"
exits 0 "another device's" train another
says "… is not used" "it was tuned on"

found "32x32x32 by 2x2, split 2" > "${kept[0]}"
exits 0 "forgotten" "$GTRAIN" tune "$tmp/run.yaml" --device vulkan --forget
says "all that there were" "removed         1,"
exits 0 "estimated choices again" train reckoned_again --quiet
check "… to the same bytes" cmp "$tmp/reckoned/model.bin" "$tmp/reckoned_again/model.bin"

# Forces each candidate for an automaton's kernels.
cat > "$tmp/automaton.yaml" <<'YAML'
data: {format: ca, grid: [3, 3], start: boards, target: life}
model: [{logic_ca: {steps: 2, periodic: true, kernels: 4, perception: [8, 4, 2, 1], update: [8, 4, 2, 1]}}]
loss: sum_squared
optimizer: {type: adamw, lr: 0.1}
train: {steps: 3, batch_size: 20, log_every: 1}
YAML
automaton() { "$GTRAIN" train "$tmp/automaton.yaml" --run-dir "$tmp/$1" --device "${@:2}" --quiet; }
losses() { sed -n 's/.*"steps":1,"soft_loss":\([^,]*\),.*/\1/p' "$tmp/$1/metrics.jsonl"; }
exits 0 "an automaton on the CPU" automaton cpu cpu
exits 0 "what its kernels are chosen from" "$GTRAIN" check "$tmp/automaton.yaml" --device vulkan --choices
step=$(sed -n 's/.* \(automaton,.*\)  took 4 at a time by 256 threads .*/\1/p' <<< "$out")
gradient=$(sed -n "s/.* \(automaton's gradient,.*\)  took 2 at a time by 256 threads .*/\1/p" <<< "$out")
check "both are chosen" test -n "$step" -a -n "$gradient"
for lanes in 1 2; do
  echo "{\"format\": \"gtrain-tuned-2\", \"device\": $device \"ways\": {
    \"$step\": \"$lanes at a time by 512 threads\", \"$gradient\": \"1 at a time by $((256 * lanes)) threads\"}}" > "${kept[0]}"
  exits 0 "$lanes at a time" "$GTRAIN" check "$tmp/automaton.yaml" --device vulkan --choices
  check "… both as told" test "$(grep -c ' tuned ' <<< "$out")" = 2
  exits 0 "… train" automaton "lanes$lanes" vulkan
  check "… to the CPU's losses" awk 'NR == FNR { cpu[FNR] = $1; next }
    { n++; d = $1 / cpu[FNR] - 1; if (d < -1e-4 || d > 1e-4) exit 1 } END { exit n != 3 }' \
    <(losses cpu) <(losses "lanes$lanes")
done
finish
