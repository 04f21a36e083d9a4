#!/usr/bin/env bash
# Install missing packages, build, check the sources and run every test.
set -euo pipefail
cd "$(dirname "$0")/.."

./scripts/install-deps.sh --tests
make -j"$(nproc)" all

# The tests run even if the lint fails. They run last, so that the output ends with the number of passed tests.
lint=0
make lint || lint=$?
make -j"$(nproc)" check
if ((lint != 0)); then
  echo "test: the tests pass, but make lint fails (see above)" >&2
  exit 1
fi
