#!/usr/bin/env bash
# tests/fuzz/search.sh PROGRAMS FOLDER SECONDS TARGET…: `make fuzz`. Fuzzes each target for SECONDS seconds, JOBS
# targets at a time (default: one per processor), starting with the seeds, the corpus in the tree and the inputs that
# earlier searches collected in FOLDER/corpus. Inputs that fail are written to FOLDER/found; the exit status is then not
# 0.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

# Exceeding the memory limits is a failure, too. TIMEOUT: 10 seconds are far more than an input of this size may need on
# an idle machine.
limits=(-timeout="${TIMEOUT:-10}" -rss_limit_mb=2048 -malloc_limit_mb=512 -max_len=8192)
export ASAN_OPTIONS=${ASAN_OPTIONS-detect_leaks=1:allocator_may_return_null=1:handle_abort=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1}

search() { # search PROGRAMS FOLDER SECONDS TARGET
  local program=$1/$4 folder=$2 seconds=$3 target=$4
  local kept=$folder/corpus/$target log=$folder/logs/$target.log tree=$root/tests/fuzz/corpus/$target
  local places=("$kept" "$folder/seeds/$target")
  mkdir -p "$kept" "$folder/found" "$folder/logs"
  [[ -d $tree ]] && places+=("$tree")
  cd "$TMPDIR/room"
  if "$program" "${limits[@]}" -max_total_time="$seconds" -dict="$folder/words" -print_final_stats=1 \
    -artifact_prefix="$folder/found/$target-" "${places[@]}" > "$log" 2>&1; then
    echo "ok      $target: $(awk '/^stat::number_of_executed_units/ { print $2 }' "$log") inputs in $seconds s"
  else
    echo "FINDING $target: $(grep -a -m 1 -E '^(FINDING|SUMMARY|ALARM|.*ERROR: )' "$log" || tail -n 1 "$log")"
    sed -n 's/.*written to /        /p' "$log"
    return 1
  fi
}

if [[ $1 == --one ]]; then
  search "${@:2}"
  exit
fi

programs=$(realpath "$1") folder=$(realpath "$2") seconds=$3
shift 3
TMPDIR=$(mktemp -d -p /dev/shm gtrain-fuzz.XXXXXX)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
cp -r "$folder/room" "$TMPDIR" # make may rebuild it meanwhile
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I{} "$0" --one "$programs" "$folder" "$seconds" {}
