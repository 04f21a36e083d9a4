#!/usr/bin/env bash
# Random configs and command lines: none crashes, hangs, or ends without a documented exit code and a message. Runs
# COMMANDS of them from SEED, in JOBS processes; ONLY=N runs only case N, and prints it (its files: KEEP=FOLDER).
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
build=${BUILD:-build}
commands=${COMMANDS:-300}
# In memory, because a run syncs the files that it saves.
TMPDIR=${KEEP:-$(mktemp -d -p /dev/shm gtrain-campaign.XXXXXX)}
mkdir -p "$TMPDIR"
cp -r "$build/fuzz/room" "$TMPDIR" # make may rebuild it meanwhile
[[ -n ${KEEP-} ]] || trap 'rm -rf "$TMPDIR"' EXIT
export TMPDIR OPENBLAS_NUM_THREADS=1 NO_COLOR=1
# A sanitizer's report ends with a signal, which is a finding; its shadow memory needs the whole address space.
export ASAN_OPTIONS=abort_on_error=1:exitcode=99 UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1
if grep -q libasan <<< "$(ldd "$GTRAIN")"; then export CAMPAIGN_MEMORY=unlimited; fi
check "campaign of $commands commands" \
  "$build/fuzz/campaign" "$GTRAIN" "$TMPDIR/room" "$commands" "${SEED:-1}" "${JOBS:-$(nproc)}" "${ONLY-}"
finish
