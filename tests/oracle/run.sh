#!/usr/bin/env bash
# tests/oracle/run.sh BUILD [options of oracle.py]: compares gtrain with PyTorch, splines with scipy, crops with
# torchvision or its rule, and metrics with scikit-learn, by the first installed Python that has the modules.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "$1")
shift
# shellcheck source=tests/env.sh
source tests/env.sh
GTRAIN=$build/gtrain TEST_TMP=$(mktemp -d)
export GTRAIN TEST_TMP PYTHONDONTWRITEBYTECODE=1
trap 'rm -rf "$TEST_TMP"' EXIT
status=0 ran=0
# run_with MODULES SCRIPT OPTIONS…: runs the script with the first installed Python that has its modules.
run_with() {
  local modules=$1 python
  shift
  for python in "${PYTHON:-python3}" /usr/bin/python3; do
    "$python" -c "import $modules" 2> /dev/null || continue
    ran=1
    "$python" "$@" || status=1
    return
  done
  echo "oracle: ${1##*/} is left out: no Python here has $modules" >&2
}
if [[ " $* " != *" --filter "* ]]; then
  run_with numpy,scipy.interpolate tests/oracle/splines.py "$@"
  run_with numpy tests/oracle/crop.py "$@"
  run_with numpy,sklearn tests/oracle/metrics.py "$@"
fi
run_with numpy,torch tests/oracle/oracle.py "$@"
((ran)) && exit "$status"
echo "oracle: no Python with numpy and torch: apt-get install python3-torch, or name one by PYTHON=" >&2
exit 77
