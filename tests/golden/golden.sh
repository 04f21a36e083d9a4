#!/usr/bin/env bash
# What gtrain 12665d0 wrote, a version before the store, is still read: each folder here is a run directory as that version
# left it, with the first of two checkpoints, and result.json is what its own `eval` said of its model.bin. Today's eval
# must say the same, and so must the end of a run that goes on from the checkpoint. The checkpoint of `mlp` holds the
# moments of two groups and the moving average flat.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

# figures JSON: name and value of each metric of a result, sorted.
figures() { tr ',{}' '\n' | sed -n 's/^"\(soft_\)\?\(loss\|accuracy\)":/\1\2 /p' | sort; }
# close FILE FILE: the same names, values within 1e-6: what another processor makes of the same sums.
close() {
  paste -d ' ' "$1" "$2" | awk '
    function off(a, b) { return (a > b ? a - b : b - a) > 1e-6 * (1 + (a > 0 ? a : -a)) }
    $1 != $3 || off($2, $4) { bad = 1; print }
    END { exit bad || !NR }'
}

for name in mlp gates automaton; do
  old=tests/golden/$name run=$TEST_TMP/$name
  figures < "$old/result.json" > "$TEST_TMP/was"
  "$GTRAIN" eval "$old/model.bin" --device "$DEVICE" --json 2> "$TEST_TMP/err" | figures > "$TEST_TMP/is"
  check "$name: model.bin evaluates to the same figures" close "$TEST_TMP/was" "$TEST_TMP/is"
  cp -r "$old" "$run"
  rm "$run/model.bin"
  exits 0 "$name: its checkpoint is gone on from" \
    "$GTRAIN" train "$old/config.yaml" --resume --run-dir "$run" --device "$DEVICE" --quiet --json
  sed -n 's/.*"test":\({[^}]*}\).*/\1/p' <<< "$out" | figures > "$TEST_TMP/is"
  check "$name: … and ends with them" close "$TEST_TMP/was" "$TEST_TMP/is"
  "$GTRAIN" eval "$run/model.bin" --device "$DEVICE" --json 2> "$TEST_TMP/err" | figures > "$TEST_TMP/is"
  check "$name: … which its own model.bin has, too" close "$TEST_TMP/was" "$TEST_TMP/is"
done
finish
