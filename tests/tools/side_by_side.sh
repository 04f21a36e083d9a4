#!/usr/bin/env bash
# tests/side_by_side.sh finds no difference between equal programs, and every difference between others; named
# differences are accepted, and those that nothing needs are refused.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
export XDG_CACHE_HOME=$TEST_TMP/kept SIDE_BY_SIDE_NAMED=$TEST_TMP/named
# variant NAME COMMANDS: a program that runs gtrain, and then these commands on what it wrote.
variant() {
  printf '#!/usr/bin/env bash\n"%s" "$@" > out\ncode=$?\n%s\ncat out\nrm out\nexit $code\n' "$GTRAIN" "$2" > "$TEST_TMP/$1"
  chmod +x "$TEST_TMP/$1"
}
compare() { tests/side_by_side.sh "$GTRAIN" "$TEST_TMP/$1" run/repeated predict/two_numbers broken_table/11 '*/01-unknown-section' "${@:2}"; }
variant same ''
variant output 'sed "s/batch 16/batch 17/" out > changed; mv changed out'
variant byte '[ ! -e run/model.bin ] || printf X | dd of=run/model.bin bs=1 seek=3000 conv=notrunc status=none'
variant file '[ ! -e p.csv ] || echo > extra'
variant code '[ $code != 78 ] || code=65'
: > "$SIDE_BY_SIDE_NAMED"

exits 0 "equal programs" compare same
says "… have no difference" "4 cases, 0 differ"
exits 0 "… nor again, with what was kept" compare same
exits 1 "a line of output" compare output
says "… is shown" "--- run/repeated: log"
says "… as a difference" "+step            batch 17, 2 steps"
says "… of one case" "4 cases, 1 differ"
exits 1 "a byte of a model" compare byte
says "… is found" "--- predict/two_numbers: run/model.bin"
exits 1 "a file" compare file
says "… is found" "only NEW writes it"
exits 1 "an exit code" compare code
says "… is found" "+exit code 65"
exits 2 "a pattern without a case" tests/side_by_side.sh "$GTRAIN" "$GTRAIN" 'none/*'
exits 2 "a program that is none" tests/side_by_side.sh "$GTRAIN" "$TEST_TMP/none"

printf '# why\nrun/* log s/batch 16/batch 17/\n' > "$SIDE_BY_SIDE_NAMED"
exits 0 "a difference with a name" compare output
printf 'run/* log skip: why\n' > "$SIDE_BY_SIDE_NAMED"
exits 0 "… that is not looked at" compare output
printf 'run/* log s/batch 16/batch 18/\n' > "$SIDE_BY_SIDE_NAMED"
exits 1 "… that is another" compare output
exits 1 "an entry that nothing needs" tests/side_by_side.sh -u "$GTRAIN" "$TEST_TMP/same" 'run/repeated'
says "… is named with its line" "named:1: no difference needs this entry: run/* log s/batch 16/batch 18/"
finish
