#!/usr/bin/env bash
# Random configs and command lines: none crashes, hangs, or ends without a documented code and a word. COMMANDS of them
# from SEED, in JOBS processes; ONLY=N does the N-th case again, and shows it (its files: KEEP=FOLDER).
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
build=${BUILD:-build}
commands=${COMMANDS:-300}
# In memory: a run syncs what it saves.
TMPDIR=${KEEP:-$(mktemp -d -p /dev/shm gtrain-campaign.XXXXXX)}
mkdir -p "$TMPDIR"
cp -r "$build/fuzz/room" "$TMPDIR" # make may make it anew meanwhile
[[ -n ${KEEP-} ]] || trap 'rm -rf "$TMPDIR"' EXIT
export TMPDIR OPENBLAS_NUM_THREADS=1 NO_COLOR=1
# Of a sanitizer's complaint comes a signal, which is a finding; its shadow needs all addresses.
export ASAN_OPTIONS=abort_on_error=1:exitcode=99 UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1
if grep -q libasan <<< "$(ldd "$GTRAIN")"; then export CAMPAIGN_MEMORY=unlimited; fi
check "campaign of $commands commands" \
  "$build/fuzz/campaign" "$GTRAIN" "$TMPDIR/room" "$commands" "${SEED:-1}" "${JOBS:-$(nproc)}" "${ONLY-}"
finish
