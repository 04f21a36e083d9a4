#!/usr/bin/env bash
# Products on matrix units, emulated here, in every precision, against the CPU, under the validation layers: those of
# matrices, and of some convolutions and layers of a KAN, whose kernels a software device takes long to compile.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
for filter in matmul conv_on_units kan_on_units; do
  code=0
  GTRAIN_DEBUG=validation,matrix,float16 "$GTRAIN" selftest --device vulkan --filter $filter 2> "$TEST_TMP/messages" ||
    code=$?
  cat "$TEST_TMP/messages"
  if ((code == 69)); then exit 77; fi
  check "the selftest of $filter passes" test "$code" = 0
  check "no validation message" test -z "$(grep '^validation:' "$TEST_TMP/messages")"
done
finish
