# shellcheck shell=bash
# Sourced after cli.sh by scripts that check what is sent to a terminal. script(1) makes the pseudo-terminals.
command -v script > /dev/null || { echo "script(1) is not there" && exit 77; }

# sent COLUMNS NAME COMMAND…: runs it on a terminal of that width; writes the bytes sent there to $TEST_TMP/NAME, and the
# exit code to $code. Its standard output is that terminal, too.
# shellcheck disable=SC2034 # code is for the caller
sent() {
  local columns=$1 name=$2 command
  shift 2
  printf -v command '%q ' "$@"
  code=0
  script -qec "stty cols $columns rows 24; $command" /dev/null < /dev/null > "$TEST_TMP/$name" || code=$?
}
# The widest line of a file, in columns, without escape sequences, and without what a carriage return replaces.
widest() {
  sed 's/\r*$//; s/.*\r//; s/\x1b\[[?0-9;]*[a-zA-Z]//g' "$1" |
    LC_ALL=C.UTF-8 wc -L
}
# escapes FILE: true if it holds an escape sequence.
escapes() { grep -q $'\x1b' "$1"; }
