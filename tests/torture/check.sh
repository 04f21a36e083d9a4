#!/usr/bin/env bash
# A small part of `make torture`: runs that are killed, damaged files, and power loss.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
command -v python3 strace > /dev/null || { echo "needs python3 and strace"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
check "killed runs" python3 tests/torture/kill.py 60
check "damaged files" python3 tests/torture/corrupt.py 240
# The test of power loss records system calls, so it is skipped if tracing processes is not permitted.
if strace -o "$TEST_TMP/trace" true 2> /dev/null; then
  check "power loss" python3 tests/torture/power.py --every 6 --states 1 steps
  check "power loss, with a best model" python3 tests/torture/power.py --every 25 --states 1 mlp
fi
finish
