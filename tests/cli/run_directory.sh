#!/usr/bin/env bash
# Every command accepts a run directory as its model: it uses model.bin, or reports how to finish the run if there is
# none.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

run=$TEST_TMP/run
exits 0 "a run" "$GTRAIN" train configs/life.yaml --device "$DEVICE" --quiet --run-dir "$run" --set train.steps=4 \
  --set train.restart_every=0 --set train.early_stopping=0
# same NAME COMMAND… -- OPTION…: the command prints the same for the directory as for the model file in it.
same() {
  local name=$1 words=()
  shift
  while [[ $1 != -- ]]; do words+=("$1") && shift; done
  shift
  "$GTRAIN" "${words[@]}" "$run/model.bin" "$@" > "$TEST_TMP/a" 2>&1
  exits 0 "$name" "$GTRAIN" "${words[@]}" "$run" "$@"
  check "… of the folder" test "$out" = "$(cat "$TEST_TMP/a")"
}
same eval eval -- --device "$DEVICE" --quiet
same inspect inspect --
same export export -- --format c
same simulate simulate -- --steps 1
exits 0 "with trailing slashes" "$GTRAIN" eval "$run//" --device "$DEVICE" --quiet
exits 0 "--init" "$GTRAIN" train configs/life.yaml --device "$DEVICE" --run-dir "$TEST_TMP/next" --set train.steps=1 \
  --set train.restart_every=0 --set train.early_stopping=0 --init "$run"
says "… names the file" "tensors from $run/model.bin"

exits 0 "a KAN" "$GTRAIN" train configs/kan_product.yaml --device "$DEVICE" --quiet --run-dir "$TEST_TMP/kan" \
  --set train.phases= --set train.steps=2
exits 0 "explain" "$GTRAIN" explain "$TEST_TMP/kan" --no-formula --svg "$TEST_TMP/kan.svg"
printf '0,1\n' > "$TEST_TMP/x.csv"
exits 0 "predict" "$GTRAIN" predict "$TEST_TMP/kan" "$TEST_TMP/x.csv" --device "$DEVICE"
check "… says nothing of other models where there are none" test "$(grep -c best.bin <<< "$out")" = 0
cp "$TEST_TMP/kan/model.bin" "$TEST_TMP/kan/best.bin"
exits 0 "next to a best.bin" "$GTRAIN" predict "$TEST_TMP/kan" "$TEST_TMP/x.csv" --device "$DEVICE"
check "… without a word about best.bin" test "$(grep -c "best.bin" <<< "$out")" = 0

mv "$run/model.bin" "$TEST_TMP/kept.bin"
for command in "eval" "inspect" "export --format c" "simulate"; do
  # shellcheck disable=SC2086 # words of a command
  exits 74 "$command of a run that has not finished" "$GTRAIN" $command "$run"
  says "… names the way on" "has not finished: it has no model.bin yet. Continue it with:
  gtrain train $run/config.yaml --run-dir $run --resume"
done
exits 0 "… which is one" "$GTRAIN" train "$run/config.yaml" --run-dir "$run" --resume --device "$DEVICE"
check "… to the same model" cmp "$run/model.bin" "$TEST_TMP/kept.bin"
exits 74 "a folder that is not a run" "$GTRAIN" eval datasets
says "… is said to be none" "datasets is a folder without a model.bin"
exits 74 "… by --init, too" "$GTRAIN" train configs/xor.yaml --device "$DEVICE" --init datasets --run-dir "$TEST_TMP/none"
says "… at its place" "datasets is a folder without a model.bin"
finish
