# shellcheck shell=bash
# Sourced after cli.sh by scripts that check what gtrain sends to a terminal. script(1) makes the pseudo-terminals.
command -v script > /dev/null || { echo "script(1) is not there" && exit 77; }

# sent COLUMNS NAME COMMAND…: runs the command on a terminal of this width, with stdout and stderr; writes the bytes
# that it sends to $TEST_TMP/NAME, and sets $code to its exit code.
# shellcheck disable=SC2034 # code is for the caller
sent() {
  local columns=$1 name=$2 command
  shift 2
  printf -v command '%q ' "$@"
  code=0
  script -qec "stty cols $columns rows 24; $command" /dev/null < /dev/null > "$TEST_TMP/$name" || code=$?
}
# widest FILE: the width of the widest line, in columns, without escape sequences and without text that is overwritten
# after a carriage return.
widest() {
  sed 's/\r*$//; s/.*\r//; s/\x1b\[[?0-9;]*[a-zA-Z]//g' "$1" |
    LC_ALL=C.UTF-8 wc -L
}
# escapes FILE: true if the file contains an escape sequence.
escapes() { grep -q $'\x1b' "$1"; }
