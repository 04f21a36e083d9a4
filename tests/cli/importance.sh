#!/usr/bin/env bash
# The permutation importance of a table's columns: values compared with a formula, several inputs, streamed data, and
# the line at the end of a training.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
cd "$TEST_TMP" || exit
python3 - <<'PY'
import random
draw = random.Random(1)
for name, rows in ("train", 400), ("test", 500):
    with open(name + ".csv", "w") as file:
        file.write("a,b,c,d,y\n")
        for _ in range(rows):
            a, b, c, d = draw.gauss(0, 1), draw.uniform(-2, 2), draw.gauss(0, 2), draw.gauss(0, 1)
            file.write(f"{a:.6f},{b:.6f},{c:.6f},{d:.6f},{3 * a + b + 0.1 * c:.6f}\n")
PY
cat > one.yaml <<'YAML'
data: {train: train.csv, test: test.csv, target: y, task: regression, normalize: none, normalize_targets: none}
model: [{linear: 1}]
loss: mse
optimizer: {type: adam, lr: 0.05}
train: {epochs: 40, batch_size: 40, eval_batch_size: 16, threads: 1}
quiet: [outside_training]
YAML
importance() { "$GTRAIN" explain "$@" --device "$DEVICE"; }
exits 0 "a linear model" "$GTRAIN" train one.yaml --device "$DEVICE" --run-dir one --quiet
exits 0 "its columns" importance one
says "… are a table" "column        loss      change   deviation        rmse"
importance one --json > one.json
check "their importance is 2 w^2 var(x)" python3 "$ROOT/tests/cli/importance.py" one.json test.csv a=3 b=1 c=0.1 d=0
importance one --json > again.json
check "the same shuffles each time" cmp one.json again.json
importance one --json --memory-limit 9k > streamed.json 2> log
check "the samples are streamed" grep -q "test .* streams through" log
check "… with the same result" cmp one.json streamed.json
importance one --json --set seed=7 > other.json
differ() { ! cmp -s "$1" "$2"; }
check "another seed shuffles differently" differ one.json other.json
exits 2 "beside a formula" importance one --importance --latex
says "… which it does not have" "--latex cannot be used with --importance"

# --- several inputs ---
sed 's/task: regression/&, inputs: {left: [c, a], right: [d, b]}/; s/^model.*/model: [{concatenate: {from: [left, right]}}, {linear: 1}]/' one.yaml > two.yaml
exits 0 "a model of two inputs" "$GTRAIN" train two.yaml --device "$DEVICE" --run-dir two --quiet
importance two --json > two.json
check "… has the same importances" python3 "$ROOT/tests/cli/importance.py" two.json test.csv a=3 b=1 c=0.1 d=0

# --- the end of a training ---
# A long run, because the estimate may take only 5 % of the run's time; long enough on a busy machine, too.
long=(--set train.epochs=300 --set train.eval_batch_size=500)
exits 0 "a training" "$GTRAIN" train one.yaml --device "$DEVICE" --run-dir told "${long[@]}"
line='most important columns: a 1[0-9.]*, b [0-9.]*, c 0[.][0-9]* \(rise of the loss when a column is shuffled\)'
check "names three columns" grep -qxE "$line" <<< "$out"
exits 0 "the same without" "$GTRAIN" train one.yaml --device "$DEVICE" --run-dir quiet "${long[@]}" --quiet
check "--quiet does not" test "${out/important/}" = "$out"
check "the model is the same" cmp told/model.bin quiet/model.bin
check "… and the rows" cmp told/metrics.jsonl quiet/metrics.jsonl
"$GTRAIN" train one.yaml --device "$DEVICE" --run-dir json "${long[@]}" --json > result.json 2> log
check "… in JSON" python3 -c 'import json; r = json.load(open("result.json")); assert [c["column"] for c in r["importance"]][:3] == ["a", "b", "c"], r'

# --- no finite loss ---
sed '2s/.*/3e38,0,0,0,-3e38/' test.csv > far.csv
exits 65 "a loss that is not finite" importance one --set data.test=far.csv
says "… is an error" "the loss on the test split is not finite"

# --- data that is not a table ---
cat > function.yaml <<'YAML'
data: {format: function, formula: "x0 + x1", samples: 40}
model: [{linear: 1}]
train: {epochs: 1}
YAML
exits 0 "a model of a function" "$GTRAIN" train function.yaml --device "$DEVICE" --run-dir function --quiet
exits 65 "… has no columns" importance function --importance
says "… says so" "the data is not a table"
finish
