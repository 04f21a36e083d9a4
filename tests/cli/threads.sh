#!/usr/bin/env bash
# The CPU computes the same bits with any number of threads.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/run.yaml" <<'YAML'
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: standard}
model: [{linear: 300}, gelu, {dropout: 0.3}, {linear: 200}, silu, {linear: 10}]
optimizer: {type: adamw, lr: 2e-3, clip_norm: 1}
train: {epochs: 4, batch_size: 100, log_every: 1}
YAML
for threads in 1 2 3 7; do
  exits 0 "$threads threads" "$GTRAIN" train "$TEST_TMP/run.yaml" --device cpu --quiet \
    --run-dir "$TEST_TMP/$threads" --set train.threads=$threads
  check "$threads threads: the same model" cmp "$TEST_TMP/1/model.bin" "$TEST_TMP/$threads/model.bin"
  check "$threads threads: the same metrics" \
    cmp "$TEST_TMP/1/metrics.jsonl" "$TEST_TMP/$threads/metrics.jsonl"
done
GTRAIN_THREADS=5 exits 0 "by the environment" "$GTRAIN" train "$TEST_TMP/run.yaml" --device cpu --run-dir "$TEST_TMP/5"
says "this many" ", 5 threads"
check "the same model" cmp "$TEST_TMP/1/model.bin" "$TEST_TMP/5/model.bin"
GTRAIN_THREADS=5 exits 0 "by the config" "$GTRAIN" train "$TEST_TMP/run.yaml" --device cpu --run-dir "$TEST_TMP/both" \
  --set train.threads=2
says "which counts" ", 2 threads"
GTRAIN_THREADS=five exits 0 "by neither" "$GTRAIN" eval "$TEST_TMP/5/model.bin" --device cpu
says "a warning" "GTRAIN_THREADS=five ignored"

# The default number of threads heeds the quota of a control group. Only root can make one; elsewhere tests/base/host.c
# alone tests it.
group=
for hierarchy in /sys/fs/cgroup/cpu /sys/fs/cgroup/cpu,cpuacct /sys/fs/cgroup; do
  group=$hierarchy/gtrain-test-$$
  mkdir "$group" 2> /dev/null || { group= && continue; }
  [[ -e $group/cpu.cfs_quota_us ]] && echo 50000 > "$group/cpu.cfs_quota_us" && break
  [[ -e $group/cpu.max ]] && echo 50000 100000 > "$group/cpu.max" && break
  rmdir "$group"
  group=
done
if [[ -n $group ]]; then
  # The subshell's id is that of the program that replaces it.
  in_group() { (echo "$BASHPID" > "$group/cgroup.procs" && exec "$@"); }
  GTRAIN_THREADS='' exits 0 "half a processor" in_group "$GTRAIN" train "$TEST_TMP/run.yaml" --device cpu --run-dir "$TEST_TMP/half"
  says "… is one thread" ", 1 thread"
  check "… with the same model" cmp "$TEST_TMP/1/model.bin" "$TEST_TMP/half/model.bin"
  GTRAIN_THREADS=2 exits 0 "the environment" in_group "$GTRAIN" train "$TEST_TMP/run.yaml" --device cpu --run-dir "$TEST_TMP/two" --set train.epochs=1
  says "… counts more" ", 2 threads"
  rmdir "$group"
else
  pass "no control group can be made here"
fi

# Every thread works with a small stack.
small_stack() { (ulimit -s 256 && exec "$@"); }
exits 0 "a stack of 256 KiB" small_stack "$GTRAIN" train "$TEST_TMP/run.yaml" --device cpu --quiet \
  --run-dir "$TEST_TMP/small" --set train.threads=3
check "the same model" cmp "$TEST_TMP/1/model.bin" "$TEST_TMP/small/model.bin"
exits 0 "selftest on a stack of 256 KiB" small_stack "$GTRAIN" selftest --device cpu --filter matmul
finish
