#!/usr/bin/env bash
# Configs with habits of users of Keras, PyTorch, scikit-learn, pykan and Lightning, written without knowledge of the
# table of hints (src/spec/hint_table.c). Each error is reported at its position, with the fix.
# The first line of each config is `# expect: LINE:COLUMN TEXT`.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

for file in tests/cli/habits/*.yaml; do
  read -r _ _ place text < "$file"
  exits 78 "$file" "$GTRAIN" check "$file"
  check "… is at $place" grep -qF "$file:$place: error: " <<< "$out"
  says "… with the way out" "$text"
done
# refused TEXT WORD…: the command line WORD… is an error with this text.
refused() {
  local text=$1
  shift
  exits 2 "gtrain $*" "$GTRAIN" "$@"
  says "… tells the way out" "$text"
}
config=configs/digits.yaml
refused "use --set train.epochs=1" train $config --device cpu --epochs 1
refused "CONFIG is an argument: gtrain train $config" train --config $config
refused "use 'vulkan:0' for a GPU" train $config --device cuda:0 --run-dir "$TEST_TMP/r"
refused "use \`gtrain train CONFIG\`" fit $config
refused "use \`gtrain eval MODEL\`" test model.bin
refused "use --set train.epochs=3" train $config train.epochs=3
refused "write --set optimizer.lr=0.01" train $config --set optimizer.lr 0.01
refused "write --set train.epochs=5" train $config --set train.epochs:5
refused "write --set train.epochs=5" train $config --set train.epochs: 5
refused "gtrain train needs a CONFIG" train
refused "gtrain predict needs a MODEL" predict
refused "'accuracy' is from 0 to 1; write 'accuracy<0.97'" eval model.bin --fail-if 'accuracy<97'
refused "expected a time such as 90s, 30m or 1h30m" train $config --max-time 00:00:10:00
refused "FILE is an argument: gtrain predict MODEL digits.csv" predict model.bin --data digits.csv
refused "FILE is an argument: gtrain predict MODEL digits.csv" predict model.bin --source digits.csv
refused "unknown format 'onnx'" export model.bin --format onnx
refused "use --device vulkan" train $config --gpus 1
exits 78 "--set lr=0.01" "$GTRAIN" check $config --set lr=0.01
says "… belongs elsewhere" "'lr' belongs to 'optimizer': --set optimizer.lr=0.01"
exits 78 "--set model.0.units=16" "$GTRAIN" check $config --set model.0.units=16
says "… is told the form" "--set model.N.linear.units=VALUE"
# The suggestion works: settings without a type are settings of the default type.
sed '/^\(loss\|optimizer\|schedule\):/d' $config > "$TEST_TMP/plain.yaml"
settings=(--set optimizer.lr=0.25 --set optimizer.weight_decay=0.5 --set schedule.warmup=25 --set loss.label_smoothing=0.125)
exits 0 "settings without a type" "$GTRAIN" train "$TEST_TMP/plain.yaml" "${settings[@]}" --set train.epochs=1 --device cpu \
  --quiet --run-dir "$TEST_TMP/plain"
out=$(tr '\n' ' ' < "$TEST_TMP/plain/config.yaml" | tr -s ' ')
says "… of the optimizer" "optimizer: type: adam"
says "… its rate" "lr: 0.25"
says "… its decay" "weight_decay: 0.5"
says "… of the schedule" "schedule: type: constant warmup: 25"
says "… of the loss" "loss: type: cross_entropy label_smoothing: 0.125"
exits 78 "a key that the default lacks" "$GTRAIN" check "$TEST_TMP/plain.yaml" --set loss.delta=2
says "… belongs to another" "'delta' belongs to 'loss' (huber)"
touch "$TEST_TMP/t.parquet"
exits 78 "a file of another format" "$GTRAIN" check $config --set data.train="$TEST_TMP/t.parquet"
says "… is named at its place" "--set:1:12: error: cannot tell the format of '$TEST_TMP/t.parquet'"
says "… with the way out" "gtrain reads csv, idx, npy, cifar and images; convert the file"
exits 0 "an unknown name in GTRAIN_DEBUG" env GTRAIN_DEBUG=plan,graphs "$GTRAIN" configs
says "… is told" "GTRAIN_DEBUG: 'graphs' ignored: expected validation, plan, graph, matrix, packed, float16, cache or straight"
exits 65 "a config as a model" "$GTRAIN" predict $config datasets/digits/digits.csv
says "… is called one" "$config is a config, not a model"
exits 0 "a model" "$GTRAIN" train $config --set train.epochs=1 --device cpu --quiet --run-dir "$TEST_TMP/run"
refused "'rmse' needs targets that are numbers" eval "$TEST_TMP/run" --fail-if 'rmse>1'
exits 0 "97 percent" "$GTRAIN" eval "$TEST_TMP/run" --device cpu --quiet --fail-if 'accuracy<1%'
refused "did you mean 'validation'?" eval "$TEST_TMP/run" --split val
finish
