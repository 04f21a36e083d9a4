# Sourced by tests of kernels on matrix units, emulated where there are none, under the validation layers.
# shellcheck source=tests/support/cli.sh
source "$(dirname "${BASH_SOURCE[0]}")/cli.sh"

# on_units FILTER [DEBUG]: the selftest of what FILTER names, in every precision, against the CPU.
on_units() {
  local code=0
  GTRAIN_DEBUG=validation,matrix,float16,${2-} "$GTRAIN" selftest --device vulkan --filter "$1" 2> "$TEST_TMP/messages" ||
    code=$?
  cat "$TEST_TMP/messages"
  if ((code == 69)); then exit 77; fi
  check "the selftest of $1 passes${2:+ ($2)}" test "$code" = 0
  check "no validation message" test -z "$(grep '^validation:' "$TEST_TMP/messages")"
}
