#!/usr/bin/env bash
# The config inside a model file from somebody else can name any file of the user. Therefore such a file is reported
# before it is read, opened only if it is a regular file, and error messages do not show its content. Files that the
# user names, and those of the user's own runs, are trusted.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
configs=$PWD/configs datasets=$PWD/datasets
cd "$TEST_TMP" || exit 1

awk 'BEGIN { print "a,b,kind"; for (i = 0; i < 40; i++) print i % 7 "," i % 5 "," (i % 2 ? "cat" : "dog") }' > table.csv
cat > config.yaml << 'YAML'
data: {train: table.csv, target: kind}
model: [{linear: 2}]
train: {epochs: 1, batch_size: 8}
YAML
exits 0 "training" "$GTRAIN" train config.yaml --device "$DEVICE" --run-dir run --quiet
of() { or_hangs "$GTRAIN" eval "$1" --device "$DEVICE" "${@:2}"; }
exits 0 "a model in its run directory" of run/model.bin
check "no message names its data" test "$(grep -c "reading the data file" <<< "$out")" = 0
cp table.csv kept && echo 1,2,eel >> table.csv
exits 65 "a fault in that data" of run/model.bin
says "is shown" "table.csv:42:5: 'eel' is not one of the 2 classes"
mv kept table.csv
for change in 'rm .lock' 'rm config.yaml' 'sed -i s/table.csv/other.csv/ config.yaml'; do
  rm -rf sent && cp -r run sent && (cd sent && $change)
  exits 0 "a folder that is not a run of this model ($change)" of sent/model.bin
  says "makes it untrusted" "reading the data file table.csv, which sent/model.bin names"
done
cp run/model.bin .
evaluate() { of model.bin "$@"; }
exits 0 "a model from elsewhere" evaluate
check "the file is reported first" test "$(head -n 1 <<< "$out")" = "reading the data file table.csv, which model.bin names"
exits 0 "a file of the user's" evaluate --set data.train=table.csv
check "is not told" test "$(grep -c "reading the data file" <<< "$out")" = 0

printf 'root:x:hush,b,kind\n1,2,cat\n' > secret && cp table.csv mine.csv && cp secret table.csv
exits 65 "another file in its place" evaluate
check "is not shown" test "$(grep -c hush <<< "$out")" = 0
says "and why" "pass them yourself, as in --set data.train=FILE"
exits 65 "unless the user names it" evaluate --set data.train=secret --set data.format=csv
says "and looks" "secret:1:1: there is no column 'a'"
exits 0 "nor is what the user names hidden" evaluate --set data.train=mine.csv
cp mine.csv table.csv
for fault in "1,2,eel:5: 'eel' is not one of the 2 classes" "1,x,cat:3: column 'b' has texts, but the model reads numbers ('x' at 42:3)"; do
  { cat mine.csv && echo "${fault%%:*}"; } > bad.csv
  exits 65 "a fault in the test file that the user names" evaluate --set data.test=bad.csv
  says "is shown" "bad.csv:42:${fault#*:}"
done
sed 's/^a/c/' mine.csv > bad.csv
exits 65 "another column there" evaluate --set data.test=bad.csv
says "is shown" "bad.csv:1:1: there is no column 'a'"
cp secret table.csv
exits 65 "a fault in the training file that the model names" evaluate --set data.test=mine.csv --split train
check "is not shown even so" test "$(grep -c hush <<< "$out")" = 0
exits 0 "a training file that is not needed" evaluate --set data.test=mine.csv
check "is not read" test "$(grep -c table.csv <<< "$out")" = 0

rm table.csv && mkfifo table.csv
exits 74 "a pipe is not waited for" evaluate
says "it is not a regular file" "cannot open table.csv: it is not a regular file"
exits 74 "nor by the hard way" evaluate --set data.test=mine.csv --split train
cat mine.csv > table.csv &
exits 0 "a pipe of the user's is read" evaluate --set data.train=table.csv
wait
rm table.csv && cp mine.csv table.cs
exits 65 "no file" evaluate
check "what else is there is not told" test "$(grep -c "table.cs'" <<< "$out")" = 0

# The target image of an automaton.
cp "$datasets/ca/letter_g.png" letter.png
exits 0 "an automaton" "$GTRAIN" train "$configs/letter_g.yaml" --device "$DEVICE" --run-dir letter --quiet \
  --set data.image=letter.png --set train.steps=2 --set train.restart_every=0 --set train.eval_every=0
simulate() { or_hangs "$GTRAIN" simulate letter.bin --steps 2 "$@"; }
cp letter/model.bin letter.bin
exits 0 "simulate" simulate
says "tells the picture" "reading the data file letter.png, which letter.bin names"
rm letter.png && mkfifo letter.png
exits 74 "simulate and a pipe" simulate
exits 0 "a picture of the user's" simulate --set "data.image=$datasets/ca/letter_g.png"
finish
