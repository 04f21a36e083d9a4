#!/usr/bin/env bash
# Networks trained to solve differential equations: the solution; losses compared with closed formulas; and errors,
# which name the layer that prevents a derivative.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

# u'' = -pi^2 sin(pi x), with u = 0 at both ends; few points and few steps.
cat > "$TEST_TMP/line.yaml" << 'YAML'
seed: 1
data: {format: function, formula: "sin(pi*x)", range: [-1, 1], samples: 64, test_samples: 64}
model: [{kan: {units: 2, grid: 4, degree: 5, spline_scale: false}}, {kan: {units: 1, grid: 4, degree: 4, spline_scale: false}}]
loss:
  type: pde
  residual: "u_xx + pi^2*sin(pi*x)"
  conditions: [{at: {x: -1}, residual: u, weight: 10}, {at: {x: 1}, residual: u, weight: 10}]
optimizer: {type: lbfgs, tolerance_change: 0}
train: {batch_size: 64, steps: 60, eval_every: 60}
YAML
exits 0 "a line" "$GTRAIN" train "$TEST_TMP/line.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/line"
says "the solution judges" "rmse"
exits 0 "the line is found" "$GTRAIN" eval "$TEST_TMP/line/model.bin" --device "$DEVICE" --json --fail-if 'rmse>0.01' --fail-if 'loss>0.05'
says "as a metric" '"rmse":'
exits 0 "its config is whole" "$GTRAIN" check "$TEST_TMP/line/config.yaml"
printf "x\n0.5\n" > "$TEST_TMP/points.csv"
exits 0 "it predicts" "$GTRAIN" predict "$TEST_TMP/line/model.bin" --input "$TEST_TMP/points.csv" --device "$DEVICE"
exits 0 "other bases" "$GTRAIN" train "$TEST_TMP/line.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/bases" \
  --set 'model=[{kan: {units: 3, basis: rbf, input_norm: none}}, {kan: {units: 1, basis: chebyshev}}]'
exits 0 "… learn, too" "$GTRAIN" eval "$TEST_TMP/bases/model.bin" --device "$DEVICE" --fail-if 'rmse>0.05'
exits 0 "in several batches" "$GTRAIN" train "$TEST_TMP/line.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/parts" \
  --set train.batch_size=20 --set train.steps=10
exits 0 "stopped by the solution" "$GTRAIN" train "$TEST_TMP/line.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/stopped" \
  --set 'train={batch_size: 64, steps: 500, eval_every: 5, early_stopping: {metric: rmse, goal: 0.05}}'
exits 0 "… that soon" "$GTRAIN" eval "$TEST_TMP/stopped/model.bin" --device "$DEVICE" --fail-if 'rmse>0.05'
exits 0 "a basis whose base reads another input" "$GTRAIN" check "$TEST_TMP/line.yaml" --set 'model=[{linear: 3}, {kan: {units: 1, basis: rbf}}]'

# A model that computes u = (w x)^3 sin(2 t) with w = 1: its derivatives are known formulas, and the loss is the mean of
# the squared residual at the samples.
cat > "$TEST_TMP/formula.yaml" << 'YAML'
seed: 1
data:
  inputs: [[0.5, 0.25], [-1, 0.5], [2, -1], [0.75, 1.5]]
  targets: [[0], [0], [0], [0]]
model:
  - shrink: {stop: [1], from: input, name: space}
  - shrink: {start: [1], stop: [2], from: input, name: time}
  - linear: {units: 1, init: {type: constant, value: 1}, bias: false, from: space, name: scale}
  - expression: {expression: "x0^3 * sin(2*x1)", from: [scale, time]}
loss: {type: pde, inputs: [x, t], residual: RESIDUAL}
optimizer: {type: sgd, lr: 1e-30}
train: {batch_size: 4, steps: 1}
YAML
# comes_to NAME RESIDUAL FORMULA: the loss is the mean square of FORMULA, an awk expression of x and t.
comes_to() {
  sed "s|RESIDUAL|\"$2\"|" "$TEST_TMP/formula.yaml" > "$TEST_TMP/one.yaml"
  exits 0 "$1" "$GTRAIN" train "$TEST_TMP/one.yaml" --device "$DEVICE" --quiet --json --run-dir "$TEST_TMP/$1"
  check "$1: its loss" awk -v got="$(sed 's/.*"train":{"loss":\([^,}]*\).*/\1/' <<< "$out")" "
    function value(x, t) { return $3 }
    function square(x, t) { return value(x, t) ^ 2 }
    BEGIN {
      want = (square(0.5, 0.25) + square(-1, 0.5) + square(2, -1) + square(0.75, 1.5)) / 4
      exit !(got - want < 2e-5 * want && want - got < 2e-5 * want)
    }"
}
comes_to first 'u_x - t' '3*x^2*sin(2*t) - t'
comes_to second 'u_xx + x*u' '6*x*sin(2*t) + x^4*sin(2*t)'
comes_to mixed 'u_tx' '6*x^2*cos(2*t)'
comes_to third 'u_xxx + u_xtt' '6*sin(2*t) - 12*x^2*sin(2*t)'
comes_to fourth 'u_xxtt * u_t' '-24*x*sin(2*t) * 2*x^3*cos(2*t)'

# refuses MESSAGE SETTING…: these settings are an error with this message.
refuses() {
  local message=$1 settings=()
  shift
  for setting in "$@"; do settings+=(--set "$setting"); done
  exits 78 "$message" "$GTRAIN" check "$TEST_TMP/line.yaml" "${settings[@]}"
  says "… says so" "$message"
}
refuses "layer 'relu1' (relu) has no continuous derivative of order 2, but loss 'pde' uses 'u_xx'" 'model=[{linear: 4}, relu, {linear: 1}]'
refuses "layer 'kan1' (kan) has no continuous derivative of order 2" model.0.kan.degree=2
refuses "line.yaml:3:10: error: layer 'kan1' (kan) has no continuous derivative of order 3, but loss 'pde' uses 'u_xxx'" 'loss.residual=u_xxx+u'
refuses "layer 'batch_norm1' mixes samples" 'model=[{linear: 4}, batch_norm, tanh, {linear: 1}]'
refuses "unknown name 'u_y'" 'loss.residual=u_x+u_y'
refuses "the order of the derivative 'u_xxxxx' is too high" 'loss.residual=u_xxxxx'
refuses "this formula does not depend on the model's output" 'loss.residual=x^2'
refuses "there is no input 't'" 'loss.conditions.0.at={t: 0}'
says "… and which there are" "help: the input is x and the output is u; to rename them, set \`inputs: [t]\` in the loss"
# A formula that cannot be read is answered with the names, the key that sets them, or the form.
refuses "unknown name 'y_xx'" 'loss.residual=y_xx + u'
says "… with the key" "help: the input is x and the output is u; to rename them, set \`outputs: [y]\` in the loss"
refuses "unknown name 'u_xtt'" 'data={formula: "x0*x1"}' 'model=[{linear: 4}, tanh, {linear: 1}]' 'loss.residual=u_xtt + u_xx'
says "… with the key" "help: the inputs are x and y and the output is u; to rename them, set \`inputs: [x, t]\` in the loss"
check "… and no similar name" test "$(grep -c "did you mean" <<< "$out")" = 0
refuses "unknown name 'u_xt'" 'loss.residual=u_xt + u'
check "… without a name that would replace x" test "$(grep -c "inputs: \[t\]" <<< "$out")" = 0
for formula in 'k*u' "u'' + u" 'd2u/dx2 + u' 'diff(u, x)' 'uxx + u' 'u_{xx} + u'; do
  exits 78 "$formula" "$GTRAIN" check "$TEST_TMP/line.yaml" --set "loss.residual=$formula"
  says "… is answered with the names" "the input is x and the output is u; derivatives are written u_x and u_xx; \`inputs\` and \`outputs\` of the loss rename them"
done
refuses "unknown function 'sn'" 'loss.residual=u_xx + sn(x)'
says "… has a suggestion instead" "did you mean 'sin'?"
for row in 'u_xx + u = 0|u_xx + u' 'u_xx==-u*x|u_xx - (-u*x)' 'u_xx = sin(x)|u_xx - (sin(x))'; do
  refuses "an equation is written without '='" "loss.residual=${row%|*}"
  says "… but so" "expected the formula that is 0: \"${row#*|}\""
done
refuses "an equation is written without '='" 'loss.residual=u_xx ='
says "… in words" "expected the formula that is 0, all terms on one side"
refuses "needs one name for each of the model's inputs" 'loss.inputs=[x, t]'
refuses "has two values with the name 'u'" 'loss.inputs=[u]'
refuses "unknown key 'wieght' in a condition" 'loss.conditions.0.wieght=2'
refuses "differentiates by the inputs" data.normalize=standard
refuses "metric 'f1' is not available with loss 'pde'" train.early_stopping.metric=f1

# told NAME PLACE TEXT SETTING…: the finding NAME is reported once, there and in these words, with a way out; `quiet`
# silences it. untold SETTING…: there is no finding.
told() {
  local name=$1 place=$2 text=$3 settings=()
  for setting in "${@:4}"; do settings+=(--set "$setting"); done
  exits 0 "$text" "$GTRAIN" check "$TEST_TMP/swing.yaml" "${settings[@]}"
  says "… is told" "$place: warning: $text"
  check "… once" test "$(grep -c "\[$name\]" <<< "$out")" = 1
  check "… with a way out" test "$(grep -A 4 -F "[$name]" <<< "$out" | grep -c "    help: ")" -ge 1
  exits 0 "… silenced" "$GTRAIN" check "$TEST_TMP/swing.yaml" "${settings[@]}" --set "quiet=$name" --strict
}
untold() {
  local settings=()
  for setting in "$@"; do settings+=(--set "$setting"); done
  exits 0 "nothing is told: $*" "$GTRAIN" check "$TEST_TMP/swing.yaml" "${settings[@]}" --strict
}
cat > "$TEST_TMP/swing.yaml" << 'YAML'
data: {format: function, formula: "sin(x0)", range: [0, 6], samples: 200, test_samples: 100}
model: [{linear: 8}, tanh, {linear: 1}]
loss:
  type: pde
  residual: "u_xx + u"
  conditions: [{at: {x: 0}, residual: u}, {at: {x: 6}, residual: "u_x - 1"}]
optimizer: lbfgs
train: {steps: 2, batch_size: 200, eval_every: 2}
YAML
untold
untold data.points=even
# A condition outside the samples; on the edge of their range it is fine, though no sample lies there.
told no_effect "--set:1:24" "the condition holds at x = 360, but the samples of x go from 0.0" loss.conditions.0.at.x=360
told no_effect "--set:1:24" "the condition holds at x = -1" loss.conditions.0.at.x=-1
untold loss.conditions.0.at.x=6.0001
untold loss.conditions.0.at.x=3
two='data={formula: "x0*x1", range: [[0, 1], [5, 6]], samples: 100, test_samples: 50}'
untold "$two" 'loss.conditions=[{at: {x: 0, y: 5}, residual: u}, {at: {y: 6}, residual: u}]'
told no_effect "--set:1:33" "the condition holds at y = 0, but the samples of y go from 5" "$two" 'loss.conditions=[{at: {x: 0, y: 0}, residual: u}]'
# An equation without anything that fixes one of its solutions.
told undetermined "$TEST_TMP/swing.yaml:5:13" "the loss has neither conditions nor targets" 'loss.conditions=~'
told undetermined "$TEST_TMP/swing.yaml:5:13" "the loss has neither conditions nor targets" 'loss.conditions=[{at: {x: 0}, residual: u, weight: 0}]'
untold 'loss.conditions=~' loss.targets=1
untold 'loss.conditions=~' 'loss.residual=u^2 - x'
untold 'loss.conditions=~' 'loss.residual=["u_x - cos(x)", "exp(-1000*x^2)*u"]'
told undetermined "--set:1:15" "the loss has neither conditions nor targets" 'loss.conditions=~' 'loss.residual=["u_xx + u", "u_x + cos(x)"]'
untold 'loss.conditions=~' 'model=[{linear: 8}, tanh, {linear: {units: 1, name: free}}, {expression: {expression: "x0*(6 - x0)*x1", from: [input, free]}}]'
# Derivatives that are 0 whatever the weights are.
told undetermined "$TEST_TMP/swing.yaml:5:14" "'u_xx' is 0 whatever the model's weights are: the model is linear in x" 'model=[{linear: 8}, {linear: 1}]'
untold 'model=[{linear: 8}, {linear: 1}]' 'loss.residual=u_x + u'
untold 'model=[{expression: "x^2"}, {linear: 1}]'
told undetermined "--set:1:15" "'u_xxx' is 0 whatever the model's weights are: as a function of these inputs, the model is a polynomial of lower order" \
  'model=[{expression: "x^2"}, {linear: 1}]' 'loss.residual=u_xxx + u'
two='data={formula: "x0*x1", range: [0, 6], samples: 100, test_samples: 50}'
told undetermined "--set:1:22" "'u_yy' is 0 whatever the model's weights are: its output does not depend on y" "$two" \
  'model=[{shrink: {stop: [1]}}, {linear: 8}, tanh, {linear: 1}]' 'loss.residual=u_xx + u_yy'
branches='model=[{shrink: {stop: [1], from: input}}, tanh, {linear: {units: 1, name: a}}, {shrink: {start: [1], stop: [2], from: input}}, tanh, {linear: {units: 1, name: b}}, {%s: {from: [a, b]}}]'
# shellcheck disable=SC2059
told undetermined "--set:1:15" "'u_xy' is 0 whatever the model's weights are: the model adds functions of x and of y alone" "$two" "$(printf "$branches" add)" 'loss.residual=u_xy - u'
# shellcheck disable=SC2059
untold "$two" "$(printf "$branches" mul)" 'loss.residual=u_xy - u'
# Inputs in units that are far from 1.
told far_from_unit_scale "--set:1:12" "input column 1 reaches 59" data.range='[0, 6000]' 'loss.conditions.1.at.x=6000'
exits 0 "the same" "$GTRAIN" check "$TEST_TMP/swing.yaml" --set data.range='[0, 6000]' --set loss.conditions.1.at.x=6000
says "… which a layer can change" 'scale them in the first layer, as by {expression: "x/1000"}'
untold data.range='[0, 6000]' 'loss.conditions.1.at.x=6000' 'model=[{expression: "x/1000"}, {linear: 8}, tanh, {linear: 1}]'
untold data.range='[0, 6000]' 'loss.conditions.1.at.x=6000' 'model=[{kan: {units: 1, degree: 5, range: [0, 6000]}}]'
exits 0 "an rmse of another loss" "$GTRAIN" eval "$TEST_TMP/line/model.bin" --set loss=mse --device "$DEVICE" --fail-if 'rmse>1'
finish
