#!/usr/bin/env bash
# Warnings that a formula is doubtful: each appears for samples that cause it, names the affected output, and does not
# appear for other samples.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

# Usage: network NAME DATA [UNITS GRID LOSS]: trains a network of one layer on NAME.csv.
network() {
  cat > "$TEST_TMP/$1.yaml" << YAML
seed: 1
data: {train: "$TEST_TMP/$1.csv", $2}
model: [{kan: {units: ${3:-1}, grid: ${4:-3}, range: [-1, 2]}}]
loss: ${5:-mse}
optimizer: lbfgs
train: {steps: 30, batch_size: 1000}
YAML
  exits 0 "$1" "$GTRAIN" train "$TEST_TMP/$1.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/$1"
}
no_pattern() { check "… leave no pattern" test "${out/residuals/}" = "$out"; }
# Random numbers in (0, 1) that are the same in every awk.
random='function random() { state = (state * 1103515 + 12345) % 1048573; return (state + 0.5) / 1048573 } BEGIN { state = 7;'

# The check for similar residuals of neighbors: duplicate rows do not count as neighbors, but rows with equal inputs and
# different outputs do.
awk "$random"' print "a,b,y"; for (k = 0; k < 80; k++) { a = random(); b = random(); row = a "," b "," 2 * a + b * b + (random() - 0.5) / 5; print row; print row } }' \
  > "$TEST_TMP/twice.csv"
network twice 'task: regression'
exits 0 "rows that stand twice" "$GTRAIN" explain "$TEST_TMP/twice" --functions 'x,x^2'
no_pattern
awk "$random"' print "a,y"; for (k = 0; k < 120; k++) { a = k % 6 / 3 - 1; print a "," a * a * a * a + (random() - 0.5) / 5 } }' > "$TEST_TMP/again.csv"
network again 'task: regression'
exits 0 "values that were measured again and again" "$GTRAIN" explain "$TEST_TMP/again" --functions x
says "… do" "this formula is doubtful: its residuals show structure: nearby samples have similar residuals"
exits 0 "… but not with the right function" "$GTRAIN" explain "$TEST_TMP/again" --functions x^4
no_pattern

# There are no more samples than constants; a single held-out sample proves nothing.
printf 'a,b,y\n0.1,0.5,1\n0.7,0.2,0.3\n0.4,0.9,0.6\n' > "$TEST_TMP/few.csv"
printf 'a,b,y\n0.2,0.3,0.4\n' > "$TEST_TMP/one.csv"
network few "test: \"$TEST_TMP/one.csv\", task: regression"
exits 0 "three samples" "$GTRAIN" explain "$TEST_TMP/few" --functions 'x,x^2'
says "… are too few" "this formula is doubtful: too few training samples (3) for its constants ("
check "… and one of test is, too" test "${out/held-out/}" = "$out"

# With several outputs, only the doubtful one is named; outputs may differ in scale.
awk "$random"' print "a,y,z"; for (k = 0; k < 100; k++) { a = 2 * random() - 1; print a "," 500 * a + 100 * (random() - 0.5) "," 0.003 * a * a } }' \
  > "$TEST_TMP/two.csv"
network two 'target: [y, z], test_fraction: 0.3, task: regression' 2
exits 0 "a large output with noise and a small one" "$GTRAIN" explain "$TEST_TMP/two" --functions x --json
says "… of which one is doubted" '"text":"the formula of y1 is doubtful: its residuals'
check "… alone" test "${out/of y0/}" = "$out"
exits 0 "… but not with the right functions" "$GTRAIN" explain "$TEST_TMP/two" --functions 'x,x^2'
says "… which are found" "y1 = 0.003*a^2"
no_pattern

# A classifier has one formula per output.
awk "$random"' print "a,b,y"; for (k = 0; k < 100; k++) { a = 2 * random() - 1; b = 2 * random() - 1; print a "," b "," (a * a + b * b < 0.5 ? "in" : "out") } }' \
  > "$TEST_TMP/classes.csv"
network classes 'target: y' 2 3 cross_entropy
exits 0 "a classifier in lines" "$GTRAIN" explain "$TEST_TMP/classes" --functions x
says "… explains little of its outputs" "the formula of y0 is doubtful: it explains only "
says "… of both" "of the variance of the network's output on training samples; also doubtful: y1 "
exits 0 "a classifier in functions that suit it" "$GTRAIN" explain "$TEST_TMP/classes"
check "… explains enough" test "${out/explains only/}" = "$out"

# The formula is undefined at a test sample.
awk 'BEGIN { print "a,y"; for (a = 0.5; a < 1.5; a += 0.02) print a "," log(a - 0.4) }' > "$TEST_TMP/log.csv"
printf 'a,y\n0.6,-1.609\n0.3,-3\n0.9,-0.69\n' > "$TEST_TMP/below.csv"
network log "test: \"$TEST_TMP/below.csv\", task: regression" 1 5
exits 65 "a formula without a value" "$GTRAIN" explain "$TEST_TMP/log" --functions log
says "… says where" "this formula is doubtful: it has no finite value at 1 of 3 test samples"
says "… and no number" "test samples 3 rmse not finite (network "
exits 65 "… in JSON" "$GTRAIN" explain "$TEST_TMP/log" --functions log --json
says "… is null" '"test":{"samples":3,"rmse":null,"network_rmse":'
finish
