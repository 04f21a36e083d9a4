#!/usr/bin/env bash
# The per-class results and the confusion matrix of `gtrain eval` match counts from predictions and labels, on the CPU
# and on a device.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

digits=datasets/digits/digits.csv
exits 0 "a classifier" "$GTRAIN" train configs/digits.yaml --device "$DEVICE" --quiet --run-dir "$TEST_TMP/digits" \
  --set train.epochs=2
model=$TEST_TMP/digits/model.bin
all=(--set "data={train: $digits, test: $digits, target: label, normalize: {scale: 0.0625}}")
evaluated() { "$GTRAIN" eval "$model" --device "$DEVICE" --quiet "$@"; }

exits 0 "predictions" "$GTRAIN" predict "$model" "$digits" --device "$DEVICE" --quiet --output "$TEST_TMP/predicted.csv"
column=$(head -n 1 "$digits" | tr ',' '\n' | grep -nx label | cut -d : -f 1)
answers() { awk -F , 'NR > 1 { best = 2; for (i = 3; i <= NF; i++) if ($i > $best) best = i; print best - 2 }' "$1"; }
paste -d , <(tail -n +2 "$digits" | cut -d , -f "$column") <(answers "$TEST_TMP/predicted.csv") > "$TEST_TMP/pairs"
awk -F , '{ n[$1, $2]++ } END {
  printf "\"label\""
  for (a = 0; a < 10; a++) printf ",\"%d\"", a
  print ""
  for (l = 0; l < 10; l++) { printf "\"%d\"", l; for (a = 0; a < 10; a++) printf ",%d", n[l, a]; print "" }
}' "$TEST_TMP/pairs" > "$TEST_TMP/by_hand.csv"
exits 0 "a matrix as CSV" evaluated "${all[@]}" --confusion "$TEST_TMP/matrix.csv"
check "as by hand" cmp "$TEST_TMP/by_hand.csv" "$TEST_TMP/matrix.csv"
exits 0 "in batches of other lengths" evaluated "${all[@]}" --confusion "$TEST_TMP/small.csv" --set train.eval_batch_size=7
check "the same" cmp "$TEST_TMP/by_hand.csv" "$TEST_TMP/small.csv"
exits 0 "as JSON" evaluated "${all[@]}" --confusion "$TEST_TMP/matrix.json"
check "the same numbers" cmp <(tail -n +2 "$TEST_TMP/by_hand.csv" | cut -d , -f 2- | tr '\n' ',') \
  <(sed 's/.*"confusion":\[\[//; s/\]\]}/,/; s/\],\[/,/g' "$TEST_TMP/matrix.json" | tr -d '\n')
exits 0 "as a picture" evaluated "${all[@]}" --confusion "$TEST_TMP/matrix.png"
check "which is a PNG" cmp <(head -c 8 "$TEST_TMP/matrix.png") <(printf '\211PNG\r\n\032\n')
# The text output is the same with and without a confusion matrix.
plain=$(evaluated "${all[@]}")
check "nothing else changes" test "$plain" = "$(evaluated "${all[@]}" --confusion "$TEST_TMP/again.png")"

# Precision, recall and F1 of class 3, and the means.
awk -F , '{ n[$1, $2]++; l[$1]++; a[$2]++ } END {
  for (c = 0; c < 10; c++) {
    p = a[c] ? n[c, c] / a[c] : 0; r = n[c, c] / l[c]; f = 2 * n[c, c] / (a[c] + l[c]); sp += p; sr += r; sf += f
    if (c == 3) printf "3 %d %.4f %.4f %.4f\n", l[c], p, r, f
  }
  printf "mean %d %.4f %.4f %.4f\n", NR, sp / 10, sr / 10, sf / 10
}' "$TEST_TMP/pairs" > "$TEST_TMP/metrics"
evaluated "${all[@]}" --per-class | awk '$1 == "3" || $1 == "mean" { print $1, $2, $3, $4, $5 }' > "$TEST_TMP/table"
check "the table is right" cmp "$TEST_TMP/metrics" "$TEST_TMP/table"
exits 0 "as JSON" evaluated "${all[@]}" --json
says "each class" '{"class":"3","samples":'
says "and their mean" '"macro":{"precision":0.'
if grep -q '^vulkan' <<< "$("$GTRAIN" devices 2>&1)"; then
  DEVICE=vulkan GTRAIN_DEBUG=validation evaluated "${all[@]}" --confusion "$TEST_TMP/device.csv" > /dev/null
  check "the device counts the same" cmp "$TEST_TMP/by_hand.csv" "$TEST_TMP/device.csv"
fi

# Class names; one class has no sample.
exits 0 "pictures of clothes" "$GTRAIN" train configs/images.yaml --device "$DEVICE" --quiet --run-dir "$TEST_TMP/clothes" \
  --set train.epochs=2
mkdir -p "$TEST_TMP/some"
for class in bag boot dress trouser; do cp -r "datasets/clothes/test/$class" "$TEST_TMP/some"; done
mkdir "$TEST_TMP/some/sandal"
model=$TEST_TMP/clothes/model.bin
exits 0 "per class" evaluated --per-class
says "by name" "sandal "

# The mean is scikit-learn's macro average: over the classes that occur as a label or a prediction, so with `c`, which is
# only predicted, and without `d`. precision_score, recall_score and f1_score (average='macro', zero_division=0) of the
# labels aaabb and the predictions aacba are 5/9, 7/18 and 4/9.
printf '%s\n' a,b,c,d,y 1,0,0,0,a 0,1,0,0,b 0,0,1,0,c 0,0,0,1,d > "$TEST_TMP/four.csv"
printf '%s\n' a,b,c,d,y 1,0,0,0,a 1,0,0,0,a 0,0,1,0,a 0,1,0,0,b 1,0,0,0,b > "$TEST_TMP/two.csv"
cat > "$TEST_TMP/four.yaml" << YAML
data: {train: $TEST_TMP/four.csv, target: y, normalize: none}
model: [{linear: 4}]
optimizer: {type: adam, lr: 0.3}
train: {epochs: 20, batch_size: 4}
metrics: [precision_macro, recall_macro, f1_macro]
YAML
exits 0 "four classes" "$GTRAIN" train "$TEST_TMP/four.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/four"
model=$TEST_TMP/four/model.bin
exits 0 "two of them as labels, three as predictions" evaluated --data "$TEST_TMP/two.csv" --per-class
says "the mean is a macro average" $'\nmean           5     0.5556     0.3889     0.4444'
says "as are the metrics" "precision_macro 0.555556 recall_macro 0.388889 f1_macro 0.444444"
says "a class without labels has no recall" $'\nc              0     0.0000          -     0.0000'
says "and one that does not occur has nothing" $'\nd              0          -          -          -'
exits 0 "as JSON" evaluated --data "$TEST_TMP/two.csv" --json
says "the same" '"macro":{"precision":0.555555'
says "and null" '"class":"d","samples":0,"precision":null,"recall":null,"f1":null'

# Metrics count samples by their weights, as scikit-learn's sample_weight does, on the CPU and on a device; the matrix and
# the numbers of samples do not. Of the labels aaabbcc and predictions aababcc with weights 0.5, 2.25, 1, 3, 0.75, 0, 1.5,
# `a` has 2.75 correct of 3.5 predicted and 3.75 labeled, `b` 3 of 4 and 3.75, `c` 1.5 of 1.5.
printf '%s\n' a,b,c,d,w,y 1,0,0,0,0.5,a 1,0,0,0,2.25,a 0,1,0,0,1,a 0,1,0,0,3,b 1,0,0,0,0.75,b 0,0,1,0,0,c 0,0,1,0,1.5,c > "$TEST_TMP/weights.csv"
sed 's/,y$/,w,y/; s/,\([a-d]\)$/,1,\1/; 1s/.*/a,b,c,d,w,y/' "$TEST_TMP/four.csv" > "$TEST_TMP/four-weights.csv"
exits 0 "samples with weights" "$GTRAIN" train "$TEST_TMP/four.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/weights" \
  --set data.train="$TEST_TMP/four-weights.csv" --set data.weight=w \
  --set 'metrics=[precision_macro, recall_macro, f1_macro, f1_micro, f1_weighted, balanced_accuracy, iou, dice]'
model=$TEST_TMP/weights/model.bin
for device in "$DEVICE" $(grep -q '^vulkan' <<< "$("$GTRAIN" devices 2>&1)" && echo vulkan); do
  DEVICE=$device exits 0 "eval on $device" evaluated --data "$TEST_TMP/weights.csv" --per-class --confusion "$TEST_TMP/weights-matrix.csv"
  says "… is weighted" "accuracy 0.805556 (baseline, always 'a': 0.417) precision_macro 0.845238 recall_macro 0.844444 f1_macro 0.844271 f1_micro 0.805556 f1_weighted 0.805339 balanced_accuracy 0.844444 iou 0.747563 dice 0.844271"
  says "… for each class" $'\na              3     0.7857     0.7333     0.7586\nb              2     0.7500     0.8000     0.7742\nc              1     1.0000     1.0000     1.0000'
  says "… and their mean" $'\nmean           6     0.8452     0.8444     0.8443'
  check "… the matrix counts" cmp "$TEST_TMP/weights-matrix.csv" - <<< $'"label","a","b","c","d"\n"a",2,1,0,0\n"b",1,1,0,0\n"c",0,0,1,0\n"d",0,0,0,0'
done
# Sums of weights have the same bits in batches of other lengths.
whole=$(evaluated --data "$TEST_TMP/weights.csv" --json | grep -o '"precision_macro.*"baseline"')
check "… in batches of two, too" test "$whole" = "$(evaluated --data "$TEST_TMP/weights.csv" --json --set train.eval_batch_size=2 | grep -o '"precision_macro.*"baseline"')"

# For logic gates, the matrix counts the predictions of the hard gates.
exits 0 "logic gates" "$GTRAIN" train configs/digits_logic.yaml --device "$DEVICE" --quiet --run-dir "$TEST_TMP/gates" \
  --set train.epochs=1
model=$TEST_TMP/gates/model.bin
exits 0 "as a matrix" evaluated --confusion "$TEST_TMP/gates.csv" --json
right=$(tail -n +2 "$TEST_TMP/gates.csv" | awk -F , '{ right += $(NR + 1); for (i = 2; i <= NF; i++) all += $i } END { printf "%.9g", right / all }')
says "of the gates' accuracy" "\"accuracy\":$right"

# A model without classes is an error.
exits 0 "a regression" "$GTRAIN" train configs/csv_regression.yaml --device "$DEVICE" --quiet --run-dir "$TEST_TMP/mass" \
  --set train.epochs=1
model=$TEST_TMP/mass/model.bin
exits 2 "has no classes" evaluated --confusion "$TEST_TMP/none.csv"
says "… says which models have them" "--confusion needs a classifier with an output for each of at most 4096 classes (loss: cross_entropy)"
exits 2 "an unknown ending" evaluated --confusion "$TEST_TMP/none.txt"
check "and no file" test ! -e "$TEST_TMP/none.csv"
finish
