# Sourced by tests of kernels on Vulkan, against the CPU, under the validation layers.
# shellcheck source=tests/support/cli.sh
source "$(dirname "${BASH_SOURCE[0]}")/cli.sh"

# on_vulkan FILTER [DEBUG]: the selftest of the cases that match FILTER; no message is allowed.
on_vulkan() {
  local code=0
  GTRAIN_DEBUG=validation,${2-} "$GTRAIN" selftest --device vulkan --brief --filter "$1" 2> "$TEST_TMP/messages" || code=$?
  cat "$TEST_TMP/messages"
  if ((code == 69)); then exit 77; fi
  check "the selftest of $1 passes${2:+ ($2)}" test "$code" = 0
  check "no validation message" test -z "$(grep '^validation:' "$TEST_TMP/messages")"
}

# on_units FILTER [DEBUG]: in every precision, on matrix units, emulated if there are none.
on_units() { on_vulkan "$1" "matrix,float16${2:+,$2}"; }

# Ends a script whose kernels take minutes to compile for a software device, except under make check-vulkan.
left_to_check_vulkan() {
  [[ -n ${CHECK_ALL-} ]] || { echo "left to make check-vulkan: its kernels take minutes to compile" && exit 77; }
}
