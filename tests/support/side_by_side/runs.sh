# shellcheck shell=bash
# Sourced by tests/side_by_side.sh: training with each setting that the data and the loop of a run have parts for, and
# the commands on its results.

quiet_run() { gtrain train c.yaml --run-dir "$1" --quiet --json "${@:2}"; }
# resumed RUN FILE…: removes the model and all but the first checkpoint of a run, and resumes it.
resumed() {
  local checkpoints=("$1"/checkpoints/*)
  cp -r "$1" again
  rm -r again/model.bin "${checkpoints[@]/#$1/again}"
  cp -r "${checkpoints[0]}" again/checkpoints/
  gtrain train c.yaml --run-dir again --resume --quiet "${@:2}"
  gtrain inspect "${checkpoints[0]}"
}

run/resume() {
  rows 120 a,b,kind 'u, v, (u > 0.3) + (v > 0)' > t.csv
  config '{train: t.csv, target: kind, validation: 0.2, test_fraction: 0.2}' '[{linear: 6}, batch_norm, relu, {dropout: 0.2}, {linear: 3}]' 'optimizer: {type: adam, lr: 0.01, ema: 0.9}'
  sed -i 's/^train: .*/train: {epochs: 4, batch_size: 16, log_every: 2, checkpoint: {every: 1, keep_last: 9, keep_best: true}}/' c.yaml
  quiet_run run
  resumed run
  gtrain train c.yaml --run-dir run --resume
  gtrain train c.yaml --run-dir run
  gtrain train c.yaml --run-dir again --resume --set optimizer.lr=1
  sed -i 5d t.csv
  gtrain train c.yaml --run-dir again --resume
  gtrain eval run
  gtrain eval run --json --set data.train=t.csv
}
run/accumulate() {
  rows 120 a,b,kind,w 'u, v, (u > 0.3) + (v > 0), 1 + i % 3' > t.csv
  config '{train: t.csv, target: kind, weight: w, test_fraction: 0.2}' '[{linear: 6}, relu, {linear: 3}]' 'metrics: [f1, top5]'
  sed -i 's/, top5//; s/^train: .*/train: {steps: 20, batch_size: 10, accumulate: 3, log_every: 5, eval_every: 10, checkpoint: {every: 5, keep_last: 9}}/' c.yaml
  quiet_run run
  resumed run
  quiet_run streamed --memory-limit 53K
}
run/accumulate_targets() {
  several
  quiet_run run --set train.accumulate=3 --set train.log_every=2
  gtrain eval run --json --split train
}
run/lbfgs() {
  rows 80 a,b,y,w 'u, v, 300 + 20 * u * v, 1 + i % 2' > t.csv
  config '{train: t.csv, target: y, weight: w, task: regression, test_fraction: 0.2}' '[{linear: 6}, tanh, {linear: 1}]' 'optimizer: lbfgs' 'metrics: [mae, r2, median_error]'
  sed -i 's/^train: .*/train: {steps: 12, batch_size: 64, log_every: 1, eval_every: 6, checkpoint: {every: 3, keep_last: 9}}/' c.yaml
  quiet_run run
  resumed run
  quiet_run batches --set train.batch_size=20
}
run/lbfgs_targets() {
  several
  quiet_run run --set optimizer=lbfgs --set train.batch_size=24 --set train.log_every=1
}
run/scaled_targets() {
  rows 96 'a,b,load,x,y,w' 'u, v, 5000 + 90 * u * v, 30 * u + 7, u - v, 1 + i % 4' > t.csv
  config '{train: t.csv, inputs: [a, b], targets: {load: load, place: [x, y]}, weight: w, validation: 0.25}' \
    '[{linear: {units: 1, name: load}}, {linear: {units: 2, name: place, from: input}}]' 'loss: {load: huber, place: mse}' 'metrics: [mae, rmse, r2]'
  gtrain check c.yaml --json
  gtrain train c.yaml --run-dir run
  quiet_run none --set data.normalize_targets=none
  quiet_run standard --set data.normalize_targets=standard --set 'train.early_stopping={metric: load.mae, goal: 3, patience: 2}'
  gtrain check c.yaml --set 'train.early_stopping={metric: load.loss, goal: 3, patience: 2}'
  gtrain check c.yaml --set 'train.early_stopping={metric: loss, goal: 3, patience: 2}'
  gtrain check c.yaml --set 'train.early_stopping={metric: lod.mae, patience: 2}'
  gtrain check c.yaml --set 'train.early_stopping={metric: place.mae.z, patience: 2}'
  gtrain check c.yaml --set 'train.early_stopping={metric: place.mae.x, patience: 2}'
  gtrain check c.yaml --set 'metrics=[f1]'
  gtrain predict run t.csv -o p.csv
}
run/thresholds() { # of several columns
  rows 160 'a,b,hot,wet' 'u, v, (u > 0.5), (v > 0.6)' > t.csv
  config '{train: t.csv, target: [hot, wet], validation: 0.25, test_fraction: 0.25}' '[{linear: 2}]' 'loss: bce' 'metrics: [f1, balanced_accuracy]' 'eval: {threshold: auto}'
  gtrain train c.yaml --run-dir run
  gtrain eval run --json
  gtrain eval run --set eval.threshold=0.3
  for form in csv json; do gtrain predict run t.csv -o "p.$form"; done
  gtrain check c.yaml --set 'eval.threshold=[0.2, 0.4]'
  gtrain check c.yaml --set eval.threshold=2
  gtrain check c.yaml --set 'data.targets={hot: hot, wet: wet}' --set data.target=null
}
run/threshold_of_one() {
  rows 160 'a,b,rare' 'u + 0.7 * (i % 9 == 1), v, (i % 9 == 1 ? "fraud" : "ok")' > t.csv
  config '{train: t.csv, validation: 0.25, test_fraction: 0.25, split: stratified}' '[{linear: 2}]' 'metrics: [f1, precision, recall, average_precision]' 'eval: {threshold: auto}'
  gtrain train c.yaml --run-dir run
  gtrain eval run --json --fail-if 'f1<2' --fail-if 'recall<0' --fail-if 'precision.ok<0'
  gtrain eval run --split validation --json
  gtrain eval run --fail-if 'f1<2'
  gtrain check c.yaml --set 'metrics=[f2]'
  gtrain predict run t.csv --json
}
run/class_weights() {
  rows 120 a,b,kind 'u, v, (u > 0.5 ? "x" : v > 0 ? "y" : "z")' > t.csv
  config '{train: t.csv, target: kind, test_fraction: 0.2}' '[{linear: 3}]' 'loss: {type: cross_entropy, label_smoothing: 0.1, class_weights: [1, 2, 0.5]}' 'metrics: [f1_macro, precision_macro, recall_macro]'
  quiet_run run
  gtrain train c.yaml --run-dir balanced --set loss.class_weights=balanced
  gtrain eval balanced --per-class
  gtrain eval balanced --per-class --json
  quiet_run maps --set 'loss.class_weights={x: 3}'
  gtrain check c.yaml --set 'loss.class_weights={q: 3}'
  gtrain check c.yaml --set 'loss.class_weights=[1, 2]'
}
run/sampler() {
  rows 120 a,b,kind 'u, v, (u > 0.5 ? "x" : v > 0 ? "y" : "z")' > t.csv
  config '{train: t.csv, target: kind, test_fraction: 0.2}' '[{linear: 3}]'
  gtrain train c.yaml --run-dir run --set train.sampler=balanced
  gtrain check c.yaml --set train.sampler=balanced --set loss.class_weights=balanced
  gtrain check c.yaml --set train.sampler=balanced --set data.target=a --set data.task=regression
}
run/weights() {
  rows 120 a,b,kind,w 'u, v, (u > 0.3 ? "p" : "q"), (i % 5)' > t.csv
  config '{train: t.csv, target: kind, weight: w, validation: 0.2, test_fraction: 0.2}' '[{linear: 2}]' 'metrics: [f1, precision, recall, roc_auc, f1_macro]'
  gtrain train c.yaml --run-dir run
  gtrain eval run --per-class
  cut -d, -f1-3 t.csv > none.csv
  gtrain eval run --data none.csv
  gtrain train c.yaml --run-dir tight --quiet --memory-limit 53K
  gtrain check c.yaml --json
}
run/early_stop() {
  rows 120 a,b,y 'u, v, 40 + 9 * u * v' > t.csv
  config '{train: t.csv, target: y, validation: 0.2}' '[{linear: 8}, tanh, {linear: 1}]' 'optimizer: {type: adam, lr: 0.3}' 'metrics: [mae]'
  sed -i 's/^train: .*/train: {epochs: 40, batch_size: 32, early_stopping: {metric: mae, patience: 2}, checkpoint: {keep_best: true, keep_last: 2}}/' c.yaml
  quiet_run run
  quiet_run goal --set 'train.early_stopping={metric: mae, goal: 5}'
  quiet_run attempts --set 'train.early_stopping={metric: mae, goal: 0.0001}' --set train.restart_every=9
  gtrain train c.yaml --run-dir plateau --quiet --set schedule=plateau --set train.epochs=6 --set train.early_stopping=0
}
run/groups() {
  rows 120 a,who,kind,fold 'u, "g" i % 17, (u > 0.3 ? "p" : "q"), (i % 4 ? "train" : "test")' > t.csv
  config '{train: t.csv, target: kind, inputs: [a], split: {group: who}, validation: 0.2, test_fraction: 0.2}' '[{linear: 2}]'
  gtrain train c.yaml --run-dir run
  for split in stratified random ordered '{column: fold}' '{column: fold, test: test}' '{column: fold, test: nothing}' '{method: random, group: who}' '{group: a}'; do
    gtrain check c.yaml --set "data.split=$split"
    gtrain check c.yaml --set "data.split=$split" --set data.validation=0 --set data.test_fraction=0
  done
}
run/classes() { # a list of classes, and those left out
  rows 120 a,b,kind 'u, v, (u > 0.5 ? "x" : v > 0 ? "y" : "z")' > t.csv
  config '{train: t.csv, target: kind, classes: [z, x], test_fraction: 0.2}' '[{linear: 2}]'
  gtrain train c.yaml --run-dir run
  gtrain eval run --data t.csv
  gtrain predict run t.csv -o p.csv
  gtrain check c.yaml --set 'data.classes=[x]'
  gtrain check c.yaml --set 'data.classes=[x, x]'
  gtrain check c.yaml --set 'data.classes=[x, w]'
}
run/init_from() {
  rows 60 a,b,kind 'u, v, (u > 0 ? "x" : "y")' > t.csv
  rows 60 c,b,a,kind 'v * v, v, u, (u > 0 ? "x" : v > 0.5 ? "new" : "y")' > more.csv
  config '{train: t.csv, target: kind, test_fraction: 0.2}' '[{linear: 4}, relu, {linear: 2}]'
  quiet_run run
  gtrain train c.yaml --run-dir tuned --init run --set data.train=more.csv --set model.2.linear.units=3
  gtrain train c.yaml --run-dir same --init run/model.bin
}
run/phases() {
  gtrain train configs/kan_product.yaml --run-dir run --quiet --set 'train.phases=[{steps: 6}, {steps: 4, model.0.kan.grid: 5}]' --set train.eval_every=5
  gtrain eval run --json
  gtrain inspect run/model.bin
}
run/kan() {
  rows 60 a,b,y 'u, v, sin(2 * u) + v' > t.csv
  gtrain init formula t.csv --target y -o f.yaml
  gtrain check f.yaml
  config '{train: t.csv, target: y, test_fraction: 0.2}' '[{kan: {units: 1, grid: 2}}]' 'optimizer: lbfgs'
  quiet_run run
  gtrain explain run --json
  gtrain explain run
  gtrain explain run --importance
  gtrain inspect run/model.bin --json
}
run/importance() {
  rows 90 'a,b,c,kind' 'u, v, (i % 3 ? "m" : "n"), (u > 0.3 ? "p" : "q")' > t.csv
  config '{train: t.csv, target: kind, test_fraction: 0.3}' '[{linear: 2}]'
  quiet_run run
  gtrain explain run --json
  gtrain explain run
  several
  gtrain train c.yaml --run-dir several --quiet
  gtrain explain several --json
}
run/streamed() {
  rows 400 a,b,c,y 'u, v, u * v, 3 * u - v' > t.csv
  config '{train: t.csv, target: y, task: regression, test_fraction: 0.2}' '[{linear: 1}]'
  gtrain train c.yaml --run-dir run --memory-limit 56K
  series
  config '{train: t.csv, series: {window: 6, horizon: 3, time: t, group: place}, inputs: [kind, x, y], target: [y], validation: 0.2}' '[flatten, {linear: 3}]'
  gtrain train c.yaml --run-dir series --memory-limit 58K
}
run/repeated() { # test samples that are training samples
  rows 40 a,b,kind 'i % 5, i % 3, (i % 5 > 2 ? "p" : "q")' > t.csv
  config '{train: t.csv, target: kind, test_fraction: 0.3}' '[{linear: 2}]'
  gtrain check c.yaml
  gtrain check c.yaml --strict
  gtrain check c.yaml --set data.test=t.csv --set data.test_fraction=0
}
run/not_finite() {
  rows 40 a,b,y 'u, v, u * 1e30' > t.csv
  config '{train: t.csv, target: y, task: regression, normalize_targets: none}' '[{linear: 1}]' 'optimizer: {type: sgd, lr: 1000000}'
  gtrain train c.yaml --run-dir run
}
run/schema() {
  gtrain schema
  local key
  for key in layers formats metrics losses warnings data epochs train.epochs data.train data.columns data.split data.series data.target data.targets eval eval.threshold train.early_stopping metrics loss csv nothing; do
    gtrain schema "$key"
  done
}
run/init() {
  local table
  for table in penguins/penguins digits/digits houses/houses titanic-like/passengers fraud/payments rentals/rentals reviews/reviews; do
    gtrain init csv "datasets/$table.csv" -o "${table##*/}.yaml"
    gtrain check "${table##*/}.yaml"
  done
  gtrain init csv datasets/houses/houses.csv -t price -t type -o two.yaml
  gtrain init csv datasets/houses/houses.csv -t prize -o none.yaml
  gtrain init csv datasets/penguins/penguins.csv -o penguins.yaml
  gtrain init formula datasets/penguins/penguins.csv -o formula.yaml
  several
  gtrain init csv t.csv -t kind -t wet -t load -o mixed.yaml
  series
  gtrain init csv t.csv -o series.yaml
}
