#!/usr/bin/env bash
# scripts/test.sh [--all]: installs missing packages, builds, and runs tests. Without --all, what two cores finish within
# six minutes: short selftests and the shortest test programs. With --all, every test, and the static checks.
set -euo pipefail
cd "$(dirname "$0")/.."
case "$*" in
  '') all=0 ;;
  --all) all=1 ;;
  *) echo "usage: scripts/test.sh [--all]" >&2 && exit 2 ;;
esac

./scripts/install-deps.sh --tests
fresh=$([[ -e build/gtrain ]] || echo 1)
started=$SECONDS
make -j"$(nproc)" all
if ((!all)); then
  make -j"$(nproc)" check-quick-programs
  # The processor time and wall time of a whole build, for tests/run.sh --record. `times` would see nothing in a pipe.
  if [[ -n $fresh ]]; then
    times > build/build_time
    awk -v wall=$((SECONDS - started)) 'NR == 2 { gsub(/[ms]/, " "); print "build", 60 * $1 + $2 + 60 * $3 + $4, wall }' \
      build/build_time > build/build_time.new
    mv build/build_time.new build/build_time
  fi
  exec make check-quick
fi

# The tests run even if the lint fails. They run last, so that the output ends with the number of passed tests.
lint=0
make lint || lint=$?
make -j"$(nproc)" check
if ((lint != 0)); then
  echo "test: the tests pass, but make lint fails (see above)" >&2
  exit 1
fi
