#!/usr/bin/env bash
# Every op on the CPU: values against double precision, gradients against finite differences, the same bits on 1, 2, 3 and
# 7 threads. The selftest prints one line per family, which is counted.
exec "${GTRAIN:-build/gtrain}" selftest --device cpu
