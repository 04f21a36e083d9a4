#!/usr/bin/env bash
# tests/run.sh PROGRAM… [SCRIPT.sh…]: run test programs, several at a time, from the root
# of the repository. Prints a line per program, the log of each failure, and at last `N passed, N failed`.
#
# A program is a compiled cmocka test or a shell script. Exit status 0 is a pass, 77 a skip. It finds in its
# environment GTRAIN (the binary), ROOT (the repository), TEST_TMP (a folder of its own, empty) and
# GTRAIN_CACHE_DIR (likewise). cmocka's counts are taken from its summary; a script may print `ok NAME` and
# `not ok NAME` lines, which are counted, otherwise it counts as one.
#
# TEST_JOBS sets how many run at a time (default: one more than there are processors, as some wait), TEST_TIMEOUT the
# seconds that one program may take (default 600).
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
build=$(realpath "${BUILD:-build}")
logs=$build/logs

# "passed failed skipped" from a log, an exit status and whether it is a script.
count() {
  awk -v status="$2" -v script="$3" '
    script && /^ok( |$)/                                { passed++; counted = 1 }
    script && /^not ok( |$)/                            { failed++; counted = 1 }
    !script && /^\[  PASSED  \] [0-9]+ test\(s\)/         { passed += $4; counted = 1 }
    !script && /^\[  FAILED  \] [0-9]+ test\(s\)/         { failed += $4; counted = 1 }
    !script && /^\[  SKIPPED \] [0-9]+ test\(s\)/         { skipped += $4; counted = 1 }
    END {
      if (status == 77 && failed == 0) { skipped += passed == 0 && skipped == 0; }
      else if (status != 0 && failed == 0) failed = 1   # died, or failed outside its own cases
      else if (!counted) passed = 1
      print passed + 0, failed + 0, skipped + 0
    }' "$1"
}

# One program, in a process of its own: leaves its log, and its counts in a .result file.
run_one() {
  local program=$1 name tmp status=0 script=0 started seconds passed failed skipped
  name=${program#"$build"/tests/}
  name=${name#"${build#"$root"/}"/tests/}
  name=${name#tests/}
  local log=$logs/${name//\//.}.log
  tmp=$(mktemp -d "$build/tmp/XXXXXX")
  mkdir "$tmp/work" "$tmp/cache"
  [[ $program == *.sh ]] && script=1
  started=$EPOCHREALTIME
  # From here on this shell's own words ("Aborted", "Segmentation fault") belong to the log.
  : > "$log"
  exec 2>> "$log"

  # Drivers leak a little, and what they leak cannot be named once the loader has unloaded them; and under strace (torture)
  # leaks cannot be looked for.
  case $name in
    backend/* | op_units/* | plan/legality | layer/embedding | layer/norm | *vulkan* | portable/limits* | torture/* | \
      cli/networks.sh | cli/overlap.sh | cli/recompute.sh | cli/tune.sh) export ASAN_OPTIONS=detect_leaks=0 ;;
  esac

  local command=("$program")
  ((script)) && command=(bash "$program")
  [[ ${command[0]} == */* || $script == 1 ]] || command=("./$program")
  GTRAIN=$build/gtrain ROOT=$root TEST_TMP=$tmp/work GTRAIN_CACHE_DIR=$tmp/cache \
    timeout -k 10 "${TEST_TIMEOUT:-600}" "${command[@]}" < /dev/null >> "$log" 2>&1 || status=$?
  chmod -R u+rwX "$tmp" 2> /dev/null || true
  rm -rf "$tmp"
  ((status == 124)) && echo "tests/run.sh: stopped after ${TEST_TIMEOUT:-600} seconds (TEST_TIMEOUT)" >> "$log"
  ((status > 128)) && echo "tests/run.sh: killed by signal $((status - 128))" >> "$log"

  seconds=$(awk -v a="$started" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
  read -r passed failed skipped <<< "$(count "$log" "$status" "$script")"
  echo "$passed $failed $skipped" > "$log.result"
  if ((failed > 0)); then
    printf 'FAIL  %-32s %d passed, %d failed (exit status %d, %s s); log:\n%s\n' \
      "$name" "$passed" "$failed" "$status" "$seconds" "$(tail -n 200 "$log" | sed 's/^/      | /')"
  elif ((passed == 0)); then
    printf 'skip  %-32s %s\n' "$name" "$(tail -n 1 "$log")"
  else
    printf 'ok    %-32s %d passed%s (%s s)\n' "$name" "$passed" "$( ((skipped)) && echo ", $skipped skipped")" "$seconds"
  fi
}

if [[ ${1-} == --one ]]; then
  run_one "$2"
  exit
fi

# `make check-vulkan` sets both of these; alone they are a leftover of somebody's shell, and tests choose for themselves.
[[ -n ${GTRAIN_DEVICE-} && -n ${GTRAIN_DEBUG-} ]] || unset GTRAIN_DEVICE GTRAIN_DEBUG
# shellcheck source=tests/env.sh
source tests/env.sh

rm -rf "$logs" "$build/tmp"
mkdir -p "$logs" "$build/tmp"
started=$SECONDS
if (($# > 0)); then
  printf '%s\0' "$@" | xargs -0 -n 1 -P "${TEST_JOBS:-$(($(nproc) + 1))}" "$0" --one || true
fi

# A program whose runner left no result must not go unnoticed.
passed=0 failed=0 skipped=0 results=0
for result in "$logs"/*.result; do
  [[ -f $result ]] || continue
  read -r p f s < "$result"
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s)) results=$((results + 1))
done
failed=$((failed + $# - results))

echo "$# programs in $((SECONDS - started)) s; logs in ${logs#"$root"/}/"
echo "$passed passed, $failed failed$( ((skipped)) && echo ", $skipped skipped")"
((failed == 0 && passed > 0))
