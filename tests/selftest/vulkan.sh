#!/usr/bin/env bash
# Every op on Vulkan against the CPU, under the validation layers, core and synchronization: not one message.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
code=0
GTRAIN_DEBUG=validation "$GTRAIN" selftest --device vulkan 2> "$TEST_TMP/messages" || code=$?
cat "$TEST_TMP/messages"
if ((code == 69)); then exit 77; fi
check "the selftest passes" test "$code" = 0
check "no validation message" test -z "$(grep '^validation:' "$TEST_TMP/messages")"
finish
