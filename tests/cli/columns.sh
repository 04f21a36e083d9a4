#!/usr/bin/env bash
# A table with categories, gaps, dates and booleans in all commands, from training to predictions.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
tools=$PWD/tests/cli
cd "$TEST_TMP" || exit 1
GTRAIN=${GTRAIN/#build/$OLDPWD/build}

# rows COUNT SEED: sex and port are categories, age and port have gaps, day is a date with hours, vip is a boolean.
rows() {
  awk -v count="$1" -v seed="$2" 'BEGIN {
    srand(seed); print "id,sex,age,port,day,fare,vip,y"
    for (i = 1; i <= count; i++) {
      sex = rand() < 0.5 ? "male" : "female"; age = rand() < 0.1 ? "" : int(20 + 40 * rand())
      port = substr("SSSSCCCQQ", 1 + int(10 * rand()), 1); fare = 100 * rand() * rand()
      y = 2 * (sex == "female") + 0.02 * fare + (port == "C") + rand() / 4
      printf "%d,%s,%s,%s,%04d-%02d-%02d %02d:30,%.2f,%s,%.4f\n", 7 * i, sex, age, port, 1960 + int(90 * rand()), 1 + int(12 * rand()),
        1 + int(28 * rand()), int(24 * rand()), fare, rand() < 0.5 ? "yes" : "no", y
    }
  }'
}
rows 400 1 > table.csv
cat > table.yaml << 'YAML'
data:
  train: table.csv
  target: y
  columns: {id: ignore, fare: {scale: log1p}, age: {missing: mean, indicator: true}}
  test_fraction: 0.25
model: [{linear: 1}]
loss: mse
optimizer: {type: adam, lr: 0.05}
train: {epochs: 8, batch_size: 32}
YAML
train() { "$GTRAIN" train table.yaml --device "$DEVICE" --quiet --run-dir "$@"; }
exits 0 "train" train run
result() { sed 's/.*"loss":\([0-9.e-]*\).*/\1/'; }
# tested RUN: the test loss at the end of a run. loss RUN DEVICE: the test loss of its model, by eval.
tested() { grep '"split":"test"' "$1/metrics.jsonl" | tail -1 | result; }
loss() { "$GTRAIN" eval "$1/model.bin" --device "$2" --json 2> /dev/null | result; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(a > 0 && d * d < 1e-10) }'; }
check "eval has the test loss of the training, digit by digit" test "$(loss run "$DEVICE")" = "$(tested run)"
exits 0 "eval" "$GTRAIN" eval run/model.bin --device "$DEVICE" --json
says "is better than guessing" '"guessing":false'

# Predictions for dates, gaps and categories that training did not see, compared with a computation in Python.
rows 3000 2 | sed '5s/,female\|,male/,robot/; 9s/,female\|,male/,/' > other.csv
sed '9s/,,/,female,/' other.csv > filled.csv
exits 0 "a gap where training had none" "$GTRAIN" predict run/model.bin other.csv --output gap.csv
says "… is filled, counted and shown" "missing values in a column that had none in training are filled with the median or the most frequent value of the \
training rows: 'sex' in 1 of 3000 rows with 'female' [filled_gaps]"
exits 0 "… with the most frequent category" "$GTRAIN" predict run/model.bin filled.csv --output filled-out.csv
check "… as if it were there" cmp gap.csv filled-out.csv
exits 0 "… in an evaluation, too" "$GTRAIN" eval run/model.bin --data other.csv
says "… which says so" "'sex' in 1 of 3000 rows with 'female' [filled_gaps]"
sed -i '9s/,,/,male,/' other.csv
exits 0 "a category that training had not" "$GTRAIN" predict run/model.bin other.csv --output out.csv
says "is said" "other.csv: warning: 1 cell of column 'sex' holds a category that is not one of the 2 learned from the training rows ('robot')"
exits 0 "predictions are those of plain Python" python3 "$tools/columns.py" run/model.bin other.csv < <(tail -n +"$(($(wc -l < out.csv) - 2999))" out.csv)

# The columns of a file for predictions: missing, in another order, or more than needed.
head -6 table.csv > few.csv
predict() { "$GTRAIN" predict run/model.bin - 2>&1; }
expected=$(predict < few.csv)
check "in another order" test "$(awk -F, -v OFS=, '{ print $7, $5, $6, $2, $4, $3 }' few.csv | predict)" = "$expected"
check "with one more" test "$(sed 's/$/,more/' few.csv | predict)" = "$expected"
exits 65 "with one less" predict < <(cut -d, -f1-2,4- few.csv)
says "names it" "there is no column 'age'"
exits 65 "with three less, and one renamed" predict < <(sed '1s/fare/Fare/' few.csv | cut -d, -f1,5-)
says "names all that the model needs, with the nearest" "there are no columns"
exits 65 "a text in a column of numbers" predict < <(sed '2s/,[0-9.]*,\(yes\|no\)/,many,\1/' few.csv)
says "is at its place" "column 'fare' has texts, but the model reads numbers ('many' at 2:"
exits 65 "a number below -1 where log1p is" predict < <(sed '2s/,[0-9.]*,\(yes\|no\)/,-2,\1/' few.csv)
says "is told" "column 'fare' has numbers down to -2, but log1p needs numbers above -1"
exits 65 "a date in another form" predict < <(sed '2s/,[0-9-]* [0-9:]*,/,31\/01\/2020,/' few.csv)
exits 65 "an empty file" predict < /dev/null
exits 65 "a header only" predict < <(head -1 few.csv)
says "says so" "there are no rows after the header"

printf '"a\nb",y\n1,0.5\n2,1\n' > break.csv && printf 'data: {train: break.csv, target: y}\nmodel: [{linear: 1}]\n' > break.yaml
exits 0 "a name with a line break" "$GTRAIN" check break.yaml
says "… stays on its line" '  a\x0ab                   number '

# A resumed run gives the same bits; Vulkan gives the same losses, up to rounding.
goes_on run
check "eval on Vulkan agrees" near "$(loss run vulkan)" "$(tested run)"
exits 0 "train on Vulkan" "$GTRAIN" train table.yaml --device vulkan --quiet --run-dir vulkan
check "agrees to rounding" near "$(tested vulkan)" "$(tested run)"

# An evaluation drops the same rows as the training.
drop() { train drop --set 'data.columns={id: ignore, age: {missing: drop}, port: {missing: drop}, y: {missing: drop}}'; }
sed -i '3s/[^,]*$/NA/; 8s/[^,]*$//' table.csv
exits 0 "rows with gaps are dropped" drop
check "also by eval, with the same test loss" test "$(loss drop "$DEVICE")" = "$(tested drop)"

# A KAN with a category as an input: its edges are named after the category.
rows 200 3 > table.csv
cat > kan.yaml << 'YAML'
data: {train: table.csv, target: y, inputs: [sex, fare]}
model: [{kan: 1}]
loss: mse
train:
  phases: [{epochs: 2}, {epochs: 2, prune: {}}]
  batch_size: 50
quiet: [outside_grid]
YAML
exits 0 "a KAN" "$GTRAIN" train kan.yaml --device "$DEVICE" --quiet --run-dir kan
exits 0 "explained" "$GTRAIN" explain kan/model.bin
says "names the category" "sex=female"

# A column that counts the rows is reported, and the suggested setting omits it.
awk 'BEGIN { print "PassengerId,a,y"; for (i = 1; i < 20; i++) printf "%d,%d,%.1f\n", i, i * i % 7, i / 3 }' > table.csv
check_table() { "$GTRAIN" check table.yaml --set "data.columns=$1"; }
exits 0 "a column of row numbers" check_table '~'
says "is said" "table.csv: column 'PassengerId' counts the rows from 1 but is an input; ignore it with data: {columns: {PassengerId: ignore}}"
exits 0 "… once left out" check_table '{PassengerId: ignore}'
check "no more" test "$(grep -c 'counts the rows' <<< "$out")" = 0

# Model files with a wrong description of their columns.
rows 100 4 > table.csv
cat > codes.yaml << 'YAML'
data: {train: table.csv, target: y, inputs: {id: [port], wide: [age, port]}, integers: [id]}
model:
  - {embedding: {num_embeddings: 6, embedding_dim: 2, from: id}}
  - flatten
  - {concatenate: {from: [flatten1, wide]}}
  - linear: 1
loss: mse
train: {epochs: 1, batch_size: 50}
YAML
exits 0 "codes for an embedding" "$GTRAIN" train codes.yaml --device "$DEVICE" --quiet --run-dir codes
exits 65 "more categories than the embedding has" "$GTRAIN" check codes.yaml --set model.0.embedding.num_embeddings=2
attack() {
  local file code bad=0
  mkdir "$1.attacks" && python3 "$tools/columns_attack.py" "$1/model.bin" "$1.attacks" || return 1
  for file in "$1.attacks"/*.bin; do
    code=0
    "$GTRAIN" predict "$file" other.csv --device cpu > /dev/null 2>&1 || code=$?
    [[ $code = 65 ]] && continue
    [[ $file = */unchanged.bin && $code = 0 ]] && continue
    echo "# $file: exit code $code"
    bad=1
  done
  return $bad
}
check "attacks on a model of a table" attack run
check "attacks on a model with codes" attack codes

# Long column names, such as the questions of a survey.
printf 'How satisfied are you with your pay?,b,y\n1,2,0.5\n3,4,1\n' > survey.csv
printf 'data: {train: survey.csv, target: y}\nmodel: [{linear: 1}]\nloss: mse\ntrain: {epochs: 1}\n' > survey.yaml
kinds() { "$GTRAIN" check survey.yaml | awk '/ kind /{ at = index($0, "kind") } / number /{ print index($0, "number") - at }'; }
check "columns of long names are aligned" test "$(kinds | xargs)" = "0 0"

# At most 20 columns are shown, and on a terminal no line of the table is wider than it.
awk 'BEGIN { for (r = 0; r < 9; r++) { for (i = 0; i < 30; i++) printf r ? "%d.5," : i % 3 ? "c%d," : "the length of part %d in mm,", r ? r * i : i
                                       print r ? r : "y" } }' > wide.csv
sed 's/survey/wide/' survey.yaml > wide.yaml
exits 0 "a table of 30 columns" "$GTRAIN" check wide.yaml
check "… shows 20 of them" test "$(grep -c ' number ' <<< "$out")" = 20
says "… and says where the others are" "… 10 more columns; --json lists all"
exits 0 "… as JSON" "$GTRAIN" check wide.yaml --json
check "… has all" test "$(grep -o '"kind":"number"' <<< "$out" | wc -l)" = 30
widest() { # COLUMNS: the width of the widest line of the table on a terminal of this width
  script -qec "stty cols $1; exec '$GTRAIN' check wide.yaml --device cpu" /dev/null < /dev/null | tr -d '\r' |
    sed -n '/^  column /,/^$/p' | grep -v 'more columns' | LC_ALL=C.UTF-8 wc -L
}
if command -v script > /dev/null; then
  for width in 30 60 80 100 140; do
    n=$(widest $width)
    check "… fits into $width columns" test "$n" -le $width -a "$n" -gt $((width / 3))
  done
fi

# The time to read a table is proportional to the number of columns, not to its square. Every third column is omitted.
# Times to the second.
printf 'when,y\n2024-01-01 23:59:40,1\n2024-01-01 23:59:41,2\n2024-01-02 00:00:00,3\n2024-01-01 23:59:41,4\n' > times.csv
printf 'data: {train: times.csv, target: y, task: regression}\nmodel: [{linear: 1}]\n' > times.yaml
exits 0 "a time just before midnight" "$GTRAIN" check times.yaml
says "… stays in its day" "2024-01-01 23:59:40, 2024-01-01 23:59:41, 2024-01-02 00:00"
check "… and every second counts" grep -Eq '^ *when +date +0 +3 ' <<< "$out"
# The model file keeps the time that replaces missing ones, to the second.
for i in {1..20}; do printf '%s,%s\n,%s\n' "2024-01-0$((1 + i % 9)) $((10 + i % 7)):$((59 - i)):$((10 + i))" "$i" "$i"; done |
  sed '1i when,y' > gaps.csv
sed 's/times.csv/gaps.csv/; s/regression/regression, validation: 0.5, columns: {when: {missing: mean}}/' times.yaml > gaps.yaml
exits 0 "a time for missing ones" "$GTRAIN" train gaps.yaml --device "$DEVICE" --run-dir gaps --quiet --set train.steps=1
exits 0 "… is the same in the model" "$GTRAIN" eval gaps --device "$DEVICE" --strict

awk 'BEGIN { for (r = 0; r < 4; r++) { for (i = 0; i < 100000; i++) printf i % 3 ? "%c," : "c,", 97 + (i + r) % 3
                                       print r ? r : "y" } }' > many.csv
cat > many.yaml << 'YAML'
data: {train: many.csv, target: y, task: regression}
model: [{linear: 1}]
train: {epochs: 1, batch_size: 3}
YAML
many() { (ulimit -t 10 && exec "$GTRAIN" check many.yaml --device cpu) 2> many.err > many.txt; }
check "100,000 columns in less than 10 seconds" many
left_out() { [[ $(grep -c "skipped column" many.err) = 33334 ]]; }
check "a third of 100,000 columns is left out" left_out
finish
