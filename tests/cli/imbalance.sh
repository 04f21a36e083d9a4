#!/usr/bin/env bash
# Rare classes: a balanced sampler draws each class equally often, and gives the same bits after a resume, with streamed
# data and with accumulated batches; a decision threshold is chosen on the validation split and used by train, eval and
# predict; one or several boolean targets.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
cd "$TEST_TMP" || exit 1

# 1000 rows; one in 25 is of the rare class, in which x is larger by 1.5 on average.
awk 'BEGIN { print "x,y,w,rare"
  for (i = 0; i < 1000; i++) { u = (i * 7919 % 1009) / 1009; v = (i * 104729 % 997) / 997; r = i % 25 == 7
    printf "%.4f,%.4f,%d,%s\n", 2 * u - 1 + 1.5 * r * v, v, 1 + r, r ? "yes" : "no" } }' > rare.csv
cat > rare.yaml << 'YAML'
data: {train: rare.csv, ignore: [w], validation: 0.25, split: stratified}
model: [{linear: 8}, relu, {linear: 2}]
train: {epochs: 4, batch_size: 50, sampler: balanced, log_every: 7, checkpoint: {every: 1, keep_last: 9}}
YAML
train() { "$GTRAIN" train rare.yaml --device "$DEVICE" --quiet --run-dir "$@"; }
same() { cmp "$1/model.bin" "$2/model.bin" && cmp "$1/metrics.jsonl" "$2/metrics.jsonl"; }

# A model that cannot learn always predicts the first class, so its training accuracy is the share of this class in the
# draws: 0.5, with a standard deviation of 0.004 for 15000 draws.
exits 0 "a balanced sampler" train share --set optimizer=sgd --set optimizer.lr=1e-30 --set train.epochs=20 \
  --set train.log_every=0 --set train.eval_every=20 --set 'model=[{linear: {units: 2, init: zeros}}]'
check "… draws both classes equally often" \
  awk '/"split":"train"/ { sub(/.*"accuracy":/, ""); ok = $0 + 0 > 0.48 && $0 + 0 < 0.52 } END { exit !ok }' share/metrics.jsonl
check "… and is in the run's config" grep -q "sampler: balanced" share/config.yaml

exits 0 "a run with it" train whole
cp -r whole again
rm again/model.bin again/checkpoints/step-*{30,45,60}.safetensors
exits 0 "… resumed after the first epoch" train again --resume
check "… ends with the same bytes" same whole again
exits 0 "… streamed" "$GTRAIN" train rare.yaml --device "$DEVICE" --run-dir window --memory-limit 72K
says "… in part" "streams through"
check "… ends with the same bytes" same whole window
exits 0 "… in steps of two batches" train parts --set train.batch_size=25 --set train.accumulate=2
loss() { sed -n 's/.*"split":"train","loss":\([0-9.]\{5\}\).*/\1/p' "$1/metrics.jsonl" | tail -1; }
check "… is the same training" test "$(loss whole)" = "$(loss parts)"
exits 0 "… of one output" train one --set loss=bce --set model.2.linear.units=1

exits 78 "a balanced sampler beside weights of classes" train no --set loss.class_weights=balanced
says "… with both places" "rare.yaml:3:45: error: a balanced sampler beside class_weights (--set:1:20) would correct"
exits 78 "a balanced sampler beside weights of samples" train no --set 'data.ignore=[]' --set data.weight=w
says "… with the reason" "cannot be combined with weights of samples (data.weight)"
exits 78 "a balanced sampler of numbers" train no --set data.target=y --set 'data.ignore=[rare]' --set data.split=random --set model.2.linear.units=1
says "… with the reason" "needs targets that are one class per sample; these are numbers"
exits 78 "a balanced sampler for L-BFGS" train no --set optimizer=lbfgs
says "… with the reason" "optimizer 'lbfgs' reads all samples in each step"
# --- the threshold ---
awk -F, 'NR == 1 || $3 < 3 { OFS = ","; if (NR > 1) $3 = NR % 3 ? "no" : "yes"; print }' rare.csv > both.csv
cat > threshold.yaml << 'YAML'
data: {train: rare.csv, ignore: [w], validation: 0.25, test_fraction: 0.25, split: stratified}
model: [{linear: 8}, relu, {linear: 2}]
optimizer: {lr: 0.01}
metrics: [f1, balanced_accuracy]
eval: {threshold: auto}
train: {epochs: 30, batch_size: 50, eval_every: 30}
YAML
chosen() { "$GTRAIN" train threshold.yaml --device "$DEVICE" --run-dir "$@"; }
evaluate() { "$GTRAIN" eval "$@" --device "$DEVICE"; }
number() { grep -o "\"$1\":[0-9.e-]*" <<< "$out" | head -1 | cut -d: -f2; }
exits 0 "a threshold that is chosen" chosen auto
line=$(grep "^threshold" <<< "$out")
check "… and said" grep -qE '^threshold 0\.[0-9]+ of '\''yes'\'' \(largest f1 on validation: 0\.[0-9]+; 0.5 gives 0\)$' <<< "$line"
threshold=$(cut -d' ' -f2 <<< "$line") best=$(sed 's/.*validation: \([0-9.]*\);.*/\1/' <<< "$line")
says "the shares of both classes are said" "task: binary classification: 'no' 96.0 %, 'yes' 4.0 % (positive) (inferred: the targets are text; set data.task to change it)"
exits 0 "eval answers with it" evaluate auto --split validation --json
check "… and says it" test "$(number threshold)" = "$threshold"
check "… with the metric of the choice" awk -v a="$(number f1)" -v b="$best" 'BEGIN { exit !(a - b < 1e-4 && b - a < 1e-4) }'
exits 0 "without a threshold" evaluate auto --split validation --set eval.threshold=0.5 --fail-if 'f1!=0'
exits 0 "the confusion matrix counts with it" evaluate auto --split test --confusion counts.csv --json
shares=$(number f1)
exits 0 "… as the table of the classes does" evaluate auto --split test --per-class
says "… the rare one" "$(printf '%.4f' "$shares")"
cut -d, -f1-2 rare.csv > inputs.csv
exits 0 "predict names the class by it" "$GTRAIN" predict auto inputs.csv --json
# Prints, for each row, the predicted class and the probability of class 1.
answers() { sed -n 's/.*"class":\([01]\),.*[[,]\([0-9.e-]*\)\]}$/\1 \2/p' <<< "$out"; }
check "… for each row" awk -v t="$threshold" '{ n[$1]++; if ($1 != ($2 > t)) bad = 1 } END { exit bad || n[0] + n[1] != 1000 || !n[1] }' <(answers)
exits 0 "in JSON" chosen json --json --quiet
check "… the same threshold" test "$(number threshold)" = "$threshold"
exits 0 "explain" "$GTRAIN" explain auto --importance --device "$DEVICE"
says "… says how it sorts" "sorted by the change of the loss"
exits 0 "… and eval" evaluate auto --json
accuracy=$(number accuracy)
exits 0 "… use" "$GTRAIN" explain auto --importance --device "$DEVICE" --json
check "… the same threshold" test "$(number accuracy)" = "$accuracy"
exits 0 "for another metric, after phases" chosen other --set 'eval.threshold={metric: balanced_accuracy}' \
  --set 'train={batch_size: 50, phases: [{epochs: 10}, {epochs: 20, optimizer.lr: 0.002}]}'
says "… named" "(largest balanced_accuracy on validation: "
# A threshold gives up accuracy, so the model is guessing only if the metrics of the threshold are no better either.
lacks "… better than guessing by that metric" "no better than"
same_output() { chosen "$@" --set 'model=[{linear: {units: 2, init: zeros}}]' --set optimizer=sgd --set optimizer.lr=1e-30; }
exits 0 "a model that answers all rows alike" same_output alike
says "… is guessing, with a threshold, too" "warning: the model is no better than guessing: test f1 is 0.07692, and always 'yes' reaches 0.07692"
exits 0 "… which eval says to scripts" evaluate alike --json
says "…" '"guessing":true'
exits 0 "… with balanced classes, too" same_output balanced --set 'loss={type: cross_entropy, class_weights: balanced}' --quiet
says "…" "warning: the model is no better than guessing: test f1 is 0.07692, and always 'yes' reaches 0.07692"
exits 0 "… and of two labels" same_output both --set 'data={train: both.csv, target: [rare, w], validation: 0.25}' \
  --set loss=bce --quiet
says "…" "the model is no better than guessing: validation f1 is "
exits 0 "… without a metric of the threshold" same_output accuracy --set metrics=null --set eval.threshold=0.01 --quiet
says "… says which to add" "the accuracy is far worse than guessing: test accuracy is 0.04, and always 'no' reaches 0.96; with a threshold, accuracy says little: add metrics: [roc_auc, f1]"
exits 0 "… with one that is set" same_output ranked --set metrics=roc_auc --set eval.threshold=0.01 --quiet
says "… says which other to add" "with a threshold, accuracy says little: add f1 to metrics"
exits 0 "a number" chosen fixed --set eval.threshold=0.05 --set loss=bce --set model.2.linear.units=1
exits 0 "… of which the model knows" evaluate fixed --json
check "… it" test "$(number threshold)" = 0.05
exits 0 "… and predict too" "$GTRAIN" predict fixed inputs.csv --json
check "… for each row" awk '{ if ($1 != ($2 > 0.05)) bad = 1; low += $1 && $2 < 0.5 } END { exit bad || !low || NR != 1000 }' <(answers)
says "… by the words of the file" '{"class":1,"name":"yes",'
exits 0 "a model without one" train plain --set train.epochs=1
exits 78 "… has none to answer with" evaluate plain --set eval.threshold=auto
says "… as it was not chosen" "this model was trained without choosing a threshold"
exits 78 "no validation split" chosen no --set data.validation=0
says "… with the way out" "threshold.yaml:5:19: error: the threshold is chosen on the validation split, and there is none"
exits 78 "a validation split of one class" chosen no --set data.split=last --set data.validation=0.01
says "… named" "whose 10 samples are all of class 'no'"
exits 78 "a threshold for three classes" "$GTRAIN" check "$OLDPWD/configs/digits.yaml" --set eval.threshold=auto
says "… with what it needs" "a threshold needs a binary classifier"
awk 'BEGIN { print "x,y"; for (i = 0; i < 400; i++) print i % 7 "," int(i / 10) }' > forty.csv
printf 'data: {train: forty.csv, target: y, validation: 0.2, task: classification}\nmodel: [{linear: 1}]\nloss: bce\neval: {threshold: auto}\n' > forty.yaml
exits 78 "bce for forty classes" "$GTRAIN" check forty.yaml
says "… has no threshold" "a threshold needs a binary classifier"
exits 78 "no probability" chosen no --set eval.threshold=1
says "… with what it can be" "expected auto, or a number between 0 and 1"

# --- several boolean targets ---
awk -F, 'NR == 1 { print "x,y,Late,big" } NR > 1 { print $1 "," $2 "," ($1 > 0 ? "Yes" : "no") "," ($2 > 0.5 ? "TRUE" : "FALSE") }' rare.csv > labels.csv
cat > labels.yaml << 'YAML'
data: {train: labels.csv, target: [Late, big], validation: 0.25}
model: [{linear: 16}, relu, {linear: 2}]
loss: bce
optimizer: {lr: 0.02}
metrics: [f1]
train: {epochs: 20, batch_size: 50, eval_every: 20}
YAML
exits 0 "two labels of each sample" "$GTRAIN" train labels.yaml --device "$DEVICE" --run-dir labels --fail-if 'f1<0.9'
says "… with the words" "targets: 'Yes' is 1 and 'no' is 0 in 'Late', 'TRUE' is 1 and 'FALSE' is 0 in 'big'"
says "… and the share of each" "task: multi-label classification: 'Late' 51.9 %, 'big' 48.1 %"
says "… and a metric for each" "f1.big 0.9"
grep -v "^eval\|^metrics" threshold.yaml > tasks.yaml
tasks() { "$GTRAIN" check tasks.yaml "$@"; }
exits 0 "a task that is given" tasks --set data.task=classification
says "… without a reason" "$(printf "task            binary classification: 'no' 96.0 %%, 'yes' 4.0 %% (positive)\nclasses         no 480, yes 20\n")"
exits 0 "a task of numbers" tasks --set 'data={train: rare.csv, target: y, ignore: [rare]}' --set model.2.linear.units=1 --json
says "… in JSON" "\"task\":{\"kind\":\"regression\",\"text\":\"regression of 'y'\",\"inferred\":\"the targets are numbers\"}"
exits 0 "several numbers" tasks --set 'data={train: rare.csv, target: [y, w], ignore: [rare]}' --set loss=mse
says "… with how many" "$(printf 'task            regression of 2 targets\n')"
exits 0 "more classes" "$GTRAIN" check "$OLDPWD/configs/digits.yaml" --set loss=null
says "… are counted" "task            classification: 10 classes (inferred: the targets are integers counting from 0; set data.task to change it)"
exits 0 "predicted" "$GTRAIN" predict labels inputs.csv --output labels.jsonl
check "… by name" grep -q '"labels":\["Late","big"\]' labels.jsonl
exits 0 "… as columns" "$GTRAIN" predict labels inputs.csv --output predicted.csv
check "… of their names: the answers, then the probabilities" test "$(head -1 predicted.csv)" = Late,big,Late=Yes,big=TRUE
check "… and the words of the file" awk -F, 'NR > 1 { if ($1 != ($3 > 0.5 ? "Yes" : "no") || $2 != ($4 > 0.5 ? "TRUE" : "FALSE")) bad = 1 }
  END { exit bad || NR != 1001 }' predicted.csv
exits 0 "… of one target" "$GTRAIN" predict fixed inputs.csv -o one.csv
check "… answered by its threshold" awk -F, 'NR == 1 { bad = $0 != "rare,rare=yes" } NR > 1 && $1 != ($2 > 0.05 ? "yes" : "no") { bad = 1 }
  END { exit bad }' one.csv

# A threshold for each label.
awk -F, 'NR == 1 { print "x,y,late,rare" } NR > 1 { print $1 "," $2 "," ($2 > 0.6 ? "Yes" : "No") "," $4 }' rare.csv > each.csv
each() { "$GTRAIN" train labels.yaml --set data.train=each.csv --set 'data.target=[late, rare]' --device "$DEVICE" --run-dir "$@"; }
exits 0 "a threshold for each label" each each --set eval.threshold=auto
check "… of the rare one" grep -qE "^threshold 0\.[0-4][0-9]* of 'rare' \(largest f1 on validation: 0\.[0-9]+; 0.5 gives 0" <<< "$out"
low=$(sed -n "s/^threshold \([0-9.]*\) of 'rare' .*/\1/p" <<< "$out") high=$(sed -n "s/^threshold \([0-9.]*\) of 'late' .*/\1/p" <<< "$out")
best=$(sed -n "s/^threshold .* of 'rare' .*validation: \([0-9.]*\);.*/\1/p" <<< "$out")
exits 0 "… of which eval knows" evaluate each --split validation --json
says "… both" "\"threshold\":[$high,$low]"
check "… and answers with them" awk -v a="$(number f1.rare)" -v b="$best" 'BEGIN { exit !(a - b < 1e-4 && b - a < 1e-4) }'
exits 0 "… unless it is given one for all" evaluate each --split validation --set eval.threshold=0.5 --json
check "… which answers with it" awk -v a="$(number f1.rare)" -v b="$best" 'BEGIN { exit !(a < b - 0.01) }'
exits 0 "… and predict" "$GTRAIN" predict each inputs.csv -o each-out.csv
check "… for each row" awk -F, -v h="$high" -v l="$low" 'NR > 1 { if ($1 != ($3 > h ? "Yes" : "No") || $2 != ($4 > l ? "yes" : "no")) bad = 1; n += $2 == "yes" }
  END { exit bad || !n }' each-out.csv
exits 0 "a label of one class in the validation split" each some --set eval.threshold=auto --set data.validation=0.012 --set data.split=last
says "… keeps 1/2" "the threshold of 'rare' stays 0.5: the validation split has one class"
# --- more cases, found in manual tests ---
cat > flags.yaml << 'YAML'
data: {train: flags.csv, target: [a, b], test_fraction: 0.2}
model: [{linear: 2}]
train: {epochs: 1}
YAML
awk 'BEGIN { print "x,a,b"; for (i = 0; i < 60; i++) print i % 7 "," (i % 2 ? "yes" : "no") "," (i % 3 ? "no" : "yes") }' > flags.csv
exits 0 "two columns of yes and no" "$GTRAIN" check flags.yaml
says "… are labels, each with an answer of its own" "multi-label classification"
exits 78 "balanced weights beside data that cannot be read" "$GTRAIN" check rare.yaml --set data.train=absent.csv \
  --set 'loss={type: cross_entropy, class_weights: balanced}' --set train.sampler=shuffle
lacks "… are not what is wrong" "class_weights"
exits 0 "a split without a fraction" "$GTRAIN" check rare.yaml --set data.validation=0 --set train.sampler=shuffle
says "… does nothing" "'split' has no effect: no samples are split off"
awk -F, 'BEGIN { OFS = "," } NR == 9 { $3 = 99 } { print }' rare.csv > weights.csv
exits 65 "a weight that stands for a missing one" "$GTRAIN" check rare.yaml --set data.train=weights.csv \
  --set 'data.missing_values=[99]' --set data.weight=w --set data.ignore=[] --set train.sampler=shuffle
says "… is not 99" "weights.csv:9:15: missing weight in column 'w': '99' is in data.missing_values"


exits 0 "samples with weights" chosen weighted --set 'data.ignore=[]' --set data.weight=w
best=$(sed -n 's/^threshold .*validation: \([0-9.]*\);.*/\1/p' <<< "$out")
exits 0 "choose by weight" evaluate weighted --split validation --json
check "what the metric counts" awk -v a="$(number f1)" -v b="$best" 'BEGIN { exit !(b > 0 && a - b < 1e-4 && b - a < 1e-4) }'

# --- the positive class ---
# 36 of 400 rows are of the class `fraud`, the first in alphabetical order; `flag` has the same rows with words.
awk 'BEGIN { print "x,y,kind,flag,bit"
  for (i = 0; i < 400; i++) { u = (i * 7919 % 1009) / 1009; v = (i * 104729 % 997) / 997; r = i % 11 == 7
    printf "%.4f,%.4f,%s,%s,%d\n", 2 * u - 1 + 2 * r * v, v, r ? "fraud" : "ok", r ? "no" : "yes", !r } }' > kinds.csv
cat > kinds.yaml << 'YAML'
data: {train: kinds.csv, target: kind, ignore: [flag, bit], validation: 0.25, test_fraction: 0.25, split: stratified}
model: [{linear: 8}, relu, {linear: 2}]
optimizer: {lr: 0.02}
metrics: [precision, recall, f1, average_precision]
eval: {threshold: auto}
train: {epochs: 30, batch_size: 50, eval_every: 30}
YAML
kinds() { "$GTRAIN" train kinds.yaml --device "$DEVICE" --run-dir "$@"; }
exits 0 "a class that nothing names" kinds second
says "is a warning" "kinds.yaml:1:34: warning: precision is that of class 'ok', which 91 %"
says "with its name" "[unnamed_positive]"
says "and the key" "    help: data: {positive: fraud}, or ok if that class is meant"
says "the threshold is that of the second class" " of 'ok' (largest f1"
check "which the run's config keeps" grep -q '^  positive: ok$' second/config.yaml
exits 0 "without metrics and thresholds of one class" "$GTRAIN" check kinds.yaml --strict --set 'metrics=[f1_macro, roc_auc]' \
  --set 'eval.threshold={metric: f1_macro}'
exits 0 "a class that the config names" kinds first --set data.positive=fraud
says "is said" "task: binary classification: 'fraud' 9.0 % (positive), 'ok' 91.0 %"
says "also with the threshold" " of 'fraud' (largest f1"
check "the run's config keeps it" grep -q '^  positive: fraud$' first/config.yaml
threshold=$(sed -n "s/^threshold \([0-9.]*\) of 'fraud' .*/\1/p" <<< "$out")
exits 0 "the model's is the same class" evaluate first --json
says "by name" '"positive":"fraud"'
check "precision, recall and f1 are its row" test "$(grep -o '"precision":.*"f1":[0-9.e-]*,"a' <<< "$out" | head -1 | sed 's/,"a$//')" = \
  "$(grep -o '"class":"fraud","samples":[0-9]*,[^}]*' <<< "$out" | sed 's/.*"samples":[0-9]*,//')"
said=$out
exits 0 "another seed of the same classes the other way round" evaluate first --json --set 'data.class_names=[fraud, ok]'
check "does not change the model's class" test "$said" = "$out"
exits 0 "predictions" "$GTRAIN" predict first kinds.csv --json
says "name it" '"positive":"fraud","outputs":['
# "class" is 0 if the probability of fraud, the first output, is above the threshold.
check "follow the threshold of that class" awk -v t="$threshold" '{ n[$1]++; if (($1 == 0) != ($2 > t)) bad = 1 } END { exit bad || !n[0] || !n[1] }' \
  <(sed -n 's/.*"class":\([01]\),.*"outputs":\[\([0-9.e-]*\),.*/\1 \2/p' <<< "$out")
exits 78 "a threshold of the other class" evaluate first --set data.positive=ok
says "is refused" "--set:1:15: error: the threshold of this model was chosen for another class, 'fraud'"
exits 0 "but a number is not" evaluate first --set data.positive=ok --set eval.threshold=0.4
says "and is said" "threshold 0.4 of 'ok'"
exits 0 "the second of class_names" "$GTRAIN" check kinds.yaml --strict --set 'data.class_names=[ok, fraud]'
says "is positive" "'ok' 91.0 %, 'fraud' 9.0 % (positive)"
exits 0 "words need no key" "$GTRAIN" train kinds.yaml --device "$DEVICE" --quiet --run-dir words --set data.target=flag --set 'data.ignore=[kind, bit]' --set train.epochs=1
check "and get none" test "$(grep -c positive: words/config.yaml)" = 0
sed 's/fraud/abnormal/; s/,ok/,normal/' kinds.csv > normal.csv
exits 0 "a positive word that is the first class" "$GTRAIN" train kinds.yaml --device "$DEVICE" --run-dir normal --set data.train=normal.csv --strict
says "is positive" "'abnormal' 9.0 % (positive), 'normal' 91.0 %"
exits 0 "also in the model" evaluate normal --json
says "by name" '"positive":"abnormal"'
bce=(--set loss=bce --set model.2.linear.units=1)
wrong() { exits 78 "positive: $1" "$GTRAIN" check kinds.yaml --set "data.positive=$1" "${@:3}"; says "… is an error" "--set:1:15: error: $2"; }
wrong fruad "unknown class 'fruad'"
says "with the right name" "expected fraud or ok; did you mean 'fraud'?"
wrong no "the loss reads 'no' as 0, and 1 is the positive class" --set data.target=flag --set 'data.ignore=[kind, bit]' "${bce[@]}"
exits 0 "the word that is 1" "$GTRAIN" check kinds.yaml --set data.positive=yes --set data.target=flag --set 'data.ignore=[kind, bit]' "${bce[@]}"
wrong 1 "'positive' is one of two classes, and these targets are numbers" --set data.target=bit --set 'data.ignore=[kind, flag]' "${bce[@]}"
cat > two.yaml << 'YAML'
data: {train: kinds.csv, targets: [kind, flag], ignore: [bit], test_fraction: 0.25}
model: [{linear: {units: 8, name: body}}, {linear: {name: kind, from: body, units: 2}}, {linear: {name: flag, from: body, units: 2}}]
metrics: [f1]
train: {epochs: 1}
YAML
exits 0 "several targets" "$GTRAIN" train two.yaml --device "$DEVICE" --run-dir two --set 'data.positive={kind: fraud, flag: no}' --json
says "… have a class each" '"positive":{"kind":"fraud","flag":"no"}'
exits 78 "one class of several targets" "$GTRAIN" check two.yaml --set data.positive=fraud
says "… needs a target" "expected a map from targets to classes, such as {kind: fraud}"
exits 78 "an unknown target" "$GTRAIN" check two.yaml --set 'data.positive={kid: fraud}'
says "… is unknown" "there is no target 'kid'"
finish
