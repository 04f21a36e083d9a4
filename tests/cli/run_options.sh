#!/usr/bin/env bash
# Options for scripts: --fail-if, --max-time, --require-gpu, eval --data, check --quiet.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

# train NAME OPTION…: trains in the run directory NAME.
train() { "$GTRAIN" train "${@:2}" --device "$DEVICE" --run-dir "$TEST_TMP/$1"; }

# --- train --fail-if ---------------------------------------------------------------------------------------------
digits=(configs/digits.yaml --quiet --set train.epochs=2 --set train.early_stopping=0)
exits 1 "a gate that fails" train a "${digits[@]}" --fail-if 'accuracy<0.9999'
says "… is said" "which is < 0.9999 (--fail-if)"
check "… and the model is there" test -s "$TEST_TMP/a/model.bin"
exits 0 "gates as eval has them" "$GTRAIN" eval "$TEST_TMP/a" --device "$DEVICE" --fail-if 'accuracy<0.2' --fail-if 'samples<359'
exits 0 "… of the same result" train b "${digits[@]}" --fail-if 'accuracy<0.2' --fail-if 'samples<359' --fail-if 'loss>100'
exits 2 "a gate that cannot be read" train c "${digits[@]}" --fail-if 'accuracy'
exits 2 "a metric that the loss does not have" train c configs/csv_regression.yaml --fail-if 'accuracy<1'
says "… is found before training" "'accuracy' needs a loss that counts correct predictions"
exits 2 "no split to judge by" train c "${digits[@]}" --set data.test_fraction=0 --set data.validation=0 --fail-if 'accuracy<0.5'
says "… is found before training" "no test or validation split"
check "… without a run" test ! -e "$TEST_TMP/c"
exits 0 "a validation split alone" train c "${digits[@]}" --set data.test_fraction=0 --set data.validation=0.2 --fail-if 'accuracy<0.1'

# --- train --max-time --------------------------------------------------------------------------------------------
xor=(configs/xor.yaml --set train.epochs=100000000 --max-time 0.3s)
exits 75 "a run that takes too long" train d "${xor[@]}"
says "… is stopped and saved" "stopped after 0.3s (--max-time) at step "
check "… as it was asked to, without an error" test "$(grep -c error: <<< "$out")" = 0
says "… with the command that goes on" "gtrain train ${xor[*]} --device $DEVICE --run-dir $TEST_TMP/d --resume"
exits 75 "… which goes on as long again" train d "${xor[@]}" --resume
says "… from there" "resuming $TEST_TMP/d at step"
exits 75 "L-BFGS, too" train e configs/function_lbfgs.yaml --set train.steps=1000000 --max-time 0.3
exits 0 "a run that ends before" train f configs/xor.yaml --set train.epochs=1 --max-time 1h30m --quiet
for time in 0 -5m x 5y 30m5 ''; do
  exits 2 "--max-time '$time'" train g configs/xor.yaml --max-time="$time"
  says "… is none" "expected a time such as 90s, 30m or 1h30m"
done

# --- --require-gpu -----------------------------------------------------------------------------------------------
software() { "$GTRAIN" "$@" --require-gpu; }
if ! "$GTRAIN" devices --json | grep -qE '"type":"(discrete|integrated|virtual)"'; then
  exits 69 "no GPU, and one is required" software train configs/xor.yaml --run-dir "$TEST_TMP/none"
  says "… is an error" "error: --require-gpu: "
  exits 69 "… by eval, too" software eval "$TEST_TMP/a"
  exits 69 "… by predict, too" software predict "$TEST_TMP/a" datasets/digits/digits.csv
  exits 69 "… nor is a software device one" software train configs/xor.yaml --device vulkan
  exits 69 "… also if it is chosen by number" software train configs/xor.yaml --device vulkan:0
  says "… which says so" "--require-gpu: the selected device is software ("
fi
exits 2 "a GPU and --device cpu" software train configs/xor.yaml --device cpu
says "… contradict each other" "--require-gpu: the selected device is the CPU"
exits 2 "a GPU and a word that is none" software train configs/xor.yaml --device gpu
says "… is answered as ever" "use 'vulkan' for a GPU"

# --- eval --data -------------------------------------------------------------------------------------------------
head -n 101 datasets/digits/digits.csv > "$TEST_TMP/it's \"new\".csv"
exits 0 "eval --data" "$GTRAIN" eval "$TEST_TMP/a" --device "$DEVICE" --data "$TEST_TMP/it's \"new\".csv" --quiet
says "… is the test split" "test samples 100 "
exits 74 "a file that is not there" "$GTRAIN" eval "$TEST_TMP/a" --device "$DEVICE" --data "$TEST_TMP/none.csv"
says "… is named" "no such file or folder: $TEST_TMP/none.csv"
exits 2 "with another split" "$GTRAIN" eval "$TEST_TMP/a" --device "$DEVICE" --data "$TEST_TMP/x.csv" --split train
says "… is refused" "--data sets the test split"

# --- check --quiet -----------------------------------------------------------------------------------------------
exits 0 "check --quiet" "$GTRAIN" check --quiet configs/xor.yaml
check "… prints nothing" test -z "$out"
exits 0 "… but JSON where asked" "$GTRAIN" check -q --json configs/xor.yaml
says "… as without" '"parameters":33'
exits 78 "… and errors" "$GTRAIN" check -q configs/xor.yaml --set train.epoch=1
says "… as without" "unknown key 'epoch'"
finish
