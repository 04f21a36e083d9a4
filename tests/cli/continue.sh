#!/usr/bin/env bash
# The command that an interrupted run prints after "Continue with:" works in a shell, whatever characters file names
# contain.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

root=$PWD
mkdir "$TEST_TMP/bin"
ln -s "$GTRAIN" "$TEST_TMP/bin/gtrain"
PATH=$TEST_TMP/bin:$PATH
cd "$TEST_TMP" || exit 1
printf 'data: {inputs: [[0], [1]], targets: [[1], [0]]}\nmodel: [{linear: 1}]\ntrain: {steps: 100000000}\n' > run.yaml
for name in -c.yaml "it's.yaml" 'a b.yaml' '$HOME.yaml' --help.yaml; do cp run.yaml "./$name"; done

try() { # CONFIG RUN-DIR
  local config=$1 run=$2 pid code=0 command
  "$GTRAIN" train --run-dir="$run" --device "$DEVICE" --set 'optimizer={type: sgd, lr: 0.001}' -- "$config" > out 2> err &
  pid=$!
  while kill -0 $pid 2> /dev/null && [[ ! -s $run/timing.jsonl ]]; do sleep 0.01; done
  kill -TERM $pid 2> /dev/null
  wait $pid || code=$?
  check "$config in $run is interrupted" test $code = 75
  command=$(sed -n '/Continue with:$/,$p' err | sed 1d)
  code=0
  or_hangs bash -c "$command --set train.steps=1" > out 2> err || code=$?
  check "and goes on by:$command" test $code = 0 -a -e "$run/model.bin"
  dash=$(command -v dash || command -v sh)
  rm -f "./$run/model.bin"
  or_hangs "$dash" -c "$command --set train.steps=1" > out 2> err || code=$?
  check "in another shell, too" test $code = 0 -a -e "$run/model.bin"
}
for run in plain "a b" "it's" '"both" '\''quotes'\' -dash --resume '$(touch bad)' '`touch bad`' '*' '~' 'back\slash' $'two\nlines' \
  'semi;colon&' '#hash' 'ümlaut'; do
  try run.yaml "x/$run"
done
for run in -dash --resume; do try run.yaml "$run"; done
for config in -c.yaml "it's.yaml" 'a b.yaml' '$HOME.yaml' --help.yaml; do try "$config" "y/$config"; done
check "nothing else was run" test ! -e bad
cd "$root" || exit 1
finish
