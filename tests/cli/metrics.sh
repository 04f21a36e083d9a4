#!/usr/bin/env bash
# The metrics of evaluations against their definitions, and their errors.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
cd "$TEST_TMP" || exit
check "values" python3 "$ROOT/tests/cli/metrics.py" "$GTRAIN" "$TEST_TMP"
