#!/usr/bin/env bash
# tests/run.sh [--quick] PROGRAM… [SCRIPT.sh[@SETTING]…]: runs test programs, several at a time, from the root of the
# repository. Prints a line per program, the log of each failure, and at the end `N passed, N failed`.
#
# SCRIPT.sh@SETTING runs the script as on another CPU; the settings are in `apply_setting`. --quick runs the programs in
# tests/quick and, of those named, the shortest: as many as fit into the time that ./scripts/test.sh may take.
#
# A program is a compiled cmocka test or a shell script. Exit status 0 is a pass, 77 a skip. Its environment contains
# GTRAIN (the binary), ROOT (the repository), and two empty folders of its own, TEST_TMP and GTRAIN_CACHE_DIR. The
# numbers of passed and failed tests are taken from cmocka's summary, or from the `ok NAME` and `not ok NAME` lines of a
# script; a script without such lines counts as one test.
#
# TEST_JOBS sets how many programs run at a time (default: the number of processors plus one, because some wait). Limits
# do not depend on the load of the machine: a program may use LIMIT_FACTOR (default 5) times the processor time recorded
# in tests/durations, and at least 60 s. Programs that used more than half of that are named at the end: record them anew,
# because a slower machine would stop them. It is stopped as hung after ten times its recorded wall time, and at least 10
# minutes, if it has used no processor time for a minute (tests/limit.c). `tests/run.sh --record` writes the times of
# the last run to tests/durations.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
build=$(realpath "${BUILD:-build}")
logs=$build/logs
# These scripts check what a run prints within a given time. They run last and alone, and are skipped if other programs
# use the processors.
wall_clock='cli/terminal.sh'

# "passed failed skipped" from a log, an exit status and whether it is a script.
count() {
  awk -v status="$2" -v script="$3" '
    script && /^ok( |$)/                                { passed++; counted = 1 }
    script && /^not ok( |$)/                            { failed++; counted = 1 }
    !script && /^\[  PASSED  \] [0-9]+ test\(s\)/         { passed += $4; counted = 1 }
    !script && /^\[  FAILED  \] [0-9]+ test\(s\)/         { failed += $4; counted = 1 }
    !script && /^\[  SKIPPED \] [0-9]+ test\(s\)/         { skipped += $4; counted = 1 }
    !script && /^\[  (FAILED|ERROR) +\]/                 { bad = 1 } # also of setup and teardown
    END {
      if (failed == 0 && (bad || (status != 0 && status != 77))) failed = 1 # crashed, or failed outside of its cases
      else if (status == 77 && failed == 0) skipped += passed == 0 && skipped == 0
      else if (!counted && !script) failed = 1 # ended before it printed the summary
      else if (!counted) passed = 1
      print passed + 0, failed + 0, skipped + 0
    }' "$1" || echo 0 1 0
}

# Without a setting, tests run with the kernels and functions that gtrain chooses for this CPU.
apply_setting() {
  export TEST_SETTING=$1
  case $1 in
    '') ;;
    # Matrix products of a CPU without AVX: OpenBLAS computes all of them, with kernels for SSE4.2.
    portable) export GTRAIN_CPU=portable OPENBLAS_CORETYPE=Nehalem ;;
    # The C library's mathematical functions of a CPU without FMA: other last digits of exp, sin, pow.
    libm_sse2) export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD ;;
    *) echo "tests/run.sh: no setting '$1'; one of: portable, libm_sse2" >&2 && return 2 ;;
  esac
}

name_of() {
  local name=${1#"$build"/tests/}
  name=${name#"${build#"$root"/}"/tests/}
  echo "${name#tests/}"
}

# Prints a program's limits, "CPU WALL" in seconds, from its recorded times.
limits_of() {
  awk -v name="$1" -v factor="${LIMIT_FACTOR:-5}" -v least="${CHECK_ALL:+3600}" '
    $1 == name { cpu = $2; wall = $3; found = 1 }
    END {
      if (!found) cpu = wall = 120
      cpu *= factor; wall *= 10
      if (least < 60) least = 60 # make check-vulkan runs more cases than were recorded
      print (cpu < least ? least : cpu), (wall < 600 ? 600 : wall)
    }' tests/durations
}

# True if more processes are running than there are processors. Sampled for a second: the load average spans minutes.
busy() {
  local running sum=0
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    read -r _ _ _ running _ < /proc/loadavg
    sum=$((sum + ${running%/*} - 1))
    sleep 0.1
  done
  ((sum > 10 * $(nproc)))
}

# Of these programs, prints the shortest that fit into the time that ./scripts/test.sh may take on two cores, and at the
# end "limit SECONDS": no program that takes longer is among them. Programs without a record are left out, and those in
# folders with a rules.mk, which need more built. The line "build" in tests/durations is what comes before the tests.
shortest() {
  local program
  for program in "$@"; do
    [[ -e tests/$(name_of "${program%/*}")/rules.mk ]] || echo "$(name_of "$program") $program"
  done |
    awk -v seconds="${QUICK_SECONDS:-360}" '
      BEGIN { cores = 2; share = 0.5 } # of the time: other machines take up to twice as long as the recorded one
      FILENAME == ARGV[1] { cpu[$1] = $2; wall[$1] = $3; if ($1 ~ /^quick\//) spent += $2; next }
      $1 in cpu { print cpu[$1], $2, cores * (share * seconds - wall["build"]) - spent }' tests/durations - |
    sort -k1,1g | awk '{ spent += $1 } spent > $3 { exit } { limit = $1; print $2 } END { print "limit", limit + 0 }'
}

# Runs one program in its own process; writes its log, and its counts to a .result file.
run_one() {
  local program=$1 file=${1%@*} setting="" name tmp status=0 script=0 cpu wall passed failed skipped
  name=$(name_of "$program")
  [[ $program != *@* ]] || setting=${program##*@}
  local log=$logs/${name//\//.}.log
  tmp=$(mktemp -d "$build/tmp/XXXXXX")
  mkdir "$tmp/work" "$tmp/cache"
  [[ $file == *.sh ]] && script=1
  # From here on, messages of this shell ("Aborted", "Segmentation fault") go to the log.
  : > "$log"
  exec 2>> "$log"

  # Leak detection is off where Vulkan drivers are loaded, because they leak a little, and their leaks have no symbols
  # after they are unloaded; and under strace (torture), where it does not work.
  case ${name%@*} in
    backend/* | op_units/* | plan/legality | layer/embedding | layer/norm | *vulkan* | portable/limits* | torture/* | \
      cli/networks.sh | cli/overlap.sh | cli/recompute.sh | cli/tune.sh) export ASAN_OPTIONS=detect_leaks=0 ;;
  esac

  local command=("$file") limits
  read -ra limits <<< "$(limits_of "$name")"
  ((script)) && command=(bash "$file")
  [[ ${command[0]} == */* || $script == 1 ]] || command=("./$file")
  apply_setting "$setting" && GTRAIN=$build/gtrain ROOT=$root TEST_TMP=$tmp/work GTRAIN_CACHE_DIR=$tmp/cache \
    "$build/tests/limit" "${limits[@]}" "$log.time" "${command[@]}" < /dev/null >> "$log" 2>&1 || status=$?
  chmod -R u+rwX "$tmp" 2> /dev/null || true
  rm -rf "$tmp"
  ((status > 128)) && echo "tests/run.sh: killed by signal $((status - 128))" >> "$log"

  read -r cpu wall < "$log.time" || cpu=0 wall=0
  read -r passed failed skipped <<< "$(count "$log" "$status" "$script")"
  echo "$passed $failed $skipped" > "$log.result"
  ((passed == 0 || failed > 0)) || echo "$name $cpu $wall ${limits[0]}" >> "$logs/durations"
  local number
  number=$(find "$logs" -name '*.result' | wc -l)
  if ((failed > 0)); then
    printf '[%3d/%d] FAIL  %-32s %d passed, %d failed (exit status %d, %s s, CPU %s s); log:\n%s\n      again: make %s && %s tests/run.sh %s\n' \
      "$number" "$total" "$name" "$passed" "$failed" "$status" "$wall" "$cpu" "$(tail -n 200 "$log" | sed 's/^/      | /')" \
      "BUILD=${build#"$root"/}$( ((script)) || echo " ${program#"$root"/}")" "BUILD=${build#"$root"/}" "${program#"$root"/}"
  elif ((passed == 0)); then
    printf '[%3d/%d] skip  %-32s %s\n' "$number" "$total" "$name" "$(tail -n 1 "$log")"
  else
    printf '[%3d/%d] ok    %-32s %d passed%s (%s s, CPU %s s)\n' "$number" "$total" "$name" "$passed" \
      "$( ((skipped)) && echo ", $skipped skipped")" "$wall" "$cpu"
  fi
}

# reasons LOG: prints the name of a failed program and the lines of its log that say what failed; without such lines, the
# last three of the log.
reasons() {
  local log=$1 name lines
  name=${log##*/}
  mapfile -t lines < <(
    grep -m 8 -E '^not ok |^\[  (ERROR|FAILED) +\]|: error: Failure!|Sanitizer: |: line [0-9]+: |killed by signal' "$log" \
      2> /dev/null || tail -n 3 "$log" 2> /dev/null || echo "no log"
  )
  printf 'FAIL  %s\n' "${name%.log}"
  printf '      | %s\n' "${lines[@]}"
}

# Prints the programs by recorded processor time, longest first; programs without a record come before all others.
longest_first() {
  local program
  for program in "$@"; do echo "$(name_of "$program") $program"; done |
    awk 'FILENAME == ARGV[1] { cpu[$1] = $2; next } { print ($1 in cpu ? cpu[$1] : 1e9), $2 }' tests/durations - |
    sort -k1,1gr | cut -d' ' -f2
}

if [[ ${1-} == --record ]]; then
  {
    sed -n '/^#/p' tests/durations
    # The line of a program that was not run is kept, unless its file no longer exists.
    awk '/^#/ { next } FNR == NR { now[$1] = 1; print $1, $2, $3; next } !($1 in now)' \
      <(cat "$build/build_time" "$logs/durations" 2> /dev/null) tests/durations |
      while read -r name rest; do
        if [[ $name == build || -e tests/${name%@*} || -e tests/$name.c ]]; then echo "$name $rest"; fi
      done | LC_ALL=C sort
  } > "$build/durations"
  mv "$build/durations" tests/durations
  exit
fi
if [[ ${1-} == --shortest ]]; then # what --quick would run, for tests
  shortest "${@:2}"
  exit
fi
if [[ ${1-} == --one ]]; then
  total=$2
  run_one "$3"
  exit
fi

quick=0 left_out=
if [[ ${1-} == --quick ]]; then
  quick=1
  shift
fi
if [[ ${1-} == -* || $# == 0 ]]; then
  echo "usage: tests/run.sh [--quick] build/tests/ROOM/NAME… tests/ROOM/NAME.sh[@SETTING]… | --record" >&2
  exit 2
fi
if ((quick)); then
  mapfile -t chosen < <(shortest "$@")
  left_out="left out: make lint and $(($# - ${#chosen[@]} + 1)) of $# test programs (of more than ${chosen[-1]#limit } s of processor time, or with"
  left_out+=" more to build); ./scripts/test.sh --all runs them too"
  set -- tests/quick/*.sh "${chosen[@]:0:${#chosen[@]}-1}"
fi

# `make check-vulkan` sets both variables. If only one is set, it comes from the user's shell and must not affect the
# tests.
[[ -n ${GTRAIN_DEVICE-} && -n ${GTRAIN_DEBUG-} ]] || unset GTRAIN_DEVICE GTRAIN_DEBUG
# Only settings choose another CPU (apply_setting).
unset GTRAIN_CPU OPENBLAS_CORETYPE OPENBLAS_L2_SIZE GLIBC_TUNABLES
# shellcheck source=tests/env.sh
source tests/env.sh

# Two runs in one build folder would overwrite each other's logs.
exec 9> "$build/tests.lock"
flock -n 9 || { echo "tests/run.sh: another run of tests is under way in $build" >&2 && exit 1; }
rm -rf "$logs" "$build/tmp"
mkdir -p "$logs" "$build/tmp"
: > "$logs/durations" # of each: name, processor time, wall time, limit of processor time
started=$SECONDS
apart=() together=()
for program in "$@"; do
  if [[ " $wall_clock " == *" $(name_of "$program") "* ]]; then apart+=("$program"); else together+=("$program"); fi
done
run_all() { # run_all JOBS PROGRAM…
  local jobs=$1
  shift
  (($# == 0)) || printf '%s\0' "$@" | xargs -0 -n 1 -P "$jobs" "$root/tests/run.sh" --one "$total" 9>&- || true
}
total=$#
mapfile -t together < <(longest_first "${together[@]}")
run_all "${TEST_JOBS:-$(($(nproc) + 1))}" "${together[@]}"
if ((${#apart[@]})) && busy; then
  for program in "${apart[@]}"; do
    echo "skip  $(name_of "$program"): it looks at the clock, and other work takes the processors of this machine"
    name=$(name_of "$program")
    echo 0 0 1 > "$logs/${name//\//.}.log.result"
  done
else
  run_all 1 "${apart[@]}"
fi

# A program without a result file counts as a failure.
passed=0 failed=0 skipped=0 results=0
for result in "$logs"/*.result; do
  [[ -f $result ]] || continue
  read -r p f s < "$result"
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s)) results=$((results + 1))
done
failed=$((failed + $# - results))

echo "the longest, in seconds of processor time (and of wall time):"
sort -k2,2gr "$logs/durations" | awk 'NR <= 10 { printf "  %-32s %6.1f  (%.1f)\n", $1, $2, $3 }'
awk '2 * $2 > $4 { printf "near its limit: %s used %.0f of %.0f s of processor time (tests/durations)\n", $1, $2, $4 }' \
  "$logs/durations"
echo "$# programs in $((SECONDS - started)) s; logs in ${logs#"$root"/}/"
# Again, because a CI service shows only the end of a long output.
for result in "$logs"/*.result; do
  [[ -f $result ]] || continue
  read -r _ f _ < "$result"
  ((f == 0)) || reasons "${result%.result}"
done
[[ -z $left_out ]] || echo "$left_out"
echo "$passed passed, $failed failed$( ((skipped)) && echo ", $skipped skipped")"
((failed == 0 && passed > 0))
