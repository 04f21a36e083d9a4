#!/usr/bin/env bash
# tests/run.sh reports every failure, however a test ends, and an interrupted run leaves no processes.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
build=$TEST_TMP/build
mkdir -p "$build/tests"
cp "${GTRAIN%/*}/tests/limit" "$build/tests/"
# These scripts stand for cmocka programs, which tests/run.sh judges by what they print.
program() { # program NAME SCRIPT
  printf '#!/bin/sh\n%s\n' "$2" > "$build/tests/$1"
  chmod +x "$build/tests/$1"
}
run() { # run NAME…
  BUILD=$build TEST_JOBS=2 tests/run.sh "${@/#/$build/tests/}"
}
# fails NAME SCRIPT WHAT: the failure of SCRIPT is reported, if it runs together with a program that passes.
fails() {
  program "$1" "$2"
  exits 1 "$3" run good "$1"
  says "… is reported" "1 passed, 1 failed"
}
program good 'echo "[  PASSED  ] 1 test(s)."'
exits 0 "one that passes" run good
says "… is counted" "1 passed, 0 failed"
fails early 'echo "[  FAILED  ] a"; exit 0' "an end before the summary"
fails silent 'exit 0' "nothing at all"
fails died 'kill -SEGV $$' "a signal"
fails teardown 'echo "[  ERROR   ] GROUP TEARDOWN"; echo "[  PASSED  ] 0 test(s)."' "a teardown that fails"
fails skipped 'echo "[  FAILED  ] 1 test(s)"; exit 77' "a failure that calls itself skipped"
fails nolog "rm -f $build/logs/nolog.log; exit 1" "a log that is gone"
program script.sh 'echo "not ok one"; exit 0'
exits 1 "a script's failure" run good script.sh
end=$(tail -n 3 <<< "$out")
check "… is named again at the end" grep -q '^FAIL  script.sh' <<< "$end"
check "… with the line that tells it" grep -q '| not ok one' <<< "$end"
program skip 'exit 77'
exits 0 "a skip" run good skip
says "… is counted, too" "1 passed, 0 failed, 1 skipped"
exits 1 "one that is not there" run good absent

# A setting makes a script run as on another CPU.
program arithmetic.sh "env | grep -E '^(GTRAIN_CPU|OPENBLAS_CORETYPE)=' | sort > $TEST_TMP/cpu
  python3 -c 'import math; print([(math.exp(i / 37), math.cos(i / 37), math.pow(i, 1.7)) for i in range(4000)])' > $TEST_TMP/digits"
export GTRAIN_CPU=avx2 OPENBLAS_CORETYPE=Prescott GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA
exits 0 "without a setting" run arithmetic.sh
check "the user's environment has no effect" test ! -s "$TEST_TMP/cpu"
mv "$TEST_TMP/digits" "$TEST_TMP/native"
exits 0 "the setting portable" run arithmetic.sh@portable
says "… is counted" "1 passed, 0 failed"
check "… sets the kernels" test "$(paste -sd' ' "$TEST_TMP/cpu")" = "GTRAIN_CPU=portable OPENBLAS_CORETYPE=Nehalem"
if [[ $(uname -m) == x86_64 ]] && grep -qw fma /proc/cpuinfo && getconf GNU_LIBC_VERSION > /dev/null; then
  exits 0 "the setting libm_sse2" run arithmetic.sh@libm_sse2
  exits 1 "… changes last digits of exp, cos or pow" cmp -s "$TEST_TMP/native" "$TEST_TMP/digits"
fi
exits 1 "a setting that does not exist" run arithmetic.sh@none
says "… is reported with those that do" "no setting 'none'; one of: portable, libm_sse2"

# The programs of ./scripts/test.sh, from the recorded times. Two take seconds; one has a rules.mk, one has no record.
shortest() { QUICK_SECONDS=$1 tests/run.sh --shortest {build/tests/base/text,tests/cli/{restart.sh,next.sh},tests/guest/scale.sh,tests/cli/none.sh}; }
recorded() { awk -v name="$1" '$1 == name { print $2 + 0 }' tests/durations; }
exits 0 "programs for a long time" shortest 1e6
check "… are all, the shortest first" test "$out" = $'build/tests/base/text\ntests/cli/next.sh\ntests/cli/restart.sh\nlimit '"$(recorded cli/restart.sh)"
time=$(awk '$1 ~ /^quick\// { quick += $2 } $1 == "build" { build = $3 } $1 ~ /^cli\/(next|restart).sh/ { tests += $2 }
  END { print (build + (quick + tests) / 2) / 0.5 }' tests/durations)
exits 0 "for a shorter time" shortest "$time"
check "… without the longest" test "$out" = $'build/tests/base/text\ntests/cli/next.sh\nlimit '"$(recorded cli/next.sh)"
exits 0 "for no time" shortest 1
check "… none" test "$out" = "limit 0"
mkdir "$build/tests/base"
program base/text 'echo "[  PASSED  ] 1 test(s)."'
program ../gtrain 'echo ok "$@"'
quick() { BUILD=$build QUICK_SECONDS=1e6 tests/run.sh --quick "$build/tests/base/text" tests/guest/scale.sh; }
exits 0 "a quick run" quick
says "… has both selftests" "3 passed, 0 failed"
says "… and names what it leaves out" "left out: make lint and 1 of 2 test programs"
exits 2 "an option that test.sh does not have" scripts/test.sh --most

program slow "echo \$\$ > $TEST_TMP/pid.new && mv $TEST_TMP/pid.new $TEST_TMP/pid && exec sleep 61"
run slow > /dev/null &
until [[ -e $TEST_TMP/pid ]]; do sleep 0.1; done
pid=$(< "$TEST_TMP/pid")
exits 1 "a second run in the same folder" run good
says "… is reported" "another run of tests is under way"
kill -TERM "$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$pid/status")" # the process of tests/limit
wait $!
check "interrupted, it leaves nothing" test ! -e "/proc/$pid"
finish
