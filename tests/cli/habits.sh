#!/usr/bin/env bash
# What people type who come from Keras, PyTorch, scikit-learn, pykan or Lightning, written down by one who had not seen the
# table of foreign names (src/spec/foreign.c, src/cli/foreign.c): each is found at its place, with the way out.
# The first line of each config says `# expect: LINE:COLUMN TEXT`.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

for file in tests/cli/habits/*.yaml; do
  read -r _ _ place text < "$file"
  exits 78 "$file" "$GTRAIN" check "$file"
  check "… is at $place" grep -qF "$file:$place: error: " <<< "$out"
  says "… with the way out" "$text"
done
# refused TEXT WORD…
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
refused "expected a time such as 90s, 30m or 1h30m" train $config --max-time 00:00:10:00
refused "FILE is an argument: gtrain predict MODEL digits.csv" predict model.bin --data digits.csv
refused "FILE is an argument: gtrain predict MODEL digits.csv" predict model.bin --source digits.csv
refused "cannot export as 'onnx'" export model.bin --format onnx
refused "use --device vulkan" train $config --gpus 1
exits 78 "--set lr=0.01" "$GTRAIN" check $config --set lr=0.01
says "… belongs elsewhere" "'lr' belongs to 'optimizer': --set optimizer.lr=0.01"
exits 78 "--set model.0.units=16" "$GTRAIN" check $config --set model.0.units=16
says "… is told the form" "--set model.N.linear.units=VALUE"
exits 0 "a model" "$GTRAIN" train $config --set train.epochs=1 --device cpu --quiet --run-dir "$TEST_TMP/run"
refused "did you mean 'validation'?" eval "$TEST_TMP/run" --split val
finish
