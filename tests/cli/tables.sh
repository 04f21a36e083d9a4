#!/usr/bin/env bash
# Tables as people have them: each command reports once how it reads a file, all problems are reported in one message,
# and a prediction reads its file like the training.
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

# A table from a German spreadsheet: a title, semicolons, decimal commas, and a column of row numbers without a name.
table() {
  printf 'Messung 7\n\n;a;b;y\n'
  for i in 1 2 3 4 5; do printf '%d;%d,5;%d;%d,25\n' $i $i $((i * i)) $i; done
}
table > table.csv
exits 65 "a title above the table" "$GTRAIN" check config.yaml
says "has a way out" "table.csv:1:1: this line has 1 cell, but the lines from 3 on have 4; if the table begins at line 3, set data.skip: 2"
exits 0 "with it" "$GTRAIN" train config.yaml --device "$DEVICE" --run-dir run --set data.skip=2
says "what separates cells is said" "table.csv: cells are separated by ';'; the decimal mark is a comma"
says "so is the column that is left out" "table.csv: skipped column 1: it has no name and counts the rows"
check "once" test "$(grep -c 'skipped column' <<< "$out")" = 1
exits 0 "check says it, too" "$GTRAIN" check config.yaml --set data.skip=2
says "with two inputs" "linear1  linear         [4, 1]                          3  input"
exits 0 "a prediction" "$GTRAIN" predict run/model.bin table.csv
predicted=$out
says "skipped lines are said" "table.csv: skipped 2 lines, as in training; --set data.skip=0 reads them"
check "reads it as the training did" test "$(grep -c '^-\?[0-9.]*$' <<< "$out")" = 5
table | tail -n +3 | cut -d ';' -f 2,3 | sed 's/,/./; s/;/,/' > plain.csv
exits 65 "a file with another delimiter" "$GTRAIN" predict run/model.bin plain.csv --set data.skip=0
says "is not read on a guess" "plain.csv:1:1: there is no column 'a'; is the delimiter ';' right?"
plain=(--set data.skip=0 --set 'data.delimiter=","' --set data.decimal=point)
exits 0 "the same with points and commas" "$GTRAIN" predict run/model.bin plain.csv "${plain[@]}"
check "is the same" test "$out" = "$(grep -v table.csv <<< "$predicted")"

printf '# made today\n' | cat - plain.csv > table.csv
echo '#end' >> table.csv
exits 0 "a comment before the table, and one in it" "$GTRAIN" check config.yaml --set data.target=b
says "the first is said" "table.csv: 1 comment line is skipped"
says "so is the second" "table.csv:8: comment lines in the table are skipped"

# All columns that cannot be read are reported in one message.
cat > table.csv << 'CSV'
survived,deck,sex,fare,born
0,3,male,7.25,03/04/1980
1,A,female,1e99,05/06/1970
1,2,female,8,
0,1,male,9,01/02/1975
CSV
exits 65 "mixed columns" "$GTRAIN" check config.yaml --set data.target=survived
says "all columns" "table.csv:2:15: 3 columns cannot be read as they are"
says "text among numbers" "    deck has 3 numbers and 1 text: 'A' at 3:3"
says "a large number" "    fare has numbers that are too large for a 32-bit float: '1e99' at 3:12"
says "dates in doubt" "    born has dates whose day and month could be either way round: '03/04/1980' at 2:15"
fix=$(sed -n 's/.*to fix them: //p' <<< "$out")
check "and the way out" test "$fix" = \
  "data: {columns: {deck: ignore, fare: ignore, born: {type: date, order: day_first}}}"
fix=${fix#data: \{columns: } fix=${fix%\}}
exits 0 "which is one" "$GTRAIN" check config.yaml --set data.target=survived --set "data.columns=$fix"
exits 65 "a prediction" "$GTRAIN" predict run/model.bin - "${plain[@]}" <<< $'a,b\n1,x\n1e99,2'
says "names the columns, and leaves none out" "'1e99' at 3:1"
check "of those the model needs" test "$(grep -c ignore <<< "$out")" = 0

# What the training file showed is kept: a row of it, predicted alone, gives the same numbers.
mkdir kept && cd kept || exit 1
# kept NAME HEADER DATA: trains on rows of standard input below HEADER (empty: there is none) with `data: {DATA}`, then
# predicts all rows together and single ones.
kept() {
  local name=$1 header=$2 row
  cat > rows
  { [[ -z $header ]] || echo "$header"; cat rows; } > t.csv
  printf 'data: {train: t.csv, validation: 0.2, %s}\nmodel: [{linear: 3}, relu, {linear: %s}]\ntrain: {epochs: 2}\n' "$3" "${4:-1}" > c.yaml
  exits 0 "$name: trains" "$GTRAIN" train c.yaml --device "$DEVICE" --run-dir "$name" --quiet
  "$GTRAIN" predict "$name/model.bin" t.csv > all 2> /dev/null
  check "$name: predicts" test "$(wc -l < all)" = 40
  for row in 2 7 19; do
    { [[ -z $header ]] || echo "$header"; sed -n "${row}p" rows; } > one.csv
    check "$name: row $row alone" test "$(sed -n "${row}p" all)" = "$("$GTRAIN" predict "$name/model.bin" one.csv 2> /dev/null)"
  done
  exits 0 "$name: its config" "$GTRAIN" train "$name/config.yaml" --device "$DEVICE" --run-dir "$name-again" --quiet
  check "$name: resolves to itself" cmp "$name/config.yaml" "$name-again/config.yaml"
}
rows() { awk -v format="$1\n" 'BEGIN { for (i = 1; i <= 40; i++) printf format, i % 7 + i / 8, i * i % 11 + 0.5, i % 12 + 1 }'; }
rows '%.2f;%.1f;%d' | tr . , | sed '7s/.*/1,234;5,125;3/' | kept commas 'a;b;y' 'target: y'
says_kept() { check "$1: $2" grep -qx "  $2" "$1/config.yaml"; }
says_kept commas 'delimiter: ;'
says_kept commas 'decimal: comma'
says_kept commas 'header: true'
rows '%.2f\t%.1f\t%d' | kept tabs "$(printf 'a\tb\ty')" 'target: y'
rows '%.2f^%.1f^%d' | kept carets $'sep=^\na^b^y' 'target: y'
says_kept carets 'delimiter: ^'
rows '%.2f~%.1f~%d' | kept tildes $'sep=~\na~b~y' 'target: y'
rows '%.2f,%.1f,%d' | awk -F, -v OFS=, '{ print $1, $2, ($3 > 6 ? "~" : "ok") }' | kept class 'a,b,y' 'target: y' 2
says_kept class 'positive: "~"'
rows '%.2f   %.1f %d' | kept blanks 'a b y' 'target: y'
rows '%.2f,%.1f,%d' | kept points '' 'target: "3"'
says_kept points 'header: false'
rows '%.2f,%.1f,%d' | awk -F, -v OFS=, '{ print $1, ($2 > 6 ? "yes" : "no"), ($3 % 2 ? "red" : "blue"), ($3 > 6 ? "on" : "off") }' |
  kept words 'a,b,colour,y' 'target: y' 2
rows '%.2f,%.1f,%d' | awk -F, -v OFS=, '{ printf "%02d/%02d/2024,%s,%s\n", NR % 28 + 1, $3, $1, $2 }' | kept long "$(printf '%0200d' 0),a,y" 'target: y' # longer than a key can be
rows '%.2f,%.1f,%d' | awk -F, -v OFS=, '{ printf "%02d/%02d/2024,%s,%s\n", NR % 28 + 1, $3, $1, $2 }' | kept dates 'day,a,y' 'target: y'
check "dates: their order" grep -qx '      order: day_first' dates/config.yaml
head -n 8 t.csv > few.csv # its dates could be either way round
sed -E 's|^([0-9]+)/([0-9]+)/|\2/\1/|' t.csv > turned.csv
exits 0 "a test file is read in their order" "$GTRAIN" train c.yaml --device "$DEVICE" --run-dir few --quiet --set data.test=few.csv
exits 65 "and in no other one" "$GTRAIN" check c.yaml --set data.test=turned.csv
says "with a message" "turned.csv:2:1: column 'day' has dates in another order"
rows '%.2f,%.1f,%d' | awk -F, -v OFS=, '{ print NR % 5 ? $1 : "NA", $2, NR % 4 ? "x" : "" , $3}' | kept gaps 'a,b,c,y' 'target: y, columns: {c: category}'
finish
