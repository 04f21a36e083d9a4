#!/usr/bin/env bash
# The command line: short options, standard input, the version as JSON, and suggestions for commands and options of
# other programs.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

# --- short options -----------------------------------------------------------------------------------------------
train() { "$GTRAIN" train configs/xor.yaml --set train.steps=2 "$@"; }
exits 0 "short options" train -q -d cpu -s train.batch_size=4 --run-dir "$TEST_TMP/a"
check "… -q" test "$(grep -c "device:" <<< "$out")" = 0
exits 0 "values next to their letter, and letters together" train -qstrain.batch_size=4 -dcpu --run-dir "$TEST_TMP/b"
check "… mean the same" cmp "$TEST_TMP/a/model.bin" "$TEST_TMP/b/model.bin"
check "… -s" grep -q "batch_size: 4" "$TEST_TMP/b/config.yaml"
printf '0,1\n1,1\n' > "$TEST_TMP/two.csv"
exits 0 "-o" "$GTRAIN" predict "$TEST_TMP/a/model.bin" "$TEST_TMP/two.csv" -qdcpu -o "$TEST_TMP/out.csv"
check "… is written" test -s "$TEST_TMP/out.csv"
exits 0 "-h" "$GTRAIN" train -h
says "… lists short options" "-d, --device DEVICE"
exits 2 "a letter that is none" train -qx
says "… is named" "unknown option '-x'"
exits 2 "a letter without its value" train -d
says "… is named" "option '-d' needs DEVICE"
exits 2 "a short option in the place of a value" train --run-dir -q
says "… with the way to mean it" "--run-dir=-q"
exits 2 "a value given twice" train -dcpu --device cpu
says "… by its long name" "option '--device' is given twice"

# --- the version -------------------------------------------------------------------------------------------------
exits 0 "-V" "$GTRAIN" -V
says "… is --version" "$("$GTRAIN" --version)"
exits 0 "--version --json" "$GTRAIN" --version --json
for key in '"version":"'"$("$GTRAIN" --version | cut -d' ' -f2)"'"' '"commit":' '"compiler":"' '"zlib":"' '"system":"Linux'; do
  says "… has $key" "$key"
done

# --- standard input ----------------------------------------------------------------------------------------------
config() { "$GTRAIN" "$1" - -dcpu "${@:2}" < configs/xor.yaml; }
exits 0 "check -" config check
exits 0 "train -" config train -q --set train.steps=2 --set train.batch_size=4 --run-dir "$TEST_TMP/c"
check "… trains the same" cmp "$TEST_TMP/a/model.bin" "$TEST_TMP/c/model.bin"
broken() { printf 'data: {}\nmodle: []\n' | "$GTRAIN" check -; }
exits 78 "a mistake on standard input" broken
says "… has its place" "<stdin>:2:1: error: unknown key 'modle'"
ended() { printf 'data: {x: 1' | "$GTRAIN" check -; }
exits 78 "half a config" ended
says "… by the same name" "<stdin> is not a valid config"
exits 75 "train - that is stopped" config train --set train.epochs=1000000 --run-dir "$TEST_TMP/d" --max-time 0.2s
says "… goes on from the config of its directory" "gtrain train $TEST_TMP/d/config.yaml --device cpu --set train.epochs=1000000 --max-time 0.2s --run-dir"
predict() { "$GTRAIN" predict "$TEST_TMP/a/model.bin" -qdcpu "$@"; }
wanted=$(predict "$TEST_TMP/two.csv")
check "predict -" test "$(predict - < "$TEST_TMP/two.csv")" = "$wanted"
check "predict --input - of a pipe" test "$(cat "$TEST_TMP/two.csv" | predict --input -)" = "$wanted"
check "… that is compressed" test "$(gzip -c "$TEST_TMP/two.csv" | predict -)" = "$wanted"
bad() { printf '0,1\n1,x\n' | predict -; }
exits 65 "a mistake in inputs on standard input" bad
says "… has its place" "<stdin>:2:3: column '2' has texts, but the model reads numbers ('x' at 2:3)"

# --- commands and options of other programs ----------------------------------------------------------------------
# Each line: COMMAND|TEXT, a command line of another program, and text that the suggestion contains.
while IFS='|' read -r line want; do
  read -ra words <<< "$line"
  exits 2 "gtrain $line" "$GTRAIN" "${words[@]}"
  says "… hints" "$want"
done << 'END'
train c.yaml --epochs 5|use --set train.epochs=5
train c.yaml --max_epochs=7|use --set train.epochs=7
train c.yaml --epochs|use --set train.epochs=VALUE
train c.yaml --lr 0.1|use --set optimizer.lr=0.1
train c.yaml --batch-size 32|use --set train.batch_size=32
train c.yaml --seed 3|use --set seed=3
train c.yaml --train.epochs 5|use --set train.epochs=5
train --config c.yaml|CONFIG is an argument: gtrain train c.yaml
eval --model m.bin|MODEL is an argument: gtrain eval m.bin
train c.yaml --gpu|use --device vulkan
predict m.bin --cuda|use --device vulkan
train c.yaml --cpu|use --device cpu
train c.yaml --output-dir out|use --run-dir out
train c.yaml --resume-from out|use --resume --run-dir out
train c.yaml --verbose|progress is shown unless --quiet is given
train c.yaml train.epochs=5|to replace a config value, use --set train.epochs=5
fit c.yaml|use `gtrain train CONFIG`
run c.yaml|use `gtrain train CONFIG`
test m.bin|use `gtrain eval MODEL`
evaluate m.bin|use `gtrain eval MODEL`
validate m.bin|use `gtrain eval MODEL` for a model, `gtrain check CONFIG` for a config
infer m.bin|use `gtrain predict MODEL FILE`
train configs/xor.yaml --device gpu|use 'vulkan' for a GPU
train configs/xor.yaml --device cuda:1|use 'vulkan:1' for a GPU
train configs/xor.yaml --device mps|use 'vulkan' for a GPU
train configs/xor.yaml --device AMD|use 'vulkan' for a GPU
train configs/xor.yaml --device vulcan|did you mean 'vulkan'?
END
exits 2 "an option that the command has nothing for" "$GTRAIN" inspect m.bin --epochs 5
check "… is not translated" test "$(grep -c "train.epochs" <<< "$out")" = 0

# --- a software device -------------------------------------------------------------------------------------------
if "$GTRAIN" devices --json | grep -q '"type":"software"'; then
  exits 0 "a software device asked for" "$GTRAIN" predict "$TEST_TMP/a/model.bin" "$TEST_TMP/two.csv" --device vulkan
  says "… is said to be one" "a software device, which is slower than --device cpu"
fi
finish
