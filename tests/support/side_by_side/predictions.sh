# shellcheck shell=bash
# Sourced by tests/side_by_side.sh: models of every kind of target, trained for a few steps, and their predictions in
# every form.

# rows N HEADER EXPRESSION…: a table of N rows, made by awk from i (from 0), u and v (between -1 and 1).
rows() {
  local count=$1 header=$2
  shift 2
  awk "BEGIN { OFS = \",\"; print \"$header\"; for (i = 0; i < $count; i++) {
    u = i * 7919 % 1009 / 504.5 - 1; v = i * 104729 % 997 / 498.5 - 1; print $* } }"
}
# config DATA MODEL [LINE…]: writes c.yaml, for ten steps.
config() {
  printf '%s\n' "data: $1" "model: $2" "train: {steps: 10, eval_every: 10, batch_size: 16}" "${@:3}" > c.yaml
}
# predictions FILE…: trains c.yaml and applies the model to FILE…, with a result in each form; the written files stay.
predictions() {
  gtrain train c.yaml --run-dir run
  gtrain eval run --json
  gtrain predict run "$@"
  gtrain predict run "$@" --json
  for form in csv json jsonl npy; do gtrain predict run "$@" -o "p.$form"; done
}

predict/numbers() {
  rows 60 a,b,y 'u, v, 3 * u - v' > t.csv
  config '{train: t.csv, target: y, task: regression, test_fraction: 0.2}' '[{linear: 1}]' 'loss: mse'
  predictions t.csv
}
predict/two_numbers() {
  rows 60 'a,b,price,cost' 'u, v, 900 + 30 * u, v * u' > t.csv
  config '{train: t.csv, target: [price, cost], test_fraction: 0.2}' '[{linear: 2}]' 'metrics: [mae, r2]'
  predictions t.csv
  gtrain predict run t.csv --id cost -o ids.csv
  gtrain predict run t.csv --id cost --json
}
predict/matrix_of_numbers() { # a target without a name
  printf '%s\n' 'data: {inputs: [[0, 1], [1, 0], [1, 1]], targets: [[1, 2], [3, 4], [5, 6]]}' 'model: [{linear: 2}]' \
    'train: {steps: 5, eval_every: 5}' > c.yaml
  printf 'a,b\n0,1\n1,0\n' > t.csv
  predictions t.csv
}
predict/class_names() {
  rows 60 'id,a,b,kind' '"r" i, u, v, (u > 0.3 ? "up" : u < -0.3 ? "down, deep" : "\"flat\"")' |
    sed 's/,down, deep$/,"down, deep"/; s/,"flat"$/,"""flat"""/' > t.csv
  config '{train: t.csv, target: kind, id: id, test_fraction: 0.2}' '[{linear: 3}]' 'metrics: [f1]'
  predictions t.csv
  cut -d, -f2,3 t.csv > no_ids.csv
  gtrain predict run no_ids.csv -o no_ids.out.csv
  gtrain predict run t.csv --id b --quiet -o b.csv
  gtrain predict run t.csv --id idd
  gtrain eval run --per-class
  gtrain eval run --confusion confusion.csv --quiet
  gtrain eval run --confusion confusion.json --quiet
}
predict/class_numbers() {
  rows 60 a,b,kind 'u, v, (u > 0.3) + (v > 0)' > t.csv
  config '{train: t.csv, target: kind, test_fraction: 0.2}' '[{linear: 3}]'
  predictions t.csv
  gtrain eval run --per-class
}
predict/listed_names() {
  rows 60 a,b,kind 'u, v, (u > 0.3) + (v > 0)' > t.csv
  config '{train: t.csv, target: kind, class_names: [none, one, both], validation: 0.2}' '[{linear: 3}]'
  predictions t.csv
  gtrain eval run --per-class --split validation
}
predict/two_classes() {
  rows 80 a,b,fraud 'u, v, (u > 0.7 ? "fraud" : "ok")' > t.csv
  config '{train: t.csv, validation: 0.25, test_fraction: 0.25, split: stratified}' '[{linear: 2}]' 'metrics: [f1, precision, recall, roc_auc]' \
    'eval: {threshold: auto}'
  predictions t.csv
  gtrain eval run --per-class
}
predict/yes_no() {
  rows 80 'a,b,rain' 'u, v, (u > 0.2 ? "Yes" : "no")' > t.csv
  config '{train: t.csv, test_fraction: 0.25}' '[{linear: 1}]' 'loss: bce' 'metrics: [f1, average_precision]'
  predictions t.csv
  gtrain eval run --per-class
}
predict/zero_one() {
  rows 80 'a,b,rain' 'u, v, (u > 0.2)' > t.csv
  config '{train: t.csv, validation: 0.25}' '[{linear: 1}]' 'loss: bce' 'metrics: [f1, accuracy]' 'eval: {threshold: 0.4}'
  predictions t.csv
  gtrain eval run --per-class
}
predict/labels() { # several yes/no columns of one target
  rows 80 'a,b,hot,wet,windy' 'u, v, (u > 0.2 ? "Yes" : "No"), (u > v ? "TRUE" : "FALSE"), (v > 0)' > t.csv
  config '{train: t.csv, target: [hot, wet, windy], test_fraction: 0.25}' '[{linear: 3}]' 'loss: bce' 'metrics: [f1, accuracy, roc_auc]'
  predictions t.csv
  gtrain eval run --per-class
}
predict/labels_threshold() {
  rows 80 'a,b,hot,wet' 'u, v, (u > 0.7 ? "y" : "n"), (u > v ? "t" : "f")' > t.csv
  config '{train: t.csv, target: [hot, wet], validation: 0.25, test_fraction: 0.25}' '[{linear: 2}]' 'loss: bce' 'metrics: [f1]' \
    'eval: {threshold: auto}'
  predictions t.csv
}
several() {
  rows 96 'a,b,load,x,y,kind,wet' 'u, v, 500 + 90 * u * v, u + v, u - v, (u > v ? "yes" : "no"), (u > 0.4 ? "on" : "off")' > t.csv
  cat > c.yaml << 'YAML'
data: {train: t.csv, targets: {load: load, place: [x, y], kind: kind, wet: wet}, validation: 0.25}
model:
  - linear: {units: 8, name: trunk}
  - tanh: {name: body}
  - linear: {units: 1, name: load, from: body}
  - linear: {units: 2, name: place, from: body}
  - linear: {units: 2, name: kind, from: body}
  - linear: {units: 1, name: wet, from: body}
loss: {place: mae, kind: {type: cross_entropy, weight: 0.5}, wet: bce}
metrics: [mae, f1]
train: {steps: 10, eval_every: 10, batch_size: 16}
YAML
}
predict/several_targets() {
  several
  predictions t.csv
  gtrain eval run --per-class
  gtrain eval run --per-class --json --split validation --fail-if 'kind.accuracy<0.01' --fail-if 'load.mae>10000'
  for gate in mae load.mae place.mae.x lod.mae kind.accuracy accuracy place.mae.z loss kind.f1.yes; do
    gtrain eval run --quiet --fail-if "$gate<0"
  done
}
predict/equal_columns() { # the name of a target is that of another one's column
  several
  gtrain train c.yaml --run-dir run --quiet --set 'data.targets={x: load, place: [x, y]}' --set loss=null --set 'metrics=[mae]' \
    --set model.load.name=x --set model.kind.name=spare --set model.wet.name=spare2
  for form in csv json jsonl; do gtrain predict run t.csv -o "p.$form"; done
  gtrain predict run t.csv
  gtrain eval run --json
}
predict/class_columns() { # a column of probabilities with the name of a target
  rows 60 'a,b,no,kind' 'u, v, u - v, (u > v ? "no" : "class")' > t.csv
  config '{train: t.csv, targets: {no: no, kind: kind}}' \
    '[{linear: {units: 1, name: no}}, {linear: {units: 2, name: kind, from: input}}]'
  predictions t.csv
}
series() {
  awk 'BEGIN {
    print "t,place,kind,x,y"
    for (i = 0; i < 70; i++) for (g = 0; g < 2; g++)
      printf "%d,%s,%s,%.3f,%.3f\n", i + (g && i >= 30 ? 5 : 0), g ? "b" : "a", substr("pqr", 1 + (i * 7 + g) % 3, 1),
        sin(i / 3 + g), 10 + 5 * sin((i - 1) / 3 + g) + (i * 37 + g * 11) % 10 / 10
  }' > t.csv
}
predict/series() {
  series
  config '{train: t.csv, series: {window: 6, horizon: 3, time: t, group: place, season: 6}, inputs: [kind, x, y], target: [y], validation: 0.2, test_fraction: 0.2}' \
    '[flatten, {linear: 3}]' 'metrics: [mae, rmse, r2]'
  predictions t.csv
  gtrain eval run
  sed '$d' t.csv > short.csv # the last row of b is missing
  gtrain predict run short.csv -o short.out.csv
  awk -F, 'NR < 4 || $2 == "a"' t.csv > few.csv
  gtrain predict run few.csv -o few.out.csv
  sed 's/^\(6[89],a,.*\),[^,]*$/\1,/' t.csv > gap.csv
  gtrain predict run gap.csv -o gap.out.csv
  gtrain predict run gap.csv --json
  gtrain eval run --data short.csv --json
  gtrain train c.yaml --run-dir strict --quiet --set 'data.columns={y: {missing: error}}'
  gtrain predict strict gap.csv
}
predict/series_future() {
  series
  config '{train: t.csv, series: {window: 6, horizon: 2, time: t, group: place}, inputs: [x, y], future: [kind], target: [x, y], test_fraction: 0.3}' \
    '[{flatten: {from: past, name: a}}, {flatten: {from: future, name: b}}, {concatenate: {from: [a, b]}}, {linear: 4}]'
  predictions t.csv
  { cat t.csv && printf '%s\n' 70,a,p,, 75,b,q,, 71,a,r,, 76,b,p,,; } > ahead.csv
  for form in csv json jsonl npy; do gtrain predict run ahead.csv -o "ahead.out.$form"; done
  { cat t.csv && printf '%s\n' 70,a,p,, 75,b,s,, 71,a,r,,; } > part.csv
  gtrain predict run part.csv -o part.out.csv
}
predict/series_dates() {
  awk 'BEGIN { print "day;y"; for (m = 1; m <= 3; m++) for (d = 1; d <= 28 + 3 * (m != 2); d++)
    printf "%02d.%02d.2023;%d,%d\n", d, m, 20 + d % 7, m * d % 10 }' > t.csv
  config '{train: t.csv, series: {window: 7, time: day, season: 7}, target: y, test_fraction: 0.3}' '[flatten, {linear: 1}]'
  predictions t.csv
}
predict/series_classes() {
  awk 'BEGIN { OFS = ","; print "t,x,state"; for (i = 0; i < 80; i++) print i, i % 9, (i % 9 > 5 ? "on" : "off") }' > t.csv
  config '{train: t.csv, series: {window: 4, time: t}, target: state, test_fraction: 0.3}' '[flatten, {linear: 2}]'
  predictions t.csv
}
predict/pictures() {
  local classes=(datasets/clothes/train/*/)
  config '{train: datasets/clothes/train, test: datasets/clothes/test}' "[flatten, {linear: ${#classes[@]}}]"
  mkdir seen
  cp datasets/clothes/test/bag/0[0-2].png seen
  echo no picture > seen/bad.png
  predictions seen
  gtrain predict run datasets/clothes/test --json --quiet
  gtrain eval run --per-class
}
predict/pictures_to_pictures() {
  config '{train: datasets/clothes/test, targets: datasets/clothes/test}' '[{conv2d: {out_channels: 3, kernel_size: 3, padding: same}}]'
  gtrain train c.yaml --run-dir run --set train.batch_size=4 --set train.steps=2
  gtrain predict run datasets/clothes/test/bag -o pictures/
  gtrain predict run datasets/clothes/test/bag -o p.npy
}
predict/sentences() {
  head -n 200 datasets/reviews/reviews.csv > t.csv
  sed "s|datasets/reviews/reviews.csv|t.csv|" configs/sentences.yaml > c.yaml
  sed -i 's/^  epochs:.*/  epochs: 1/' c.yaml
  predictions t.csv
  tail -n +2 t.csv | cut -d, -f1 | tr -d '"' | head -n 5 > lines.txt
  gtrain predict run lines.txt
}
predict/lines_with_labels() {
  awk 'BEGIN { for (i = 0; i < 60; i++) print (i % 3 ? "good" : "bad") "\t" (i % 3 ? "it is fine " : "not at all ") i % 7 }' > t.txt
  config '{train: t.txt, text: {labels: true}, test_fraction: 0.2}' '[{embedding: 4}, {lstm: {hidden_size: 4, return: last}}, {linear: 2}]'
  predictions t.txt
  cut -f 2 t.txt > plain.txt
  gtrain predict run plain.txt --json
  { cat plain.txt; printf '\tx\n\n'; } > bad.txt
  gtrain predict run bad.txt
}
predict/text() {
  head -c 6000 datasets/tales/tales.txt > part.txt
  config '{train: part.txt, text: {window: 12}, validation: 0.1, test_fraction: 0.1}' '[{embedding: 6}, {linear: 12}]' 'metrics: [perplexity]'
  sed -i 's/{linear: 12}/{linear: {weight: embedding1}}/' c.yaml
  gtrain train c.yaml --run-dir run
  gtrain eval run --json
  gtrain eval run --json --data part.txt
  gtrain predict run part.txt -o p.npy
  gtrain generate run --prompt 'The ' --tokens 20 --seed 3
}
predict/segmentation() {
  gtrain train configs/segmentation.yaml --run-dir run --quiet --set train.epochs=1
  gtrain predict run datasets/shapes/test-images.gz -o p.npy
  gtrain eval run --per-class
}
predict/several_inputs() {
  rows 60 'a,b,job,y' 'u, v, (i % 3 ? "x" : "z"), 3 * u - v' > t.csv
  config '{train: t.csv, inputs: {wide: [a, b], deep: [job, a]}, target: y, task: regression, test_fraction: 0.2}' \
    '[{linear: {units: 2, from: wide, name: w}}, {linear: {units: 2, from: deep, name: d}}, {concatenate: {from: [w, d]}}, {linear: 1}]'
  predictions t.csv
  gtrain predict run --input wide=t.csv --input deep=t.csv
}
