#!/usr/bin/env bash
# A model with other data than it was trained on: classes and columns are matched with those of the model, files are
# read as its config describes, and a warning tells if columns are matched by position.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
cd "$TEST_TMP" || exit 1

# rows FIRST LAST: prints the rows with these numbers of a table with four classes of animals, around four points.
rows() {
  awk -v first="$1" -v last="$2" 'BEGIN {
    split("ape bee cat dog", kind); srand(5)
    for (i = 1; i <= last; i++) {
      k = int(4 * rand()) + 1; a = (k - 1) % 2 + 0.3 * rand(); b = int((k - 1) / 2) + 0.3 * rand()
      if (i >= first) printf "%.3f,%.3f,%s\n", a, b, kind[k]
    }
  }'
}
{ echo a,b,kind && rows 1 200; } > train.csv
{ echo a,b,kind && rows 201 300; } > same.csv
{ echo kind,more,b,a && rows 201 300 | awk -F, -v OFS=, '{ print $3, "x", $2, $1 }'; } > swapped.csv
{ echo a,b,kind && rows 201 300 | grep -v ape; } > no_ape.csv
{ cat same.csv && echo 1,2,eel; } > eel.csv
cat > config.yaml << 'YAML'
data: {train: train.csv, target: kind, test_fraction: 0.2}
model: [{linear: 16}, relu, {linear: 4}]
optimizer: {type: adam, lr: 0.02}
train: {epochs: 30, batch_size: 32}
YAML
exits 0 "training" "$GTRAIN" train config.yaml --device "$DEVICE" --run-dir run --quiet
on() {
  "$GTRAIN" eval run/model.bin --device "$DEVICE" --json --quiet --set data.train="$1" --set data.test_fraction=0 \
    --fail-if 'accuracy<0.9'
}
exits 0 "the same columns" on same.csv
same=$out
exits 0 "a test file instead of the fraction" "$GTRAIN" eval run/model.bin --device "$DEVICE" --json --quiet \
  --set data.test=same.csv
# A result without the baseline, which depends on the most frequent class of the training samples.
result() { sed 's/"baseline":{[^}]*},//; s/"split":"[a-z]*"//' <<< "$1"; }
check "is evaluated whole" test "$(result "$out")" = "$(result "$same")"
exits 0 "other columns, another order" on swapped.csv
check "give the same loss" test "$out" = "$same"
exits 0 "a class is missing: the others keep their numbers" on no_ape.csv
exits 65 "an unknown class" on eel.csv
says "at its line" "eel.csv:102:5: 'eel' is not one of the 4 classes"

# Predictions use the delimiter and the header of the model's config.
tr , ';' < train.csv > semicolons.csv
exits 0 "training with semicolons" "$GTRAIN" train config.yaml --device "$DEVICE" --run-dir semicolons --quiet \
  --set data.train=semicolons.csv --set 'data.delimiter=";"'
predict() { "$GTRAIN" predict "$1/model.bin" --device "$DEVICE" --input "${@:2}"; }
exits 0 "predict with semicolons" predict semicolons semicolons.csv
check "a line a sample" test "$(grep -c '^[a-z]* [01]\.' <<< "$out")" = 200
predicted=$out
exits 65 "predict with commas" predict semicolons train.csv
says "asks for the delimiter" "is the delimiter ';' right?"
exits 0 "predict with commas, said so" predict semicolons train.csv --set 'data.delimiter=","'
check "gives the same" test "$out" = "$predicted"
exits 2 "other settings are refused" predict semicolons train.csv --set data.target=a

# A header of numbers: without `header: true`, it would be read as a sample.
sed '1s/.*/1990,2000,2010/; s/ape/0/; s/bee/1/; s/cat/2/; s/dog/3/' train.csv > years.csv
exits 0 "a header of years" "$GTRAIN" check config.yaml --set data.train=years.csv --set data.target=3 --set model.2.linear=1
says "is read as a sample with a warning" "years.csv:1:1: this line of rising numbers is read as a sample"
exits 0 "a header of years, said so" "$GTRAIN" train config.yaml --device "$DEVICE" --run-dir years --quiet \
  --set data.train=years.csv --set data.target=2010 --set data.header=true
exits 0 "predictions" predict years years.csv
check "have no row for the header" test "$(grep -c '^[0-9] [01]\.' <<< "$out")" = 200
check "nor a doubt" test "$(grep -c warning <<< "$out")" = 0
tail -n +2 years.csv | cut -d, -f1,2 > bare.csv
exits 0 "predict without a header" predict years bare.csv --set data.header=false
says "columns go by their place with a warning" "bare.csv:1:1: this file has no header, so its columns are matched by position"

# Targets that the loss does not support.
sed 's/ape/0/; s/bee/1/; s/cat/0.5/; s/dog/2/' train.csv > bits.csv
line=$(grep -n -m 1 ',2$' bits.csv | cut -d: -f1)
exits 65 "a target of 2 for bce" "$GTRAIN" check config.yaml --set data.train=bits.csv --set loss=bce --set model.2.linear=1
says "is refused at its place" "bits.csv:$line:13: the target 2 is outside 0 to 1, the range that loss 'bce' requires"
exits 65 "the same with options" "$GTRAIN" check config.yaml --set data.train=bits.csv \
  --set 'loss={type: bce, label_smoothing: 0.1}' --set model.2.linear=1

# A model and the config of a run find their data file, whose path is relative to the original config, from any folder,
# even if the folder has another file of this name.
mkdir a b && cp train.csv a/d.csv && cp same.csv b/d.csv
sed 's/train.csv/d.csv/; s/epochs: 30/epochs: 1/' config.yaml > a/c.yaml
again() { "$GTRAIN" eval "$1" --device "$DEVICE" --quiet "${@:2}"; }
at() { (cd "$1" && "${@:2}"); }
changed="the test data differs from the data that"
exits 0 "a file next to the config" "$GTRAIN" train a/c.yaml --device "$DEVICE" --run-dir beside --quiet
exits 0 "is found by eval" again beside/model.bin
known=$out
exits 0 "from another folder, too" at b again ../beside/model.bin
check "it is the same file" test "${out/..\//}" = "$known"
exits 0 "is found by the config of its run" at b "$GTRAIN" train ../beside/config.yaml --device "$DEVICE" --run-dir run --quiet
check "which stays as it is" cmp b/run/config.yaml beside/config.yaml
check "so does the model" cmp b/run/model.bin beside/model.bin
exits 0 "a file in the working directory" at a "$GTRAIN" train c.yaml --device "$DEVICE" --run-dir run --quiet
check "is noted as it was named" grep -q 'train: d.csv' a/run/config.yaml
exits 0 "and found from another folder" at b again ../a/run/model.bin
check "it is the same file" test "$(tail -n 1 <<< "$out")" = "$(tail -n 1 <<< "$known")"
cp a/run/model.bin b/model.bin
exits 0 "a model away from its run" at b again model.bin
says "takes the other file with a warning" "warning: $changed model.bin"
says "… at a place of its config, which no editor opens" "model.bin (line "
exits 0 "unless it is named" at b again model.bin --set data.test=d.csv
check "then there is none" test "$(grep -c "$changed" <<< "$out")" = 0
sed -i '2s/^./9/' a/d.csv
exits 0 "the file has changed" again beside/model.bin --split train
says "a warning" "warning: the training data differs from the data that"

# Column names that are not UTF-8 cannot be stored in a model file.
{ printf 'gr\xf6\xdfe,b,kind\n' && rows 1 200; } > latin.csv
exits 65 "a header in Latin-1" "$GTRAIN" check config.yaml --set data.train=latin.csv
says "is refused at its place" "latin.csv:1:3: byte 0xF6 is not UTF-8 text"
finish
