#!/usr/bin/env bash
# tests/fuzz/search.sh fuzz|fuzz-merge PROGRAMS FOLDER SECONDS TARGET…: `make fuzz`. Every target is searched for so
# many seconds, JOBS of them at a time (as many as there are processors), from the seeds, the corpus in the tree and
# what earlier searches gathered in FOLDER/corpus. What is found lies in FOLDER/found; the exit status is then 1.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

# Memory beyond these limits is a finding, too; 10 seconds are far more than any input of this size may take, on a
# machine that has nothing else to do (TIMEOUT).
limits=(-timeout="${TIMEOUT:-10}" -rss_limit_mb=2048 -malloc_limit_mb=512 -max_len=8192)
export ASAN_OPTIONS=${ASAN_OPTIONS-detect_leaks=1:allocator_may_return_null=1:handle_abort=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1}

if [[ $1 == --one ]]; then # WHAT PROGRAMS FOLDER SECONDS TARGET
  what=$2 program=$3/$6 folder=$4 seconds=$5 target=$6
  kept=$folder/corpus/$target log=$folder/logs/$target.log tree=$root/tests/fuzz/corpus/$target
  mkdir -p "$kept" "$folder/found" "$folder/logs" "$tree"
  cd "$TMPDIR/room"
  if [[ $what == fuzz-merge ]]; then
    rm -rf "$kept.merged"
    mkdir "$kept.merged"
    "$program" -merge=1 "${limits[@]}" "$kept.merged" "$kept" "$folder/seeds/$target" > "$log" 2>&1
    rm -rf "$kept"
    mv "$kept.merged" "$kept"
    echo "$target: $(find "$kept" -type f | wc -l) inputs"
    exit
  fi
  if "$program" "${limits[@]}" -max_total_time="$seconds" -dict="$folder/words" -print_final_stats=1 \
    -artifact_prefix="$folder/found/$target-" "$kept" "$folder/seeds/$target" "$tree" > "$log" 2>&1; then
    echo "ok      $target: $(awk '/^stat::number_of_executed_units/ { print $2 }' "$log") inputs in $seconds s"
  else
    echo "FINDING $target: $(grep -m 1 -E '^(FINDING|SUMMARY|ALARM|.*ERROR: )' "$log" || tail -n 1 "$log")"
    sed -n 's/.*written to /        /p' "$log"
    exit 1
  fi
  exit
fi

what=$1 programs=$(realpath "$2") folder=$(realpath "$3") seconds=$4
shift 4
TMPDIR=$(mktemp -d -p /dev/shm gtrain-fuzz.XXXXXX)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
cp -r "$folder/room" "$TMPDIR" # make may make it anew meanwhile
printf '%s\n' "$@" |
  xargs -P "${JOBS:-$(nproc)}" -I{} "$0" --one "$what" "$programs" "$folder" "$seconds" {}
