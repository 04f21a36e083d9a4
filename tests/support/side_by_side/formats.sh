# shellcheck shell=bash
# Sourced by tests/side_by_side.sh: files that are no tables (npy, idx, cifar, pictures), models that start from others,
# and commands whose options or files do not fit a model.

# npy TYPE SHAPE: an array file with the bytes of standard input; TYPE is that of NumPy, such as |u1.
npy() {
  local header="{'descr': '$1', 'fortran_order': False, 'shape': ($2), }"
  printf '\223NUMPY\1\0\166\0%-117s\n' "$header"
  cat
}
# idx HEADER: as npy, with a header of escaped bytes.
idx() { printf '%b' "$1" && cat; }
# labels COUNT CLASSES: COUNT bytes, 0 to CLASSES - 1 in turn.
labels() {
  local i
  for ((i = 0; i < $1; i++)); do printf '%b' "\\0$(($i % $2))"; done
}
bytes() { head -c "$1" datasets/digits/digits.csv; }

format/npy() {
  bytes 240 | npy '|u1' '40, 6' > x.npy
  labels 40 3 | npy '|u1' '40,' > y.npy
  bytes 160 | npy '<f4' '40, 1' > junk.npy
  bytes 80 | npy '|i1' '40, 2' > two.npy
  bytes 234 | npy '|u1' '39, 6' > fewer.npy
  bytes 200 | npy '|u1' '40, 6' > short.npy
  bytes 40 | npy '<c8' '5,' > complex.npy
  bytes 8 | npy '|u1' '' > scalar.npy
  bytes 0 | npy '|u1' '0, 6' > empty.npy
  config '{train: {inputs: x.npy, targets: y.npy}, test_fraction: 0.2}' '[{linear: 3}]'
  predictions x.npy
  local file
  for file in two fewer short complex scalar empty junk; do
    gtrain check c.yaml --set "data.train.targets=$file.npy"
    gtrain check c.yaml --set "data.train.inputs=$file.npy"
    gtrain predict run "$file.npy"
    gtrain eval run --data "$file.npy"
  done
  gtrain predict run c.yaml
  gtrain predict run datasets
  gtrain predict run run
  gtrain predict run x.npy --id a
  gtrain predict run x.npy x.npy -o p.csv
  gtrain predict run x.npy -o pictures/
  gtrain predict run x.npy -o p.xyz
  printf '%s\n' a,b,c,d,e,f 1,2,3,4,5,6 > x.csv
  gtrain predict run x.csv
  config '{train: {inputs: {p: x.npy, q: two.npy}, targets: {k: y.npy, n: two.npy}}, task: {k: classification}}' \
    '[{linear: {units: 3, from: p, name: k}}, {linear: {units: 2, from: q, name: n}}]'
  gtrain train c.yaml --run-dir several --quiet
  gtrain predict several --input p=x.npy --input q=two.npy --json
  gtrain predict several --input p=x.npy -o p.json
  gtrain predict several --input p=x.npy --input q=fewer.npy
  gtrain predict several --input p=x.npy --input r=two.npy
  gtrain predict several x.npy
  gtrain predict several x.csv
  gtrain check c.yaml --set 'data.train.targets={k: y.npy}'
  gtrain check c.yaml --set 'data.test={inputs: {p: x.npy}, targets: {k: y.npy, n: two.npy}}'
}
format/idx() {
  bytes 320 | idx '\00\00\010\03\00\00\00\024\00\00\00\04\00\00\00\04' > x.idx
  labels 20 2 | idx '\00\00\010\01\00\00\00\024' > y.idx
  bytes 300 | idx '\00\00\010\03\00\00\00\024\00\00\00\04\00\00\00\04' > short.idx
  bytes 320 | idx '\01\00\010\03\00\00\00\024\00\00\00\04\00\00\00\04' > magic.idx
  bytes 320 | idx '\00\00\010\011\00\00\00\024\00\00\00\04\00\00\00\04' > rank.idx
  bytes 2 | idx '\00\00\010\03\00\00' > header.idx
  bytes 320 | idx '\00\00\010\03\00\00\00\024\00\00\00\02\00\00\00\010' > shape.idx
  config '{format: idx, train: {inputs: x.idx, targets: y.idx}, test: {inputs: x.idx, targets: y.idx}}' '[flatten, {linear: 2}]'
  gtrain check c.yaml --set 'data.shape=[4, 4, 1]'
  predictions x.idx
  gzip -nc x.idx > x.idx.gz
  gtrain predict run x.idx.gz
  local file
  for file in short magic rank header shape y; do
    gtrain check c.yaml --set "data.train.inputs=$file.idx"
    gtrain check c.yaml --set "data.test.targets=$file.idx"
    gtrain predict run "$file.idx"
  done
}
format/cifar() {
  { labels 1 1; bytes 3072; printf '\1'; bytes 3072; } > a.bin
  { cat a.bin; bytes 100; } > b.bin
  config '{format: cifar, train: a.bin, test: [a.bin]}' '[flatten, {linear: 10}]'
  gtrain train c.yaml --run-dir run --quiet --set train.steps=1
  gtrain check c.yaml --set data.train=b.bin
  gtrain check c.yaml --set data.task=regression
  gtrain predict run datasets/clothes/test/bag/00.png
}
format/pictures() {
  local train=datasets/clothes/train options
  mkdir -p own/x own/y
  cp $train/bag/0[0-4].png own/x
  cp $train/boot/0[0-4].png own/y
  config '{train: own, validation: 0.2, size: [14, 14], channels: 1}' '[flatten, {linear: 2}]'
  gtrain train c.yaml --run-dir folder
  gtrain check c.yaml --samples sheet.png
  head -c 90 $train/bag/06.png > own/x/06.png
  echo text > own/y/note.txt
  for options in data.on_error=stop data.on_error=skip data.fit=pad data.fit=stretch data.size=[20000,20000] data.channels=3 data.train=own/x data.train=c.yaml data.test=own/y data.max_pixels=10; do
    gtrain check c.yaml --set "$options"
    gtrain check c.yaml --set "$options" --set data.on_error=skip
  done
  gtrain predict folder own
  gtrain predict folder own/x/00.png own/y/01.png --json
  gtrain predict folder own/x/00.png -o p.csv
  gtrain predict folder own/y/note.txt
  printf 'path,class\n%s,a\n%s,b\n' own/x/00.png,own/y/00.png own/x/01.png > bad.csv
  printf 'path,class\nown/x/00.png,a\nown/y/00.png,b\nown/x/01.png,a\n' > list.csv
  printf 'path,class\nown/x/00.png,a\n,b\nown/x/99.png,a\n' > gaps.csv
  config '{format: images, train: list.csv}' '[flatten, {linear: 2}]'
  predictions own/x/00.png own/y/00.png
  for options in list bad gaps; do
    gtrain check c.yaml --set "data.train=$options.csv"
    gtrain check c.yaml --set "data.test=$options.csv"
    gtrain check c.yaml --set "data.train=$options.csv" --set data.target=none
    gtrain check c.yaml --set "data.train=$options.csv" --set data.path=class
  done
}
format/init_from() {
  rows 40 a,b,kind 'u, v, (u > 0 ? "x" : "y")' > t.csv
  rows 40 b,a,c,kind 'u, v * 9, v, (u > 0 ? "x" : v > 0 ? "y" : "z")' > other.csv
  config '{train: t.csv}' '[{linear: {units: 4, name: body}}, batch_norm, relu, {linear: {units: 2, name: head}}]'
  gtrain train c.yaml --run-dir run --quiet
  local map
  gtrain check c.yaml --set init_from=run
  for map in '{head: ~}' '{head: ~, body: body}' '{haed: ~, body: bdy}' '{"*.bias": ~}' '{body: head}' 5; do
    gtrain check c.yaml --set init_from=run --set "init_from.map=$map"
  done
  gtrain check c.yaml --set init_from=run --set model.0.linear.units=5
  gtrain check c.yaml --set init_from=run --set 'model=[{linear: {units: 4, name: trunk}}, batch_norm, relu, {linear: {units: 2, name: head}}]'
  gtrain check c.yaml --set init_from=run --set data.train=other.csv --set model.3.linear.units=3
  gtrain train c.yaml --run-dir tuned --set init_from=run --set data.train=other.csv --set model.3.linear.units=3
  gtrain check c.yaml --set init_from=none
  gtrain check c.yaml --set init_from=t.csv
}
format/options() { # that do not fit the model or the data
  rows 40 a,b,y 'u, v, 3 * u' > t.csv
  config '{train: t.csv, target: y, task: regression}' '[{linear: 1}]'
  gtrain train c.yaml --run-dir run --quiet
  gtrain eval run --split test
  gtrain eval run --split tset
  gtrain eval run --split train --data t.csv
  gtrain eval run --per-class
  gtrain eval run --confusion c.csv
  gtrain eval run --fail-if accuracy
  gtrain eval run --fail-if 'accuracy<1'
  gtrain eval run --fail-if 'r2<x'
  gtrain eval run --fail-if 'rmse<1e9' --fail-if 'loss.y<1' --fail-if 'mae.q<1'
  gtrain eval run --data none.csv
  gtrain eval t.csv
  gtrain eval datasets
  gtrain explain t.csv
  gtrain generate run
  gtrain export run --format c
  gtrain predict t.csv t.csv
  gtrain predict run t.csv --id y -o /dev/stdout
  gtrain inspect t.csv
  gtrain check c.yaml --samples s.png
  gtrain check c.yaml --set 'metrics=[accuracy]'
  gtrain check c.yaml --set eval.threshold=auto
  gtrain check c.yaml --set 'train.early_stopping={metric: accuracy, patience: 1}'
  gtrain check c.yaml --set 'train.early_stopping={metric: mae.y, patience: 1}' --set data.validation=0.2
  gtrain check c.yaml --set loss.class_weights=balanced
  gtrain check c.yaml --set data.normalize=minmax
  gtrain check c.yaml --set 'train.phases=[{steps: 2}, {steps: 2, model.0.linear.units: 2}]' --set train.steps=null
  gtrain check c.yaml --set 'train.phases=[{steps: 2, data.target: a}, {steps: 2, optimiser: sgd}]' --set train.steps=null
}
