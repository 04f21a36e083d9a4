#!/usr/bin/env bash
# tests/limit.c: it returns the command's exit code, and the processor time of all its processes counts, including
# children and orphans.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
limit=${GTRAIN%/*}/tests/limit
report=$TEST_TMP/report
# Spinning and sleeping processes with unique names.
spin="while :; do : $TEST_TMP; done"
nap=3600.$$$RANDOM
gone() { # gone TEXT: true if no process has it in its command line
  echo "$1" > "$TEST_TMP/text"
  ! grep -qsaFf "$TEST_TMP/text" /proc/[0-9]*/cmdline # grep's exit code is 2 if a process ends meanwhile
}
sleeps() { grep -qsaP "^sleep\\x00$nap" /proc/[0-9]*/cmdline; }

exits 0 "a command that ends" "$limit" 5 5 "$report" true
exits 3 "its exit code" "$limit" 5 5 "$report" bash -c 'exit 3'
exits 137 "the signal that it died by" "$limit" 5 5 "$report" bash -c 'kill -KILL $$'
exits 127 "a command that is not there" "$limit" 5 5 "$report" "$TEST_TMP/absent"
exits 124 "too much processor time" "$limit" 0.5 100 "$report" bash -c "$spin"
says "says so" "used more than"
exits 124 "two children together" "$limit" 1 100 "$report" bash -c "($spin) & ($spin) & wait"
exits 124 "of an orphan in a session of its own" "$limit" 0.5 100 "$report" bash -c "(setsid bash -c '$spin' &); sleep 60"
check "nothing of them is left" gone "$spin"
exits 0 "waiting costs nothing" "$limit" 0.5 1 "$report" sleep 3
check "wall time is reported" awk '{ exit !($1 < 0.5 && $2 >= 3) }' "$report"
exits 0 "an orphan does not hold it up" "$limit" 5 5 "$report" bash -c "setsid sleep $nap & exit 0"
check "… nor outlive it" gone "$nap"
exits 130 "a signal that was ignored outside" bash -c 'trap "" INT; exec "$@"' - "$limit" 5 5 "$report" bash -c 'kill -INT $$'
exits 124 "processes that end as fast as others begin" or_hangs "$limit" 1 100 "$report" \
  bash -c "next() { [[ ! -e \$0/end ]] && (next &); }; next; sleep 60" "$TEST_TMP"
says "… are stopped, too" "used more than"
"$limit" 60 600 "$report" bash -c "sleep $nap" &
until sleeps; do sleep 0.1; done
kill -TERM $!
wait $!
check "interrupted" test $? = 143
check "… it leaves nothing" gone "$nap"
abandoned() {
  bash -c '"$@" & wait' - "$limit" 60 600 "$report" sleep "$nap" &
  until sleeps; do sleep 0.1; done
  kill -KILL $!
  wait $!
}
exits 137 "whoever started it is gone" abandoned
for ((tries = 0; tries < 600; tries++)); do
  sleeps || break
  sleep 0.1
done
check "… and so is what it ran" gone "$nap"
finish
