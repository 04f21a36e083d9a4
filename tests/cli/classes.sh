#!/usr/bin/env bash
# A model of some classes of a dataset: trained on a few samples of each, evaluated, resumed, and used on other data.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
cd "$TEST_TMP" || exit 1

digits=$OLDPWD/datasets/digits/digits.csv
cat > config.yaml << YAML
data:
  train: $digits
  target: label
  class_names: [zero, one, two, three, four, five, six, seven, eight, nine]
  classes: [nine, three, 7]
  per_class: 40
  test_fraction: 0.2
  normalize: standard
model: [{linear: 3}]
optimizer: {type: adam, lr: 0.02}
train: {epochs: 30, batch_size: 40}
YAML
exits 0 "check" "$GTRAIN" check config.yaml
says "counts what is kept" "csv: 120 training, 0 validation, "
exits 0 "training" "$GTRAIN" train config.yaml --device "$DEVICE" --run-dir run --quiet
check "the config keeps the classes" grep -q '^  classes: \[nine, three, 7\]$' run/config.yaml
check "and how many of each" grep -q '^  per_class: 40$' run/config.yaml
eval_on() { "$GTRAIN" eval run/model.bin --device "$DEVICE" --json --quiet --fail-if 'accuracy<0.9' "$@"; }
exits 0 "eval" eval_on
check "is of the samples of these classes" grep -q '"samples":[1-9][0-9][0-9]\?,' <<< "$out"
whole=$out
exits 0 "eval on all samples of a class or two" eval_on --set 'data.classes=[three, nine]'
check "is of fewer" test "$out" != "$whole"

# An evaluation on data with text labels: they are matched with the model's class names; samples of other classes are
# dropped.
awk -F, -v OFS=, 'BEGIN { split("zero,one,two,three,four,five,six,seven,eight,nine", name, ",") }
  NR > 1 { $NF = name[$NF + 1] } { print }' "$digits" > words.csv
words=(--set data.train=words.csv --set data.target=label --set data.test_fraction=0 --split train)
exits 0 "labels of text" eval_on "${words[@]}" --set data.per_class=1000
text=$out
exits 0 "labels of numbers" eval_on --set data.train="$digits" --set data.test_fraction=0 --set data.per_class=1000 \
  --split train
check "are the same" test "$out" = "$text"
exits 78 "a class of the data that the model lacks" eval_on "${words[@]}" --set 'data.classes=[three, eight]'
says "is unknown where it stands" "--set:1:22: error: unknown class 'eight'"
says "with those that there are" "expected one of: nine, three, seven"

# Predictions contain the class names.
cut -d, -f 1-64 "$digits" | sed -n 1,30p > inputs.csv
exits 0 "predictions" "$GTRAIN" predict run/model.bin --device "$DEVICE" --input inputs.csv
check "are of the chosen classes" test "$(grep -vcE '^(nine|three|seven) ' <<< "$out")" = 0

# Text labels without class_names, in the config or in the other data.
sed '/class_names/d; s/nine, three, 7/nine, three, seven/; s|train: /.*|train: words.csv|' config.yaml > words.yaml
exits 0 "training on words" "$GTRAIN" train words.yaml --device "$DEVICE" --run-dir by_words --quiet
exits 0 "eval" "$GTRAIN" eval by_words/model.bin --device "$DEVICE" --json --quiet
check "is as by numbers" test "$out" = "$whole"

# A run can only be resumed with the same selection of classes and samples.
resume() { "$GTRAIN" train config.yaml --device "$DEVICE" --run-dir run --quiet --resume "$@"; }
exits 65 "fewer of each class" resume --set data.per_class=39
says "are other samples" "the training data has changed since the checkpoint"
exits 65 "the classes in another order" resume --set 'data.classes=[three, nine, seven]'
exits 0 "the same, written otherwise" resume --set 'data.classes=[9, three, 7]' --set train.epochs=31
# Tables are aligned even if a name has fewer terminal columns than bytes.
printf 'x0,x1,y\n0,1,café\n1,0,漢字\n0,2,café\n2,0,漢字\n' > names.csv
cat > names.yaml << 'YAML'
data: {train: names.csv, target: y}
model: [{linear: 2}]
optimizer: {type: adam, lr: 0.3}
train: {epochs: 40, batch_size: 4}
YAML
exits 0 "training on names" "$GTRAIN" train names.yaml --device cpu --run-dir names --quiet
exits 0 "eval of each class" "$GTRAIN" eval names/model.bin --split train --device cpu --per-class --quiet
says "a name of four columns" $'\ncafé           2     1.0000'
says "and another" $'\n漢字           2     1.0000'
finish
