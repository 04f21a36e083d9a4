#!/usr/bin/env bash
# A model.bin of an earlier commit can still be read: result.json is the output of `eval` of the version that trained the
# model, and the current version must print the same. mlp, gates and automaton are from commit 12665d0; inputs has named
# inputs, one of them with a center; crop has cropped images; kan is pruned, with functions in place of edges; scaled has
# scaled targets; several has two targets, a number and a class, and typed columns; yes_no has a boolean target with a
# threshold. The files of the first six were rewritten once, when the format became gtrain-model-4.
# Checkpoints can be resumed only by the version that wrote them: the one in mlp, of 12665d0, must be rejected.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

# figures: the name and value of each metric in a JSON result on standard input, sorted.
figures() { tr ',{}' '\n' | sed -n 's/^"\([a-z._]*\(loss\|accuracy\)\)":/\1 /p' | sort; }
# close FILE FILE: the same names, and values within 1e-6, because another processor may round sums differently.
close() {
  paste -d ' ' "$1" "$2" | awk '
    function off(a, b) { return (a > b ? a - b : b - a) > 1e-6 * (1 + (a > 0 ? a : -a)) }
    $1 != $3 || off($2, $4) { bad = 1; print }
    END { exit bad || !NR }'
}

for name in mlp gates automaton inputs crop kan scaled several yes_no; do
  old=tests/golden/$name
  figures < "$old/result.json" > "$TEST_TMP/was"
  "$GTRAIN" eval "$old/model.bin" --device "$DEVICE" --json > "$TEST_TMP/result" 2> "$TEST_TMP/err"
  figures < "$TEST_TMP/result" > "$TEST_TMP/is"
  check "$name: model.bin evaluates to the same figures" close "$TEST_TMP/was" "$TEST_TMP/is"
  check "… and without a finding" grep -q '"findings":\[\]' "$TEST_TMP/result"
done

cp tests/golden/crop/model.bin "$TEST_TMP/model.bin"
printf x | dd of="$TEST_TMP/model.bin" bs=1 seek=3000 conv=notrunc status=none
exits 65 "a file that is damaged" "$GTRAIN" eval "$TEST_TMP/model.bin" --device "$DEVICE"
says "… is found by its hash" "its bytes do not match their hash"
sed 's/gtrain.xxh3/gtrain.hash/' tests/golden/crop/model.bin > "$TEST_TMP/model.bin"
exits 65 "a file with the hash of early builds" "$GTRAIN" eval "$TEST_TMP/model.bin" --device "$DEVICE"
says "… says what to do" "or an early build of gtrain wrote it (then train again)"

cp -r tests/golden/mlp "$TEST_TMP/run"
exits 65 "a checkpoint of another version" \
  "$GTRAIN" train tests/golden/mlp/config.yaml --resume --run-dir "$TEST_TMP/run" --device "$DEVICE" --quiet
says "… says so" "written by another version of gtrain (gtrain-checkpoint-1, expected"
says "… and what to do" "init_from: RUN/model.bin"
check "… and is left as it was" cmp "$TEST_TMP/run/checkpoints/step-000000013.safetensors" \
  tests/golden/mlp/checkpoints/step-000000013.safetensors
finish
