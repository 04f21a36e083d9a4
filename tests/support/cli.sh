# shellcheck shell=bash
# Sourced by the scripts of tests/cli. They run from the root of the repository, with GTRAIN (the binary) and
# TEST_TMP (an empty folder) from tests/run.sh; started by hand, they use build/gtrain and a folder of their own.
# TEST_DEVICE chooses the device, the CPU by default.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
GTRAIN=${GTRAIN:-$PWD/build/gtrain}
if [[ -z ${TEST_TMP-} ]]; then
  TEST_TMP=$(mktemp -d)
  trap 'rm -rf "$TEST_TMP"' EXIT
fi
DEVICE=${TEST_DEVICE:-cpu}
failures=0

pass() { echo "ok $1"; }
fail() {
  echo "not ok $1"
  failures=$((failures + 1))
}
# check NAME COMMAND…: passes if the command succeeds.
check() {
  local name=$1
  shift
  if "$@"; then pass "$name"; else fail "$name ($*)"; fi
}
# exits CODE NAME COMMAND…: passes if the command exits with this code; its output, stdout and stderr, is in $out.
exits() {
  local want=$1 name=$2 code=0
  shift 2
  out=$("$@" 2>&1) || code=$?
  if ((code == want)); then
    pass "$name"
  else
    fail "$name: exit code $code, not $want"
    printf '%s\n' "$out" | tail -n 20
  fi
}
# says NAME TEXT: passes if $out contains TEXT.
says() { case $out in *"$2"*) pass "$1" ;; *) fail "$1: no '$2' in: $out" ;; esac }
# The opposite: the output does not have this text.
lacks() { case $out in *"$2"*) fail "$1: '$2' in: $out" ;; *) pass "$1" ;; esac }
# within SECONDS COMMAND…: stops the command after SECONDS of processor time, so that the load of the machine does not
# matter.
within() { (ulimit -t "$1" && shift && exec "$@"); }
# or_hangs COMMAND…: stops the command after ten minutes, if it would wait forever.
or_hangs() { timeout 600 "$@"; }
# goes_on RUN [FILE…]: the run in $TEST_TMP/RUN, resumed from each of its checkpoints, ends with the same model.bin and
# the same FILEs. Calls the script's function `train RUN OPTION…`, with the options --resume and --quiet.
goes_on() {
  local checkpoint step later file
  for checkpoint in "$TEST_TMP/$1"/checkpoints/*; do
    step=${checkpoint##*/}
    cp -r "$TEST_TMP/$1" "$TEST_TMP/again"
    rm "$TEST_TMP/again/model.bin"
    for later in "$TEST_TMP"/again/checkpoints/*; do [[ ${later##*/} > $step ]] && rm -r "$later"; done
    exits 0 "$1: resumed from $step" train again --resume --quiet
    for file in model.bin "${@:2}"; do
      check "… to the same $file" cmp "$TEST_TMP/$1/$file" "$TEST_TMP/again/$file"
    done
    rm -r "$TEST_TMP/again"
  done
}
finish() { exit $((failures > 0)); }
