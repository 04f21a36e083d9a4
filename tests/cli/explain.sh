#!/usr/bin/env bash
# A Kolmogorov-Arnold network from training to a formula: pruned at the start of a phase, also in a resumed run;
# explained in all output formats; drawn; and errors for networks that cannot be pruned or explained.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/run.yaml" << 'YAML'
seed: 4
data: {formula: "exp(sin(pi*x0) + x1^2)", range: [-1, 1], samples: 400, test_samples: 400}
model:
  - kan: {units: 4, grid: 5, noise: 0.3, spline_scale: false}
  - kan: {units: 1, grid: 5, noise: 0.3, spline_scale: false, range: [-3, 3]}
loss: mse
optimizer: {type: lbfgs, history_size: 100, tolerance_change: 0}
train:
  batch_size: 400
  eval_every: 50
  checkpoint: {every: 50, keep_last: 100}
  phases: [{steps: 100}, {steps: 60, prune: {node: 5e-2, edge: 3e-2}}, {steps: 100, model.0.kan.grid: 10, model.1.kan.grid: 10}]
YAML
train() { "$GTRAIN" train "$TEST_TMP/run.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$1" "${@:2}"; }
exits 0 "a run that prunes" train whole
says "… says so" "pruned 'kan1': "
model=$TEST_TMP/whole/model.bin
"$GTRAIN" inspect "$model" > "$TEST_TMP/tensors"
check "the model is narrower" grep -Eq 'kan1.mask +f32 +\[1, 1, 2, [1-3]\]' "$TEST_TMP/tensors"
check "… in its config, too" sh -c "! grep -q 'units: 4' '$TEST_TMP/tensors'"
exits 0 "what it was before is kept" "$GTRAIN" inspect "$TEST_TMP/whole/unpruned.bin"
says "… as wide as it was" "units: 4"

goes_on whole

# The formula.
exits 0 "the formula" "$GTRAIN" explain "$model" --fail-if 'rmse>1e-5'
says "… is what the samples were made by" "exp(sin(pi*x0) + x1^2)"
exits 0 "in LaTeX" "$GTRAIN" explain "$model" --latex
says "… with its braces" 'e^{\sin\left(\pi \, x_{0}\right) + x_{1}^{2}}'
exits 1 "a gate that fails" "$GTRAIN" explain "$model" --fail-if 'network_rmse>1e-9'
exits 0 "as JSON" "$GTRAIN" explain "$model" --json
says "… with its error" '"rmse":'
exits 0 "with its edges" "$GTRAIN" explain "$model" --edges
says "… and their scores" "edge kan1 0 -> 0, score "
expression=$("$GTRAIN" explain "$model" --expression)
sed "s/formula: \"[^\"]*\"/formula: \"$expression\"/" "$TEST_TMP/run.yaml" > "$TEST_TMP/told.yaml"
exits 0 "the expression is a formula of data" "$GTRAIN" check "$TEST_TMP/told.yaml"
cat > "$TEST_TMP/layer.yaml" << YAML
data: {inputs: {x0: [0.5, 0.25], x1: [1, 0.5]}, targets: [[1], [2]]}
model: [{expression: {expression: "$expression", from: [x0, x1]}}, {linear: 1}]
YAML
exits 0 "… and a layer" "$GTRAIN" check "$TEST_TMP/layer.yaml"
# --pareto lists formulas from simple to exact: each is more complex and has a smaller error than the one before; the
# formula above and simpler ones are among them.
exits 0 "alternatives" "$GTRAIN" explain "$model" --pareto --functions 'x,x^2,sin,exp'
says "… with the formula" "exp(sin(pi*x0) + x1^2)"
check "… and simpler ones with larger errors" awk 'NR > 1 && !/^\*/ {
    own = $2 == "*" ? $3 : $2
    if (NR > 2 && ($1 <= complexity || own >= rmse)) exit 1
    complexity = $1; rmse = own; chosen += $2 == "*"; count++
  } END { exit !(count > 2 && chosen == 1) }' <<< "$out"
starred=$(sed -n 's/^ *[0-9]* \* .*  //p' <<< "$out")
exits 0 "… of which the starred one" "$GTRAIN" explain "$model" --functions 'x,x^2,sin,exp'
says "… is printed without --pareto" "$starred
train samples"
exits 2 "… and none" "$GTRAIN" explain "$model" --pareto --no-formula
exits 0 "… as JSON" "$GTRAIN" explain "$model" --pareto --json --functions x
says "… a row each" '{"pareto":[{"complexity":1,"chosen":false,"train":{"rmse":'
exits 0 "of few functions" "$GTRAIN" explain "$model" --functions 'x,x^2,tanh'
exits 2 "of one that there is not" "$GTRAIN" explain "$model" --functions x,bessel
says "… says which" "'bessel'"

# explain evaluates the network in double precision: for each basis, its error equals that of `gtrain eval`.
for basis in 'bspline, base: tanh' 'chebyshev' 'fourier' 'rbf, input_norm: tanh' 'wavelet' 'piecewise_linear, base: identity' \
  'bspline, grid_update: {every: 5}' 'sinc, learn_centres: true' 'rswaf, input_norm: none, learn_widths: true, width: 0.4' 'fourier, learn_frequencies: true'; do
  name=${basis//[^a-z_]/}
  sed "s/kan: {units: \([0-9]*\).*/kan: {units: \1, basis: $basis}/; /phases/d; /checkpoint/d; s/eval_every: 50/steps: 15/" \
    "$TEST_TMP/run.yaml" > "$TEST_TMP/$name.yaml"
  exits 0 "$basis" "$GTRAIN" train "$TEST_TMP/$name.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/$name"
  loss=$("$GTRAIN" eval "$TEST_TMP/$name/model.bin" --device "$DEVICE" --json | sed 's/.*"loss": *\([^,}]*\).*/\1/')
  rmse=$("$GTRAIN" explain "$TEST_TMP/$name/model.bin" --functions x --json | sed 's/.*"network_rmse": *\([^,}]*\).*/\1/')
  check "… has the error of an evaluation, $loss" awk -v l="$loss" -v r="$rmse" 'BEGIN { exit !(r * r > l * 0.9999 && r * r < l * 1.0001) }'
done

# The plot.
exits 0 "two networks and the formula are drawn" "$GTRAIN" explain "$TEST_TMP/whole/unpruned.bin" "$model" \
  --svg "$TEST_TMP/a.svg" --png "$TEST_TMP/a.png"
says "… and both files are named" "drawing written to $TEST_TMP/a.svg and $TEST_TMP/a.png"
before=$(cksum < "$TEST_TMP/a.png")
for name in a.png ./a.png new; do
  exits 2 "one file for both" "$GTRAIN" explain "$TEST_TMP/whole/unpruned.bin" --no-formula --svg "$TEST_TMP/${name##*/}" --png "$TEST_TMP/$name"
  says "… is refused" "would be written twice; choose another file"
done
check "… and keeps what it holds" test "$before" = "$(cksum < "$TEST_TMP/a.png")"
check "… as a PNG" sh -c "head -c 8 '$TEST_TMP/a.png' | od -An -tx1 | grep -q '89 50 4e 47 0d 0a 1a 0a'"
check "… as an SVG, which names functions" sh -c "grep -q '>sin<' '$TEST_TMP/a.svg' && grep -q '>x^2<' '$TEST_TMP/a.svg' && grep -q '>exp<' '$TEST_TMP/a.svg'"
check "… in whole elements" test "$(grep -c '<text' "$TEST_TMP/a.svg")" = "$(grep -c '</text>' "$TEST_TMP/a.svg")"
exits 0 "only drawn" "$GTRAIN" explain "$TEST_TMP/whole/unpruned.bin" --no-formula --svg "$TEST_TMP/b.svg"
check "… without a formula" sh -c "! grep -q formula '$TEST_TMP/b.svg'"

# A table: columns by name, one of them constant; and a formula that is doubtful, because a linear function is fitted to
# a square.
awk 'BEGIN { print "\"length\n(m)\",ones,area"; for (k = 0; k < 60; k++) { x = k / 30 - 1; print x ",1," x * x / 2 + 3 } }' \
  > "$TEST_TMP/table.csv"
cat > "$TEST_TMP/table.yaml" << YAML
data: {train: "$TEST_TMP/table.csv", test_fraction: 0.25, task: regression}
model: [{kan: {units: 1, grid: 5}}]
loss: mse
optimizer: lbfgs
train: {steps: 20, batch_size: 45}
YAML
exits 0 "a network of a table" "$GTRAIN" train "$TEST_TMP/table.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/table"
exits 0 "its formula" "$GTRAIN" explain "$TEST_TMP/table/model.bin" --edges
says "… has the names of columns" "0.5*length__m_^2 + 3"
says "… which it reports" "length__m_ is the column 'length\\x0a(m)'"
says "… and the constant one in its constant" ": constant, added to the constant term"
check "… and is not doubted" test "${out/doubtful/}" = "$out"
exits 0 "its expression" "$GTRAIN" explain "$TEST_TMP/table/model.bin" --expression
says "… is of x0" "0.5*x0^2 + 3"
exits 0 "a line in its place" "$GTRAIN" explain "$TEST_TMP/table/model.bin" --functions x
says "… is doubted" "warning: this formula is doubtful: its residuals show structure"
exits 0 "… as JSON" "$GTRAIN" explain "$TEST_TMP/table/model.bin" --functions x --json
says "… is doubted as well" '"name":"doubtful_formula"'
says "… and names its inputs" '"inputs":["length__m_","ones"]'

# If the outputs are logits, or the solution of a differential equation, the formula describes the outputs, not the
# targets.
awk 'BEGIN { print "a,y"; for (x = -1; x < 1; x += 0.025) printf "%.6f,%.7f\n", x, 1 / (1 + exp(-2 * x - 0.5)) }' > "$TEST_TMP/logit.csv"
cat > "$TEST_TMP/logit.yaml" << YAML
seed: 1
data: {train: "$TEST_TMP/logit.csv", target: y, task: regression}
model: [{kan: {units: 1, grid: 3}}]
loss: bce
optimizer: lbfgs
train: {batch_size: 80, phases: [{steps: 60}, {steps: 1, symbolic: {together: true, library: [x, x^2, sigmoid, tanh]}}]}
YAML
exits 0 "logits" "$GTRAIN" train "$TEST_TMP/logit.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/logit"
says "… become functions by the outputs" "1 of 1 edges replaced by functions: 0 -> 0 is x ("
exits 0 "… are explained" "$GTRAIN" explain "$TEST_TMP/logit/unsnapped.bin"
says "… not their targets" "2*a + 0.5
the formula is fitted to the network's outputs: loss 'bce' does not train them to equal the targets"
cat > "$TEST_TMP/ode.yaml" << 'YAML'
seed: 1
data: {format: function, formula: "0*x", range: [-1, 1], points: even, samples: 64, test_samples: 64}
model: [{kan: {units: 1, grid: 4, degree: 5}}]
loss:
  type: pde
  residual: "u_xx - 2"
  conditions: [{at: {x: -1}, residual: "u - 1", weight: 10}, {at: {x: 1}, residual: "u - 1", weight: 10}]
optimizer: {type: lbfgs, tolerance_change: 0}
train: {batch_size: 64, steps: 40}
YAML
exits 0 "an equation" "$GTRAIN" train "$TEST_TMP/ode.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/ode"
exits 0 "… is explained" "$GTRAIN" explain "$TEST_TMP/ode"
says "… by its solution" "x0^2
the formula is fitted to the network's outputs: loss 'pde'"
exits 0 "… but to targets that are weighed" "$GTRAIN" explain "$TEST_TMP/ode" --set loss.targets=1
says "… which are 0" "0
train samples 64 rmse 0 (network 0.4"

# Errors.
refused() {
  sed "$2" "$TEST_TMP/run.yaml" > "$TEST_TMP/bad.yaml"
  exits 78 "$1" "$GTRAIN" check "$TEST_TMP/bad.yaml"
  says "… says why" "$3"
}
refused "pruning an untrained network" 's/{steps: 100}/{steps: 100, prune: {}}/' "nothing has been trained yet"
refused "pruning what is no KAN" 's/^  - kan: {units: 1.*/  - linear: 1/; s/, model.1.kan.grid: 10//' "'prune' needs a model of KAN layers: layer 'linear1' is of type 'linear'"
refused "an unknown limit" 's/edge: 3e-2/egde: 3e-2/' "did you mean 'edge'?"
sed 's/^  - kan.*//; s/^model:/model: [{linear: 1}]/; /phases/d; s/eval_every: 50/steps: 2/' "$TEST_TMP/run.yaml" > "$TEST_TMP/linear.yaml"
exits 0 "a model that is not a KAN" "$GTRAIN" train "$TEST_TMP/linear.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/linear"
exits 65 "… is not explained" "$GTRAIN" explain "$TEST_TMP/linear/model.bin"
says "… says which layer" "formulas need a model made of KAN layers; 'linear1' is a linear layer"
finish
