#!/usr/bin/env bash
# tests/oracle/run.sh BUILD [options of oracle.py]: with the first Python here that has PyTorch.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "$1")
shift
# shellcheck source=tests/env.sh
source tests/env.sh
for python in "${PYTHON:-python3}" /usr/bin/python3; do
  "$python" -c 'import numpy, torch' 2> /dev/null || continue
  GTRAIN=$build/gtrain TEST_TMP=$(mktemp -d)
  export GTRAIN TEST_TMP
  trap 'rm -rf "$TEST_TMP"' EXIT
  PYTHONDONTWRITEBYTECODE=1 "$python" tests/oracle/oracle.py "$@"
  exit
done
echo "oracle: no Python with numpy and torch: apt-get install python3-torch, or name one by PYTHON=" >&2
exit 77
