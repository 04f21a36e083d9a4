#!/usr/bin/env bash
# Random configs and command lines: none may crash, hang, or end without a documented exit code and a message. COMMANDS
# is the number of cases, SEED the first seed, JOBS the number of processes. ONLY=N runs only case N and prints it;
# KEEP=FOLDER keeps its files.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
build=${BUILD:-build}
commands=${COMMANDS:-300}
# In memory, because a run calls fsync for the files that it saves.
TMPDIR=${KEEP:-$(mktemp -d -p /dev/shm gtrain-campaign.XXXXXX)}
mkdir -p "$TMPDIR"
cp -r "$build/fuzz/room" "$TMPDIR" # make may rebuild it meanwhile
[[ -n ${KEEP-} ]] || trap 'rm -rf "$TMPDIR"' EXIT
export TMPDIR OPENBLAS_NUM_THREADS=1 NO_COLOR=1
# A sanitizer ends the program with a signal, which counts as a crash. Its shadow memory needs the whole address space.
export ASAN_OPTIONS=abort_on_error=1:exitcode=99 UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1
if grep -q libasan <<< "$(ldd "$GTRAIN")"; then export CAMPAIGN_MEMORY=unlimited; fi
check "campaign of $commands commands" \
  "$build/fuzz/campaign" "$GTRAIN" "$TMPDIR/room" "$commands" "${SEED:-1}" "${JOBS:-$(nproc)}" "${ONLY-}"
finish
