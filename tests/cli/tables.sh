#!/usr/bin/env bash
# Tables as people have them, by the commands: what was decided about a file is said once, what is wrong in one message,
# and a prediction reads its file as the training did.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
cd "$TEST_TMP" || exit 1
GTRAIN=${GTRAIN/#build/$OLDPWD/build}

cat > config.yaml << 'YAML'
data: {train: table.csv, target: y, task: regression}
model: [{linear: 1}]
loss: mse
train: {epochs: 1, batch_size: 4}
YAML

# A German spreadsheet's: a title, semicolons, decimal commas, row numbers without a name.
table() {
  printf 'Messung 7\n\n;a;b;y\n'
  for i in 1 2 3 4 5; do printf '%d;%d,5;%d;%d,25\n' $i $i $((i * i)) $i; done
}
table > table.csv
exits 65 "a title above the table" "$GTRAIN" check config.yaml
says "has a way out" "table.csv:1:1: this line has 1 cell, but the lines from 3 on have 4; if the table begins at line 3, set data.skip: 2"
exits 0 "with it" "$GTRAIN" train config.yaml --device "$DEVICE" --run-dir run --set data.skip=2
says "what separates cells is said" "table.csv: cells are separated by ';'; the decimal mark is a comma"
says "so is the column that is left out" "table.csv: column 1 is left out: it has no name and counts the rows"
check "once" test "$(grep -c 'left out' <<< "$out")" = 1
exits 0 "check says it, too" "$GTRAIN" check config.yaml --set data.skip=2
says "with two inputs" "linear1  linear         [4, 1]                          3  input"
exits 0 "a prediction" "$GTRAIN" predict run/model.bin table.csv
predicted=$out
check "reads it as the training did" test "$(grep -c '^-\?[0-9.]*$' <<< "$out")" = 5
table | tail -n +3 | cut -d ';' -f 2,3 | sed 's/,/./; s/;/,/' > plain.csv
exits 0 "the same with points and commas" "$GTRAIN" predict run/model.bin plain.csv --set data.skip=0
check "is the same" test "$out" = "$(grep -v table.csv <<< "$predicted")"

# All columns that stop the reading, in one message.
cat > table.csv << 'CSV'
survived,pclass,sex,age,embarked
0,3,male,22,S
1,1,female,38,C
1,3,female,,
0,2,male,35,
CSV
exits 0 "text and gaps are read" "$GTRAIN" check config.yaml --set data.target=survived
says "as categories" "  sex                      category         0        2"
says "and filled" "  age                      number           1        3"
columns() { "$GTRAIN" check config.yaml --set data.target=survived --set "data.columns={sex: number, age: {missing: error}${1-}}"; }
exits 65 "unless the config says something else" columns
says "of all columns" "table.csv:2:5: 2 columns cannot be read as they are"
says "text" "    sex has texts that are not numbers: 'male' at 2:5, 'female' at 3:5"
says "gaps" "    age has missing values, and its rule is 'missing: error': empty at 4:12"
says "and the way out" "    to mend them: data: {columns: {sex: category, age: {missing: median}}}"
exits 65 "a prediction" "$GTRAIN" predict run/model.bin - --set data.skip=0 <<< $'a,b\n1,x\nNA,2'
says "names the columns, and leaves none out" "'NA' at 3:1"
check "of those the model needs" test "$(grep -c ignore <<< "$out")" = 0

finish
