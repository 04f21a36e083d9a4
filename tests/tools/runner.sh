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
