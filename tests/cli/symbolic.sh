#!/usr/bin/env bash
# Edges of a Kolmogorov-Arnold network become functions at the start of a phase, and their constants are trained
# further. The network of pykan's example becomes the formula itself, also in a resumed run. Edges by name, edges that
# no function fits, pruning afterwards; evaluating, explaining and drawing such a model; errors and their positions.
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/run.yaml" << 'YAML'
seed: 4
data: {formula: "exp(sin(pi*x0) + x1^2)", range: [-1, 1], samples: 400, test_samples: 400}
model:
  - kan: {units: 1, grid: 5, noise: 0.3, spline_scale: false}
  - kan: {units: 1, grid: 8, noise: 0.3, spline_scale: false, range: [-3, 3]}
loss: mse
optimizer: {type: lbfgs, history_size: 100, tolerance_change: 0}
train:
  batch_size: 400
  eval_every: 50
  checkpoint: {every: 20, keep_last: 100}
  phases:
    - {steps: 100}
    - {steps: 60, symbolic: auto, optimizer.any_curvature: true}
YAML
config=$TEST_TMP/run.yaml
train() { "$GTRAIN" train "$config" --device "$DEVICE" --run-dir "$TEST_TMP/$1" "${@:2}"; }
rmse() { # MODEL: the error of the network on samples of the formula
  "$GTRAIN" eval "$1" --device "$DEVICE" --json | sed 's/.*"loss": *\([^,}]*\).*/\1/' | awk '{ print sqrt($1) }'
}
below() { awk -v x="$1" -v y="$2" 'BEGIN { exit !(x <= y) }'; }

exits 0 "a run with a symbolic fit" train whole
says "… says so of the first layer" "kan1: 2 of 2 edges replaced by functions: 0 -> 0 is sin (1 - R² "
says "… and of the second" "kan2: 1 of 1 edges replaced by functions: 0 -> 0 is exp (1 - R² "
model=$TEST_TMP/whole/model.bin
error=$(rmse "$model")
check "the network is the formula: RMSE $error" below "$error" 1e-5
before=$(rmse "$TEST_TMP/whole/unsnapped.bin")
check "… which its splines were not: $before" below 1e-4 "$before"
"$GTRAIN" inspect "$model" > "$TEST_TMP/tensors"
for name in scale_in shift_in scale_out shift_out; do
  check "it has $name of two edges" grep -Eq "kan1.symbolic_$name +f32 +\[2\]" "$TEST_TMP/tensors"
done
check "its config names them" grep -q -- '- \[1, 0, x^2\]' "$TEST_TMP/tensors"
exits 0 "its formula" "$GTRAIN" explain "$model" --edges --fail-if 'rmse>1e-6' --fail-if 'network_rmse>1e-5'
says "… is what the samples were made by" "exp(sin(pi*x0) + x1^2)"
says "… by the edges' own functions alone" "1-r2 0
edge kan1 1 -> 0"
exits 0 "its drawing" "$GTRAIN" explain "$TEST_TMP/whole/unsnapped.bin" "$model" --no-formula --svg "$TEST_TMP/a.svg"
for name in sin 'x^2' exp; do check "… names $name" test "$(grep -c ">$name<" "$TEST_TMP/a.svg")" = 1; done
printf '0.5,0.25\n-0.1,0.9\n' > "$TEST_TMP/two.csv"
exits 0 "predictions" "$GTRAIN" predict "$model" --device "$DEVICE" --input "$TEST_TMP/two.csv"
check "… are the formula's: $out" awk -v out="$out" 'BEGIN {
  split(out, y, /[^-0-9.e+]+/); pi = atan2(0, -1); n = 0
  for (i in y) if (y[i] != "") v[n++] = y[i] + 0
  for (i = 0; i < n; i++) { a = v[i] - exp(sin(pi * 0.5) + 0.0625); b = v[i] - exp(sin(-pi * 0.1) + 0.81)
    first = first || a * a < 1e-9; second = second || b * b < 1e-9 }
  exit !(first && second) }'

# A run resumed from each checkpoint, in both phases, ends with the same bytes.
goes_on whole

# Edges by name, with Adam and a moving average; a spline edge is trained further on a finer grid; then pruning
# renumbers the edges.
cat > "$TEST_TMP/named.yaml" << 'YAML'
seed: 3
data: {formula: "exp(sin(pi*x0) + x1^2)", range: [-1, 1], samples: 300, test_samples: 100}
model:
  - kan: {units: 3, grid: 5, noise: 0.3}
  - kan: {units: 1, grid: 5, noise: 0.3, range: [-3, 3]}
loss: mse
optimizer: {type: adam, lr: 1e-2, ema: 0.9}
train:
  batch_size: 100
  eval_every: 1
  checkpoint: {every: 1, keep_last: 100}
  phases:
    - {epochs: 4}
    - {epochs: 2, symbolic: {edges: [[kan1, 1, 2, x^2], [kan1, 0, 0, sin], [kan2, 2, 0]], minimum_r2: 0}, model.0.kan.grid: 8}
    - {epochs: 2, prune: {nodes: 2, node: 0, edge: 0}}
    - {epochs: 2, symbolic: {minimum_r2: 1, together: true, library: [x, x^2, sin, tanh, exp]}}
YAML
config=$TEST_TMP/named.yaml
exits 0 "a run with a symbolic fit of some edges" train named
says "… says which" "kan1: 2 of 6 edges replaced by functions: 0 -> 0 is sin ("
says "… and, in the end, what nothing explains enough" "; splines kept"
"$GTRAIN" inspect "$TEST_TMP/named/model.bin" > "$TEST_TMP/tensors"
check "a finer grid is next to them" grep -Eq 'kan1.coefficients +f32 +\[1, 12, 2, 2\]' "$TEST_TMP/tensors"
check "some function is left by pruning" grep -Eq 'symbolic_scale_in +f32 +\[[12]\]' "$TEST_TMP/tensors"
check "… with a number that there is" sh -c "! grep -Eq -- '- \[[0-9], [2-9], |- \[[2-9], ' '$TEST_TMP/tensors'"
loss=$("$GTRAIN" eval "$TEST_TMP/named/model.bin" --device "$DEVICE" --json | sed 's/.*"loss": *\([^,}]*\).*/\1/')
network=$("$GTRAIN" explain "$TEST_TMP/named/model.bin" --functions x --json | sed 's/.*"network_rmse": *\([^,}]*\).*/\1/')
check "on the host it has the error of an evaluation, $loss" \
  awk -v l="$loss" -v r="$network" 'BEGIN { exit !(r * r > l * 0.9999 && r * r < l * 1.0001) }'
goes_on named

# Functions that are known in advance are set in the model, without a phase.
sed -e '/phases:/,$d' -e 's/  eval_every.*/  steps: 60/' -e '/checkpoint/d' \
  -e 's/units: 1, grid: 5/units: 1, symbolic: [[0, 0, sin], [1, 0, x^2]]/; s/units: 1, grid: 8/units: 1, symbolic: [[0, 0, exp]]/' \
  -e 's/tolerance_change: 0/&, any_curvature: true/' "$TEST_TMP/run.yaml" > "$TEST_TMP/known.yaml"
config=$TEST_TMP/known.yaml
exits 0 "functions from the first step" train known --quiet
error=$(rmse "$TEST_TMP/known/model.bin")
check "… are learned: RMSE $error" below "$error" 1e-5

# Errors and their positions.
refused() { # NAME EDIT PLACE TEXT…
  local text name=$1
  sed "$2" "$TEST_TMP/run.yaml" > "$TEST_TMP/bad.yaml"
  exits 78 "$name" "$GTRAIN" check "$TEST_TMP/bad.yaml"
  says "… says where" "bad.yaml:$3: error: "
  shift 3
  for text in "$@"; do says "… says what" "$text"; done
}
refused "a symbolic fit before training" 's/{steps: 100}/{steps: 100, symbolic: auto}/' 13:30 "nothing has been trained yet"
refused "an unknown setting" 's/symbolic: auto/symbolic: {minimun_r2: 0.9}/' 14:30 "did you mean 'minimum_r2'?"
refused "an R2 above 1" 's/symbolic: auto/symbolic: {minimum_r2: 1.5}/' 14:42 "minimum_r2"
refused "an unknown function" 's/symbolic: auto/symbolic: {library: [x, sine]}/' 14:43 "there is no function 'sine'" "did you mean 'sin'?"
refused "edges that are none" 's/symbolic: auto/symbolic: some/' 14:29 "this is not a list of edges"
refused "half an edge" 's/symbolic: auto/symbolic: [[kan1, 0]]/' 14:30 "this is not an edge"
refused "an unknown layer" 's/symbolic: auto/symbolic: [[kan3, 0, 0]]/' 14:31 "there is no layer 'kan3'"
refused "an input too many" 's/symbolic: auto/symbolic: [[kan1, 2, 0]]/' 14:37 "the layer has no such input"
refused "an output too many" 's/symbolic: auto/symbolic: [[kan1, 0, 1, sin]]/' 14:40 "the layer has no such output"
refused "a named edge of an unknown function" 's/symbolic: auto/symbolic: [[kan1, 0, 0, bessel]]/' 14:43 "there is no function 'bessel'"
refused "pruning at once" 's/symbolic: auto/prune: {}, symbolic: auto/' 14:40 "a phase can start with 'prune' or 'symbolic', not with both"
refused "a layer that is not a KAN" 's/^  - kan: {units: 1, grid: 8.*/  - linear: 1/' 14:29 "'symbolic' needs a model of KAN layers: layer 'linear1' is of type 'linear'"
refused "a layer norm" 's/grid: 8/grid: 8, input_norm: layer_norm/' 14:29 "has a layer norm"
refused "an edge of a layer that is not there" 's/grid: 5/grid: 5, symbolic: [[0, 3, sin]]/' 4:45 "layer 'kan1' has no such output"
finish
