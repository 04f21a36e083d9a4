#!/usr/bin/env bash
# When messages have colors: --color, NO_COLOR, TERM, and output to files. The colors are those of gcc.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/terminal.sh
source "$(dirname "$0")/../support/terminal.sh"
unset NO_COLOR
export TERM=xterm
none() { check "$1" test ! "$(grep -c $'\x1b' "$2")" -gt 0; }
printf 'model: [{liner: 2}]\n' > "$TEST_TMP/bad.yaml"
bad=(check "$TEST_TMP/bad.yaml")
absent=(eval "$TEST_TMP/absent.bin")

sent 80 errors "$GTRAIN" "${bad[@]}"
check "errors of a config are red" grep -q $'\x1b\\[1;31merror:\x1b\\[0m' "$TEST_TMP/errors"
check "… their place is bold" grep -q $'^\x1b\\[1m.*bad.yaml:1:' "$TEST_TMP/errors"
check "… and the marker is green" grep -q $'\x1b\\[1;32m^~*\x1b\\[0m' "$TEST_TMP/errors"
sent 80 error "$GTRAIN" "${absent[@]}"
check "other errors are red" grep -q $'^\x1b\\[1;31merror:\x1b\\[0m' "$TEST_TMP/error"
printf 'data: {train: datasets/digits/digits.csv, target: label}\nmodel: [{linear: 10}, softmax]\n' > "$TEST_TMP/warn.yaml"
sent 80 warning "$GTRAIN" check "$TEST_TMP/warn.yaml"
check "warnings are magenta" grep -q $'\x1b\\[1;35mwarning:\x1b\\[0m' "$TEST_TMP/warning"

for how in "NO_COLOR=1" "TERM=dumb" "-u TERM"; do
  # shellcheck disable=SC2086
  sent 80 plain env $how "$GTRAIN" "${bad[@]}"
  none "$how: none" "$TEST_TMP/plain"
  # shellcheck disable=SC2086
  sent 80 always env $how "$GTRAIN" "${bad[@]}" --color always
  check "$how: --color always has its way" escapes "$TEST_TMP/always"
done
sent 80 empty env NO_COLOR= "$GTRAIN" "${bad[@]}"
check "an empty NO_COLOR says nothing" escapes "$TEST_TMP/empty"
sent 80 never "$GTRAIN" --color=never "${bad[@]}"
check "--color is no command" test "$code" = 2
sent 80 never "$GTRAIN" "${bad[@]}" --color never
none "--color never" "$TEST_TMP/never"
sent 80 never "$GTRAIN" train --color=never --no-such-option
none "… before an error of the command line" "$TEST_TMP/never"

exits 78 "a file" "$GTRAIN" "${bad[@]}"
check "… gets none" test "${out#*$'\x1b'}" = "$out"
exits 78 "a file, --color auto" "$GTRAIN" "${bad[@]}" --color auto
check "… gets none" test "${out#*$'\x1b'}" = "$out"
exits 78 "a file, --color always" "$GTRAIN" "${bad[@]}" --color=always
says "… gets them" $'\x1b[1;31merror:'
exits 2 "another word" "$GTRAIN" "${bad[@]}" --color red
says "… is an error" "option '--color': expected auto, always or never, not 'red'"
exits 2 "a misspelt --color" "$GTRAIN" "${bad[@]}" --colour never
says "… suggests" "did you mean '--color'"
for command in train eval check schema devices; do
  exits 0 "$command --help" "$GTRAIN" "$command" --help
  says "… names it" "--color WHEN"
done
finish
