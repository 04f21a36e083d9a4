#!/usr/bin/env bash
# tests/torture/run.sh BUILD KILLS FILES SEED [options of power.py]: `make torture`. Kills KILLS runs, damages FILES
# files, and simulates power loss.
set -uo pipefail
cd "$(dirname "$0")/../.."
GTRAIN=$(realpath "$1")/gtrain ROOT=$PWD TEST_TMP=$(mktemp -d) PYTHONDONTWRITEBYTECODE=1
export GTRAIN ROOT TEST_TMP PYTHONDONTWRITEBYTECODE
trap 'rm -rf "$TEST_TMP"' EXIT
status=0
for loop in "kill.py $2 $4" "corrupt.py $3 $4" "power.py --seed $4 ${*:5}"; do
  # shellcheck disable=SC2086 # words
  python3 tests/torture/$loop || status=1
done
exit $status
