#!/usr/bin/env bash
# On a terminal, a run ends with a suggestion for the next command, which depends on the kind of model. The command
# works.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/terminal.sh
source "$(dirname "$0")/../support/terminal.sh"
export TERM=xterm NO_COLOR=1
# next NAME COMMAND [OPTION…]: a run of NAME.yaml suggests this command, in which the path is quoted for a shell.
next() {
  local name=$1 command=$2 run="$TEST_TMP/run of $1"
  shift 2
  sent 80 "$name" "$GTRAIN" train "$TEST_TMP/$name.yaml" --device cpu --run-dir "$run" "$@"
  check "$name: trained" test "$code" = 0
  said=$(tr -d '\r' < "$TEST_TMP/$name" | tail -n 1)
  check "$name: $command is next" test "$said" = "next: gtrain $command '$run/model.bin'"
  exits 0 "… and works" bash -c "\"\$0\" ${said#next: gtrain }" "$GTRAIN"
}
cat > "$TEST_TMP/mlp.yaml" << 'YAML'
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2}
model: [{linear: 10}]
train: {epochs: 1}
YAML
cat > "$TEST_TMP/kan.yaml" << 'YAML'
data: {formula: x0 + x1, range: [-1, 1], samples: 100, test_samples: 10}
model: [{kan: 1}]
loss: mse
train: {epochs: 1}
YAML
cat > "$TEST_TMP/mixed.yaml" << 'YAML'
data: {formula: x0 + x1, range: [-1, 1], samples: 100, test_samples: 10}
model: [{linear: 4}, {kan: 1}]
loss: mse
train: {epochs: 1}
YAML
cat > "$TEST_TMP/life.yaml" << 'YAML'
data: {format: ca, grid: [3, 3], start: boards, target: life}
model: [{logic_ca: {steps: 1, periodic: true, kernels: 4, perception: [8, 4, 2, 1], update: [8, 4, 2, 1]}}]
loss: sum_squared
train: {steps: 2}
YAML
next mlp eval
next kan explain
next mixed eval
next life simulate
sent 80 quiet "$GTRAIN" train "$TEST_TMP/mlp.yaml" --device cpu --run-dir "$TEST_TMP/quiet-run" --quiet
check "--quiet: nothing is" test "$(grep -c '^next' "$TEST_TMP/quiet")" = 0
exits 0 "without a terminal" "$GTRAIN" train "$TEST_TMP/mlp.yaml" --device cpu --run-dir "$TEST_TMP/file-run"
check "… neither" test "${out#*next: }" = "$out"
finish
