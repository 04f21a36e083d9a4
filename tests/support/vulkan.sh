# Sourced by tests that compare kernels on Vulkan with the CPU, with validation.
# shellcheck source=tests/support/cli.sh
source "$(dirname "${BASH_SOURCE[0]}")/cli.sh"

# on_vulkan FILTER [DEBUG]: runs the selftest for the cases that match FILTER, with DEBUG in GTRAIN_DEBUG; no validation
# message is allowed.
on_vulkan() {
  local code=0
  GTRAIN_DEBUG=validation,${2-} "$GTRAIN" selftest --device vulkan --brief --filter "$1" 2> "$TEST_TMP/messages" || code=$?
  cat "$TEST_TMP/messages"
  if ((code == 69)); then exit 77; fi
  check "the selftest of $1 passes${2:+ ($2)}" test "$code" = 0
  check "no validation message" test -z "$(grep '^validation:' "$TEST_TMP/messages")"
}

# on_units FILTER [DEBUG]: the same in all precisions on matrix units, which are emulated if the device has none.
on_units() { on_vulkan "$1" "matrix,float16${2:+,$2}"; }

# Skips the script, except in `make check-vulkan`, because a software device takes minutes to compile its kernels.
left_to_check_vulkan() {
  [[ -n ${CHECK_ALL-} ]] || { echo "left to make check-vulkan: its kernels take minutes to compile" && exit 77; }
}
