#!/usr/bin/env bash
# The files that `gtrain predict` writes: class names, row ids, numeric targets; input from standard input; the time to
# start.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
cd "$TEST_TMP" || exit
printf 'id,a,b,kind\n007,1,2,yes\n"x,1",2,1,no\n9,1.5,2,yes\n10,2,1.1,no\n' > t.csv
cat > t.yaml <<'YAML'
data: {train: t.csv, target: kind, id: id}
model: [{linear: 2}]
optimizer: {type: adam, lr: 0.1}
train: {epochs: 100, batch_size: 4}
quiet: [outside_training, repeated_samples]
YAML
predict() { "$GTRAIN" predict run "$@" --device "$DEVICE" --quiet; }
exits 0 "an id of text is no input" "$GTRAIN" train t.yaml --device "$DEVICE" --run-dir run --quiet
exits 0 "predictions" predict t.csv -o out.csv
check "a CSV has ids, the class, and a column for each class" test "$(head -n 1 out.csv)" = "id,class,no,yes"
# The class has the largest probability, and the probabilities add up to 1.
check "… ids as they are, the likeliest class, and probabilities" python3 - <<'PY'
import csv
rows = list(csv.DictReader(open("out.csv")))
assert [(row["id"], row["class"]) for row in rows] == [("007", "yes"), ("x,1", "no"), ("9", "yes"), ("10", "no")], rows
for row in rows:
    p = {name: float(row[name]) for name in ("no", "yes")}
    assert row["class"] == max(p, key=p.get) and abs(sum(p.values()) - 1) < 1e-6, row
PY
exits 0 "as text" predict t.csv
says "… ids come first" "x,1: no 0."
exits 0 "as JSON" predict t.csv --json
says "… ids come first" '{"id":"007","class":1,"name":"yes","positive":"yes","outputs":['
cut -d, -f2- <(grep -v x,1 t.csv) > none.csv
exits 0 "a file without ids" predict none.csv -o none-out.csv
check "… has none" test "$(head -n 1 none-out.csv)" = "class,no,yes"
exits 0 "ids of another column" predict t.csv --id b -o b.csv
check "… which may be an input" test "$(cut -d, -f1 b.csv | paste -sd ' ')" = "b 2 1 2 1.1"
exits 65 "ids of no column" predict t.csv --id idd
says "… is an error" "t.csv:1:1: there is no column 'idd'; did you mean 'id'?"
predict - < t.csv > text
check "standard input, a pipe" cmp text <(cat t.csv | predict -)
exits 0 "evaluation on a file without ids" "$GTRAIN" eval run --device "$DEVICE" --data none.csv
exits 78 "an id that is no column" "$GTRAIN" check t.yaml --set data.id=nme
says "… is at its place" "there is no column 'nme'"
exits 78 "an id that is ignored, too" "$GTRAIN" check t.yaml --set 'data.ignore=[id]'
says "… is used twice" "column 'id' of t.csv is used twice"

# --- classes that are numbers, and quantities ---
sed 's/yes/1/; s/no$/0/' t.csv > n.csv
exits 0 "classes that are numbers" "$GTRAIN" train t.yaml --device "$DEVICE" --run-dir numbers --quiet --set data.train=n.csv
exits 0 "… are predicted" "$GTRAIN" predict numbers none.csv --device "$DEVICE" -o n-out.csv
check "… and name the columns" test "$(head -n 2 n-out.csv | sed '2s|,.*|,p|' | paste -sd ' ')" = "class,0,1 1,p"
printf 'a,b,price,cost\n1,2,5,1\n2,1,3,2\n1,1,1,1\n' > q.csv
cat > q.yaml <<'YAML'
data: {train: q.csv, target: [price, cost], task: regression}
model: [{linear: 2}]
loss: mse
train: {epochs: 1}
YAML
exits 0 "quantities" "$GTRAIN" train q.yaml --device "$DEVICE" --run-dir quantities --quiet
exits 0 "… are predicted" "$GTRAIN" predict quantities q.csv --id cost --device "$DEVICE" -o q-out.csv
check "… and name the columns" test "$(head -n 1 q-out.csv)" = "cost,price,cost.1"

# --- gaps in columns that had none in training ---
printf 'a,b\n1,2\n,2\nNA,?\n' > gaps.csv && printf 'a,b\n1,2\n1,2\n1,1\n' > none.csv && printf 'a,b\n,2\n' > gap.csv
exits 0 "gaps" "$GTRAIN" predict quantities gaps.csv --device "$DEVICE" -o gaps-out.csv
says "… are counted" "in training are filled with the median or the most frequent value of the training rows: 'a' in 2 of 3 rows with 1, 'b' in 1 of 3 rows with 1"
exits 0 "… and filled with the median" "$GTRAIN" predict quantities none.csv --device "$DEVICE" -o none-out.csv
check "… of the training rows" cmp gaps-out.csv none-out.csv
exits 0 "… quietly" "$GTRAIN" predict quantities gap.csv --device "$DEVICE" --set 'quiet=[filled_gaps]' --strict
exits 65 "… but not with --strict" "$GTRAIN" predict quantities gap.csv --device "$DEVICE" --strict
exits 0 "a model that refuses gaps" "$GTRAIN" train q.yaml --device "$DEVICE" --run-dir strict --quiet \
  --set 'data.columns={a: {missing: error}}'
exits 65 "… stops" "$GTRAIN" predict strict gap.csv --device "$DEVICE"
says "… and says what to do" "gap.csv:2:1: column 'a' has missing values, but the model was trained without any in this column (empty at \
2:1); fill the cells in the file, or train with data: {columns: {a: {missing: median}}}"

# --- starting ---
# A prediction of one row takes about 5 ms of processor time; loading the Vulkan drivers would take 40 ms more. The
# limit of 3 s for ten predictions is large enough for sanitizers.
head -n 2 t.csv > row.csv
exits 0 "one row, device auto" env -u GTRAIN_DEVICE LD_DEBUG=files "$GTRAIN" predict run row.csv --quiet --device auto
check "… loads no Vulkan driver" test "${out/libvulkan/}" = "$out"
check "… in little time" python3 - "$GTRAIN" <<'PY'
import os
import subprocess
import sys
for _ in range(10):
    subprocess.run([sys.argv[1], "predict", "run", "row.csv", "--quiet", "--device", "auto"], check=True, stdout=subprocess.DEVNULL)
used = os.times()
assert used.children_user + used.children_system < 3, used
PY
finish
