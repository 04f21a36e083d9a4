#!/usr/bin/env bash
# Matrix products with each CPU implementation: GTRAIN_CPU disables instruction sets. Instruction sets that the
# processor lacks are not tested, because another implementation would run instead. gtrain's own two implementations
# give the same bits.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/run.yaml" <<'YAML'
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: standard}
model: [{linear: 300}, gelu, {linear: 77}, relu, {linear: 10}]
train: {epochs: 2, batch_size: 100, log_every: 1}
YAML
for cpu in portable avx2 avx512; do
  GTRAIN_CPU=$cpu exits 0 "$cpu: products against double precision" "$GTRAIN" selftest --device cpu --filter matmul
  GTRAIN_CPU=$cpu exits 0 "$cpu: trains" "$GTRAIN" train "$TEST_TMP/run.yaml" --device cpu --quiet \
    --run-dir "$TEST_TMP/$cpu"
done
check "avx2 and avx512: the same model" cmp "$TEST_TMP/avx2/model.bin" "$TEST_TMP/avx512/model.bin"
check "avx2 and avx512: the same metrics" cmp "$TEST_TMP/avx2/metrics.jsonl" "$TEST_TMP/avx512/metrics.jsonl"
GTRAIN_CPU=avx1024 exits 0 "an unknown name" "$GTRAIN" train "$TEST_TMP/run.yaml" --device cpu --run-dir "$TEST_TMP/none"
says "is warned of" "GTRAIN_CPU=avx1024 ignored"
check "and changes nothing" cmp "$TEST_TMP/none/model.bin" "$TEST_TMP/avx512/model.bin"
finish
