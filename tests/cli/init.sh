#!/usr/bin/env bash
# gtrain init: the configs that it writes for tables are valid and train; names of any characters; errors; and the
# formula of a pendulum's period is found.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

root=$PWD
cd "$TEST_TMP" || exit 1
ln -s "$root/datasets" .
trains() { exits 0 "… it trains" "$GTRAIN" train "$1" --device "$DEVICE" --run-dir "run-$1" "${@:2}"; }
refused() { # CODE NAME TEXT OPTION…: an error that contains TEXT, and no config
  exits "$1" "$2" "$GTRAIN" init "${@:4}"
  says "… says so" "$3"
  check "… and writes nothing" test ! -e new.yaml
}

# Regression of a quantity that is far from 0, and classification.
exits 0 "a regression" "$GTRAIN" init csv datasets/penguins/penguins.csv
says "it says what it predicts" "no --target given, using the last column 'body_mass_g'"
says "… and what to do next" "next: gtrain train penguins.yaml"
trains penguins.yaml --fail-if 'r2<0.7'
exits 0 "classes" "$GTRAIN" init csv datasets/digits/digits.csv --target label
says "… are counted" "task: classification, 10 classes"
check "… in the config, too" grep -q '^# Classes, with their training samples: 0 [0-9]*, 1 ' digits.yaml
check "… which validates and keeps the best weights" grep -q 'keep_best: true' digits.yaml
trains digits.yaml --set train.epochs=10 --quiet --fail-if 'accuracy<0.8'
exits 65 "… and is no formula" "$GTRAIN" explain run-digits.yaml --pareto
says "… says why" "formulas need a model made of KAN layers; 'linear1' is a linear layer"
exits 2 "an unknown target" "$GTRAIN" init csv datasets/digits/digits.csv --target lable -o new.yaml
says "… with the nearest name" "did you mean 'label'?"

# Inputs with text and gaps, a column that counts the rows, and labels that are text.
awk 'BEGIN { print "id,name,age,sex,height,size"
  for (i = 1; i <= 60; i++) {
    age = i % 7 ? 20 + i : ""; sex = i % 2 ? "m" : "f"; size = i > 30 ? "tall" : "short"
    printf "%d,person %d,%s,%s,%.1f,%s\n", i, i, age, sex, 150 + i/2, size
  } }' > people.csv
exits 0 "columns that cannot be inputs" "$GTRAIN" init csv people.csv
says "… are named" "skipped 'id': counts the rows; if it is an input, remove it from 'ignore'"
says "… with the reason" "skipped 'name': free text"
check "… as in the config" grep -q '^  ignore: \[id, name\]' people.yaml
check "… with what they contain" grep -q '^#   name    text, 60 distinct values: skipped, free text' people.yaml
check "… categories are inputs" grep -q '^#   sex     categories, 2 distinct values$' people.yaml
check "… and their gaps" grep -q '^#   age .*, 8 of 60 missing' people.yaml
trains people.yaml --quiet

# Row numbers that do not begin at 1.
awk -F, -v OFS=, 'NR > 1 { $1 += 100000 } 1' people.csv > numbered.csv
exits 0 "ids of a survey" "$GTRAIN" init csv numbered.csv
says "… count the rows, too" "skipped 'id': counts the rows; if it is an input, remove it from 'ignore'"
exits 0 "… which training without init" "$GTRAIN" check numbered.yaml --set 'data.ignore=[name]'
says "… tells" "column 'id' counts the rows from 100001 but is an input; ignore it with data: {columns: {id: ignore}}"

# Several targets: quantities, and labels that are yes or no.
awk 'BEGIN { print "x,z,late,big,price,days"
  for (i = 0; i < 120; i++) { x = (i * 37 % 101) / 101; z = (i * 53 % 97) / 97
    printf "%.3f,%.3f,%s,%d,%.2f,%d\n", x, z, (x > 0.6 ? "yes" : "no"), (x + z > 1.2), 100 * x + 7, 30 * z } }' > several.csv
exits 0 "two quantities" "$GTRAIN" init csv several.csv --target price --target days
says "… are both said" "targets: 'price', 'days'"
check "… and in the config" grep -q '^  target: \[price, days\]' several.yaml
check "… with an output each" grep -q '^  - linear: 2  # one output for each target' several.yaml
check "… and rows to stop by, also of a small table" grep -q '^  validation: 0.2' several.yaml
trains several.yaml --quiet
exits 0 "two labels" "$GTRAIN" init csv several.csv -t late -t big -o labels.yaml
says "… are a task of their own" "task: multi-label classification"
check "… with its loss" grep -q '^loss: bce' labels.yaml
trains labels.yaml --quiet
awk -F, -v OFS=, 'NR == 1 { print $0, "size", "a shape" } NR > 1 { print $0, ($1 > 0.5 ? "tall" : "short"), (NR == 9 ? "" : $2 < 0.3 ? "round" : "flat") }' several.csv > kinds.csv
exits 0 "quantities and classes" "$GTRAIN" init csv kinds.csv -t price -t days -t size -t late -o kinds.yaml
says "… with a task each" "task of 'size': classification, 2 classes"
check "… and a target" grep -q '^  targets: {price: price, days: days, size: size, late: late}' kinds.yaml
check "… a head" grep -q '^  - linear: {units: 2, name: size, from: body}' kinds.yaml
check "… and a loss" grep -q '^loss: {price: mse, days: mse, size: cross_entropy, late: cross_entropy}' kinds.yaml
check "… with their classes" grep -q "^# Classes of 'size', with their training samples: short " kinds.yaml
trains kinds.yaml --quiet --set train.epochs=20 --fail-if 'size.accuracy<0.7'
exits 0 "two classes, of a column whose name is no name of a target" "$GTRAIN" init csv kinds.csv -t size -t 'a shape' -o two.yaml
check "… which gets another" grep -q '^  targets: {target1: size, target2: "a shape"}' two.yaml
trains two.yaml --quiet --set train.epochs=1
exits 65 "… and as one target" "$GTRAIN" check several.yaml --set data.train=kinds.csv --set 'data.target=[price, size]'
says "… the error names the way out" "if its texts are classes, make it a target of its own: data: {targets: {NAME: COLUMN, ...}} (docs/data.md)"
refused 2 "a target twice" "--target: the column 'late' is given twice" csv several.csv -t late -t late -o new.yaml

# A rare class, with and without enough validation samples for a threshold.
for rows in 1000 200; do
  awk -v n=$rows 'BEGIN { print "x,kind"; for (i = 0; i < n; i++) print (i * 37 % 101) / 101 + (i % 20 == 3) "," (i % 20 == 3 ? "yes" : "no") }' > rare-$rows.csv
  exits 0 "a rare class in $rows rows" "$GTRAIN" init csv rare-$rows.csv
  check "… is in each split" grep -q "^  split: stratified  # class 'yes' is rare (" rare-$rows.yaml
  check "… and measured" grep -q '^metrics: \[f1, balanced_accuracy\]' rare-$rows.yaml
  check "… with a threshold, or without" test "$(grep -c '^eval: {threshold: auto}' rare-$rows.yaml)" = $((rows == 1000))
  trains rare-$rows.yaml --quiet
done
# Of two classes that are not words such as yes and no, the rarer one is the positive one, of which metrics such as f1 are.
check "… and whose f1 it is" grep -q "; f1 is that of 'yes'$" rare-1000.yaml
check "no threshold has its reason" grep -q "^# No threshold .* which have 2 of class 'yes'; 5 are needed$" rare-200.yaml
awk -F, -v OFS=, 'NR > 1 { $2 = $2 == "yes" ? "no" : "yes" } 1' rare-1000.csv > rare-no.csv
exits 0 "the class 0 is rare" "$GTRAIN" init csv rare-no.csv
says "… whose f1 is not the one that is said" "f1, precision and recall are those of 'yes'"
check "… so that the mean is measured" grep -q "^metrics: \[f1_macro, balanced_accuracy\]  # .* f1 would be that of 'yes'" rare-no.yaml
check "… and chooses the threshold" grep -q "^eval: {threshold: {metric: f1_macro}}" rare-no.yaml
trains rare-no.yaml --quiet --set train.epochs=1
sed 's/yes$/fraud/; s/no$/ok/' rare-1000.csv > fraud.csv
exits 0 "two classes by name" "$GTRAIN" init csv fraud.csv
says "… of which the rarer one is measured" "task: classification, 2 classes; f1, precision and recall are those of 'fraud'"
check "… as the config names it" grep -q "^  positive: fraud  # f1, .* are those of 'fraud', the rarer class$" fraud.yaml
check "… which the config says again" grep -q "# the accuracy says little about a rare class; f1 is that of 'fraud'" fraud.yaml
exits 0 "a model that never finds it" "$GTRAIN" train fraud.yaml --device "$DEVICE" --quiet --run-dir run-fraud --set train.epochs=1 \
  --set optimizer=sgd --set optimizer.lr=1e-30 --set model.linear3.init=zeros --set eval.threshold=0.6 --fail-if 'f1!=0'
says "… is guessing" "no better than guessing: test f1 is 0, and always 'fraud' reaches "
check "yes needs no key" test "$(grep -c positive: rare-1000.yaml)" = 0
sed 's/yes$/NA/; s/no$/ok/' rare-1000.csv > na.csv
exits 0 "a class that may mean a missing value" "$GTRAIN" init csv na.csv
check "… is not named" test "$(grep -c positive: na.yaml)" = 0
says "… but still reported" "[missing_labels]"

# Rows in order of time are split in time.
awk 'BEGIN { print "time,wind,kind,temp"
  for (i = 0; i < 480; i++) { t += (i * 7919 % 101 - 50) / 25
    printf "2024-01-%02d %02d:00,%.1f,%s,%.2f\n", 1 + i / 24, i % 24, i * 37 % 101 / 10, (i % 24 == 5 && i < 300 ? "storm" : "calm"), t } }' > hours.csv
exits 0 "rows in order of time" "$GTRAIN" init csv hours.csv
says "… are said" "split: the last rows are the test rows, because the table is in order of time ('time')"
check "… and split in time" grep -q "^  split: last  # the rows are in order of time ('time')" hours.yaml
trains hours.yaml --quiet --set train.epochs=1
# Follows the comment on the series in CONFIG.
follow() {
  sed 's/.*# To predict from the rows before, too: \(series: {.*}\), and flatten.*/  \1/; s/^model:/model:\n  - flatten/
    '"$(grep -q "then remove .* from 'ignore'$" "$1" && echo '/^  ignore:/d')" "$1" > windows.yaml
  exits 0 "… as the series that $1 names" "$GTRAIN" check windows.yaml
}
follow hours.yaml
says "… of windows" "windows of 24 rows"
# The line fits the table: its rows, a column that counts them, several rows for each time; and the day of a date is
# known if the rows are in order in one reading alone.
awk 'function put(file, time, more) { print time "," i * 37 % 101 "," more i * 17 % 83 / 7 > file ".csv" }
  BEGIN { for (k = split("few either both same", table, " "); k; k--) print "day,x,y" > table[k] ".csv"
    print "time,x,y" > "counted.csv"; print "day,x,place,y" > "places.csv"
    for (i = 0; i < 80; i++) {
      put("few", sprintf("2024-%02d-%02d", 1 + i / 28, 1 + i % 28))
      put("either", sprintf("%02d/%02d/2024", 1 + i % 12, 1 + i / 12))
      put("both", sprintf("%02d/%02d/2024", 1 + i / 7, 1 + i / 7))
      put("counted", i)
      put("same", sprintf("2024-01-%02d", 1 + i / 3))
      put("places", sprintf("2024-01-%02d", 1 + i / 3), substr("abc", 1 + i % 3, 1) ",") } }'
for table in few counted places; do
  exits 0 "rows in order of time: $table" "$GTRAIN" init csv $table.csv -t y
  check "… name a series" grep -q '# To predict .* series: {time: ' $table.yaml
  follow $table.yaml
done
# Later dates than in training are expected, up to the span of those; far later ones are said with digits that differ.
trains few.yaml --quiet --set train.epochs=1
exits 0 "the last rows, of which no year and month was seen" "$GTRAIN" eval run-few.yaml/model.bin
check "… are nothing to warn of" test "${out/outside_training/}" = "$out"
sed 's/^2024/2026/' few.csv > far.csv
exits 0 "dates two years later" "$GTRAIN" predict run-few.yaml/model.bin far.csv
says "… are" "80 of 80 samples lie outside the range of the training data: 'day year' is 2026 to 2026.2, trained on 2024 to 2024.1"
says "… with what to do about dates" "help: check the dates; "
check "… with a group" grep -q 'series: {time: day, group: place, window: ' places.yaml
exits 0 "dates that are in order in one reading alone" "$GTRAIN" init csv either.csv -t y
says "… are read so" "'day': day_first, because the rows are then in order of time"
check "… also by the config" grep -q '^  columns: {day: {type: date, order: day_first}}  # read so, ' either.yaml
exits 0 "several rows for each time" "$GTRAIN" init csv same.csv -t y
check "… are no series" test "$(grep -c 'series:' same.yaml)$(grep -c 'split: last' same.yaml)" = 01
exits 0 "rows in order of time in both readings" "$GTRAIN" init csv both.csv -t y
says "… are split in time" "in order of time ('day', whichever number is the day)"
says "… but not read" "skipped 'day': day and month could be either way round"
# A split in time would leave a class out of training.
awk -F, -v OFS=, 'NR == 1 { print "day,x,kind" } NR > 1 { print $1, $2, (NR > 60 ? "b" : "a") }' few.csv > late.csv
exits 0 "a class that begins late" "$GTRAIN" init csv late.csv
says "… is the reason for another split" "split: stratified, although the table is in order of time ('day'): the first rows, on which a split in time trains, have no class 'b'"
check "… also in the config" grep -q "^  split: stratified  # the rows are in order of time ('day'), but .* have no class 'b'" late.yaml
exits 0 "a rare class that the last rows do not have" "$GTRAIN" init csv hours.csv -t kind -o kind.yaml
says "… is said" "the test split has no sample of class 'storm' [missing_class]"
check "… gets no threshold that could not be chosen" test "$(grep -c '^eval' kind.yaml)" = 0
trains kind.yaml --quiet --set train.epochs=1
{ head -n 1 hours.csv; tail -n +2 hours.csv | sort -r; } > newest.csv
exits 0 "the newest rows first" "$GTRAIN" init csv newest.csv
says "… are to be reversed" "the table is in order of time ('time'), the newest rows first: reverse it and add split: last"
check "… as the config says" test "$(grep -c '^  split' newest.yaml)$(grep -c 'reverse the table and add split: last' newest.yaml)" = 01
awk 'BEGIN { print "Year,x,y"; for (i = 0; i < 90; i++) print 1930 + int(i / 2) "," i * 37 % 101 "," i * 17 % 83 / 7 }' > years.csv
exits 0 "years in numbers, of two rows each" "$GTRAIN" init csv years.csv
check "… are times" grep -q "^  split: last" years.yaml
# A table that is sorted by births or by durations was not recorded in that order.
awk 'BEGIN { print "birthdate,x,y" > "births.csv"; print "age,time,y" > "durations.csv"
  for (i = 0; i < 90; i++) { printf "%d-01-%02d,%d,%f\n", 1950 + i / 20, 1 + i % 20, i * 37 % 101, i * 17 % 83 / 7 > "births.csv"
    print 40 + i * 37 % 51 "," 4 + int(i * i / 29) "," i * 17 % 83 / 7 > "durations.csv" } }'
for table in births durations; do
  exits 0 "rows in order of $table" "$GTRAIN" init csv $table.csv -t y
  check "… are not split in time" test "$(grep -c 'in order of time' $table.yaml)" = 0
done
for table in 's/^Year/dose/' '3s/1930/1990/;5s/1931/1991/' '60,$s/19[5-7]/19/'; do
  sed "$table" years.csv > unordered.csv
  exits 0 "no times, or not in order: $table" "$GTRAIN" init csv unordered.csv --force
  check "… are split at random" test "$(grep -c 'split: last' unordered.yaml)" = 0
done
# One of three classes has only three of 200 rows; a random split would leave one of them for training.
awk 'BEGIN { print "x,kind"; for (i = 0; i < 200; i++) print (i * 37 % 101) / 101 "," (i == 7 || i == 100 || i == 150 ? "DC" : i % 2 ? "a" : "b") }' > rarest.csv
exits 0 "the rarest class" "$GTRAIN" init csv rarest.csv
check "… has its share of all rows" grep -q "# class 'DC' is rare (1.5 %)" rarest.yaml
check "… which is not a share for each split" grep -q "its 3 rows are not enough for all splits: validation has none" rarest.yaml
counts=$(sed -n 's/^# Classes, with their training samples: //p' rarest.yaml)
exits 0 "… and classes are counted" "$GTRAIN" check rarest.yaml
says "… as training counts them" "classes         ${counts:-none}"
printf 'dose,y\n' > units.csv; awk 'BEGIN { for (i = 0; i < 30; i++) print i " mg," i % 7 / 2 }' >> units.csv; sed -i 's/^dose/dose,x/; s/mg,/mg,1.5,/; s/,1.5,0$/,2.5,0/' units.csv
exits 0 "units" "$GTRAIN" init csv units.csv
says "… are the reason" "skipped 'dose': numbers with the unit 'mg'"

# A column that cannot be read does not affect the others.
awk 'BEGIN { print "day,when,colour,vast,x,cls"
  for (i = 0; i < 84; i++) printf "%02d/%02d/2024,2024-%02d-%02d,%s,%s,%.1f,%s\n", 1 + i * 5 % 12, 1 + i / 12, 1 + i / 12, 1 + i % 28, (i % 3 ? "red" : "blue"), (i == 5 ? "1e300" : i), i * 37 % 101, (i % 2 ? "a" : "b") }' > dates.csv
for target in cls x; do
  exits 0 "dates whose day and month could be either way round, for $target" "$GTRAIN" init csv dates.csv -t $target --force
  says "… are left out with the reason" "skipped 'day': day and month could be either way round"
  says "… as are numbers that are too large" "skipped 'vast': numbers that are too large for a 32-bit float"
  check "… alone" grep -q '^  ignore: \[day, vast\]' dates.yaml
  check "… with the line that decides" grep -q '^  # columns: {day: {type: date, order: day_first}}$' dates.yaml
done
sed 's/  # columns: {day/  columns: {day/; s/ignore: .*/ignore: [vast]/' dates.yaml > decided.yaml
exits 0 "… which reads the column" "$GTRAIN" check decided.yaml

# Rows without a target, as in a table whose last rows are to be predicted.
sed '2s/[^,]*$//; 5s/[^,]*$//' people.csv > unlabeled.csv
exits 0 "empty cells in the target" "$GTRAIN" init csv unlabeled.csv
says "… are counted" "skipped 2 rows in which 'size' is missing"
check "… and left out by the config" grep -q '^  columns: {size: {missing: drop}}  # leaves out 2 rows' unlabeled.yaml
trains unlabeled.yaml --quiet --set train.epochs=1
sed '2s/[^,]*$//; 5s/[^,]*$/-/' people.csv > dash.csv
refused 65 "an empty cell and a word for a missing value" "dash.csv:2:" csv dash.csv -o new.yaml
says "… is an error about the target, not about the text beside it" "missing label"

# Column and file names with any characters, and names that YAML would read as other types.
names='"a: b","#c","d ""e""",''"f, g",''-h," i",größe,yes,null,"[j]",*k,"l'"'"'m",~'
for target in 'a: b' '#c' 'd "e"' 'f, g' -h ' i' größe yes null '[j]' '*k' "l'm" '~'; do
  { echo "$names"; awk 'BEGIN { for (i = 0; i < 12; i++) { for (k = 0; k < 13; k++) printf "%s%.2f", k ? "," : "", (i * 7 + k * 3) % 11 + 0.5; print "" } }'; } > '-x: #1 "ü".csv'
  exits 0 "the column '$target'" "$GTRAIN" init csv --force --target="$target" -- '-x: #1 "ü".csv'
  says "… is found again" "target: '"
done
check "the config has the name of the table" test -f '-x: #1 "ü".yaml'
says "… which the next command can read" "next: gtrain train './-x: #1 \"ü\".yaml'"
exits 0 "… and trains" "$GTRAIN" train './-x: #1 "ü".yaml' --device "$DEVICE" --quiet --run-dir hostile --set train.epochs=2
printf 'a,true,123\n1.5,2,x y\n2.5,3,z\n1,2,z\n' > odd.csv
exits 0 "a table of three rows" "$GTRAIN" init csv odd.csv
trains odd.yaml --quiet
printf 'a;b;c\n1,5;2,5;1,25\n2,5;3,5;2,25\n3,5;1,5;0,25\n' > comma
exits 0 "decimal commas, and a name without an ending" "$GTRAIN" init csv comma
check "… whose format is in the config" grep -q '^  format: csv' comma.yaml
trains comma.yaml --quiet
check "on standard output" sh -c "'$GTRAIN' init csv odd.csv -o - 2> /dev/null | '$GTRAIN' check - > /dev/null"

# Errors.
cp odd.yaml before.yaml
exits 73 "an existing config" "$GTRAIN" init csv odd.csv
says "… is kept" "odd.yaml exists; --force replaces it"
check "… as it is" cmp odd.yaml before.yaml
exits 0 "… unless --force is given" "$GTRAIN" init csv odd.csv --force --target a
check "… and then replaced" sh -c '! cmp -s odd.yaml before.yaml'
cp odd.csv table.csv
exits 73 "a config that would replace its table" "$GTRAIN" init csv odd.csv --force -o ./odd.csv
says "… names the way out" "./odd.csv is the table itself; --output FILE"
ln odd.csv link.yaml
exits 73 "… also by another name" "$GTRAIN" init csv odd.csv --force -o link.yaml
check "… and the table stays" cmp odd.csv table.csv
mkfifo pipe.csv
exits 65 "a pipe" or_hangs "$GTRAIN" init csv pipe.csv
: > empty.csv
printf 'a\n1\n2\n' > single.csv
printf 'x,y\nred,1.5\nblue,2.5\n' > texts.csv
printf '\211PNG\r\n\032\n\0\0' > binary.csv
refused 65 "an empty file" "empty.csv is empty" csv empty.csv -o new.yaml
refused 65 "a single column" "the table has one column, 'a'" csv single.csv -o new.yaml
refused 65 "a binary file" "binary.csv:1:1: byte 0x89 is not UTF-8 text" csv binary.csv -o new.yaml
refused 74 "a missing file" "cannot open absent.csv" csv absent.csv -o new.yaml
refused 74 "a folder" "cannot read datasets" csv datasets -o new.yaml
refused 2 "two targets of a formula" "--target: a formula predicts one column, but 2 are given" formula several.csv -t price -t days -o new.yaml
refused 65 "inputs that are not numbers, for a formula" "texts.csv: no column except the target has numbers alone, which a formula needs" formula texts.csv -o new.yaml
refused 2 "an unknown kind" "did you mean 'csv'?" cvs odd.csv -o new.yaml
refused 2 "a table without a kind" "expected a kind before 'odd.csv'" odd.csv
refused 2 "no table" "gtrain init csv needs the FILE of a table" csv

# A pendulum's period, which does not depend on the mass, with noise of 0.2 % of each value.
awk 'function rand01() { return (state = state*16807 % 2147483647)/2147483647 } # gives the same numbers in every awk
BEGIN {
  state = 5
  print "length,gravity,mass,period"
  for (i = 0; i < 300; i++) {
    l = 0.1 + 1.9*rand01(); g = 1.6 + 23.4*rand01()
    noise = 0.002 * sqrt(-2*log(1 - rand01())) * cos(8*atan2(1, 1)*rand01())
    printf "%.6g,%.6g,%.6g,%.9g\n", l, g, 0.1 + 4.9*rand01(), 8*atan2(1, 1)*sqrt(l/g)*(1 + noise)
  }
}' > pendulum.csv
exits 0 "a formula" "$GTRAIN" init formula pendulum.csv --target period
exits 0 "… is found in a few seconds" within 8 "$GTRAIN" train pendulum.yaml --device cpu --quiet --run-dir pendulum
says "… in the names of the columns, without the mass" "period = 2*pi*sqrt(length)/sqrt(gravity)"
exits 0 "… as JSON" "$GTRAIN" train pendulum.yaml --device cpu --quiet --json \
  --set model.0.kan.units=1 --set 'train.phases=[{steps: 5}, {steps: 1, symbolic: {minimum_r2: 0}}]'
says "… too" '"formulas":["'
finish
