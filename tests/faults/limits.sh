#!/usr/bin/env bash
# With little address space (ulimit -v, in KiB), every command ends: with success, with code 71, or, before main, with
# the loader's code 127. None may hang: OpenBLAS, whose GEMM training uses, requests its buffers in an endless loop.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/config.yaml" << 'YAML'
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: {scale: 0.0625}}
model: [{linear: 64}, relu, {linear: 10}]
train: {steps: 3}
YAML

# ends NAME COMMAND…: the command ends with less and less address space.
ends() {
  local name=$1 kib code wrong=0 fine=0
  shift
  for kib in 600000 300000 200000 110000 60000 30000 20000; do # the program itself needs 16,000
    code=0
    rm -rf "$TEST_TMP/run"
    (ulimit -v $kib && ulimit -t 20 && exec env GTRAIN_THREADS=2 timeout 600 "$@") > "$TEST_TMP/log" 2>&1 || code=$?
    case $code in
      0) fine=$((fine + 1)) ;;
      71 | 127) ;;
      *)
        wrong=$((wrong + 1))
        echo "$kib KiB: exit code $code"
        tail -n 5 "$TEST_TMP/log"
        ;;
    esac
  done
  check "$name ends wherever memory does" test "$wrong" = 0 -a "$fine" -gt 0
}

ends "the version" "$GTRAIN" --version
ends "check" "$GTRAIN" check "$TEST_TMP/config.yaml"
ends "train" "$GTRAIN" train "$TEST_TMP/config.yaml" --device cpu --quiet --run-dir "$TEST_TMP/run"
# GTRAIN_CPU=portable selects OpenBLAS, which is not used if the processor supports gtrain's own GEMM.
ends "train by OpenBLAS" env GTRAIN_CPU=portable "$GTRAIN" train "$TEST_TMP/config.yaml" --device cpu --quiet --run-dir "$TEST_TMP/run"
# There is enough memory for OpenBLAS itself, but not for the libraries it needs; libgfortran would end the process.
exits 71 "OpenBLAS without room to start" bash -c 'ulimit -v 70000 && exec "$@"' -- env GTRAIN_CPU=portable GTRAIN_THREADS=2 \
  "$GTRAIN" train "$TEST_TMP/config.yaml" --device cpu --quiet --run-dir "$TEST_TMP/run3"
says "is not opened" "out of memory: loading OpenBLAS needs 64 MiB"
exits 0 "with room enough" "$GTRAIN" train "$TEST_TMP/config.yaml" --device cpu --quiet --run-dir "$TEST_TMP/run2"
model=$TEST_TMP/run2/model.bin
ends "eval" "$GTRAIN" eval "$model" --device cpu
ends "inspect" "$GTRAIN" inspect "$model"
finish
