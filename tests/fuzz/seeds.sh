#!/usr/bin/env bash
# tests/fuzz/seeds.sh GTRAIN FOLDER: makes the starting inputs of the fuzz targets from the repository's own files:
#   FOLDER/room          the folder in which they run: small data files and configs, and input.*, links to the input
#   FOLDER/seeds/TARGET  valid inputs and the mistakes of tests/cli
#   FOLDER/words         a dictionary: the names and choices of `gtrain schema`
set -euo pipefail
cd "$(dirname "$0")/../.."
gtrain=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2") root=$PWD
rm -rf "${folder:?}"/{room,seeds,words,runs}
room=$folder/room seeds=$folder/seeds
mkdir -p "$room"/datasets/{digits,penguins,ca,mnist,fashion-mnist} "$folder/runs"
for target in tests/fuzz/*.c; do mkdir -p "$seeds/$(basename "$target" .c)"; done
rmdir "$seeds"/{fuzz,replay,repair,campaign*}

# --- the room ---------------------------------------------------------------------------------------------------

for suffix in bin csv idx npy png txt yaml; do ln -s /proc/self/fd/100 "$room/input.$suffix"; done
head -n 41 datasets/digits/digits.csv > "$room/datasets/digits/digits.csv"
head -n 21 datasets/penguins/penguins.csv > "$room/datasets/penguins/penguins.csv"
cp datasets/ca/*.png "$room/datasets/ca"
for class in datasets/clothes/*/*/; do
  mkdir -p "$room/$class"
  cp "$class"/0[0-4].png "$room/$class"
done

bytes() { printf '%b' "$(printf '\\x%02x' "$@")"; }
idx() { # idx FILE SAMPLES DIMENSION…: some bytes; without dimensions, labels
  local file=$1 samples=$2 count=$2 dimension
  shift 2
  {
    bytes 0 0 8 $(($# + 1)) 0 0 0 "$samples"
    for dimension; do bytes 0 0 0 "$dimension" && count=$((count * dimension)); done
    if (($# > 0)); then head -c "$count" datasets/digits/digits.csv; else
      for ((i = 0; i < samples; i++)); do bytes $((i % 10)); done
    fi
  } > "$file"
}
for set in mnist fashion-mnist; do
  for split in train t10k; do
    idx "$room/datasets/$set/$split-images-idx3-ubyte" 10 28 28
    idx "$room/datasets/$set/$split-labels-idx1-ubyte" 10
  done
done
gzip -n "$room"/datasets/fashion-mnist/*
npy() { # npy FILE SHAPE: 15 small integers as f8
  local header="{'descr': '<f8', 'fortran_order': False, 'shape': $2, }"
  { bytes 0x93 && printf 'NUMPY' && bytes 1 0 118 0 && printf '%-117s\n' "$header"; } > "$1"
  for ((i = 0; i < 15; i++)); do bytes 0 0 0 0 0 0 $((16 * (i % 5))) 0x40; done >> "$1"
}
idx "$room/five.idx" 5 3
npy "$room/five.npy" "(5, 3)"
printf 'a,b,label\n1,2,0\n3,4.5,1\n-5e-1,6,0\n7,"8",1\n9,10,0\n' > "$room/five.csv"

printf 'b,a,label\n1,2,no\n3,4.5,yes\n5,6,no\n7,8,yes\n9,10,no\n' > "$room/names.csv"
sed 's/^b,a/a,c/; s/no$/maybe/' "$room/names.csv" > "$room/other_names.csv"
cat > "$room/names.yaml" << 'YAML'
data: {train: names.csv, target: label}
model: [{linear: 3}, batch_norm, relu, {linear: {units: 2, name: out}}]
train: {steps: 2, batch_size: 3}
YAML

cat > "$room/small.yaml" << 'YAML'
data: {inputs: [[0, 0], [0, 1], [1, 0], [1, 1]], targets: [[0], [1], [1], [0]], validation: 0.25}
model: [{linear: 4}, tanh, {dropout: 0.25}, {linear: {units: 1, name: out}}]
loss: bce
optimizer: {type: adam, lr: 0.01, ema: 0.9, clip_norm: 1}
schedule: {type: plateau, patience: 1}
train: {steps: 4, batch_size: 2, eval_every: 1, threads: 1, checkpoint: {every: 2, keep_best: true}}
YAML
cat > "$room/small_logic.yaml" << 'YAML'
data: {inputs: [[0, 0], [0, 1], [1, 0], [1, 1]], targets: [0, 1, 1, 0]}
model: [{logic: 8}, {group_sum: 2}]
train:
  steps: 8
  batch_size: 4
  eval_every: 2
  restart_every: 4
  threads: 1
  early_stopping: {metric: loss, goal: 0.0001}
  checkpoint: {every: 2}
YAML

# --- seeds ------------------------------------------------------------------------------------------------------

# Gate layers are made small, because drawing their wiring takes long.
cp configs/*.yaml tests/cli/mistakes/*.yaml "$room"/small*.yaml "$seeds/config"
sed -i 's/\(logic: [0-9]*\)000$/\100/' "$seeds"/config/*logic*
cp "$room/five.idx" "$room"/datasets/*/*-labels-* "$seeds/idx"
cp "$room/five.npy" "$seeds/npy"
npy "$seeds/npy/column.npy" "(15,)"
npy "$seeds/npy/cube.npy" "(3, 5, 1)"
cp "$room/five.csv" "$room"/datasets/*/*.csv "$seeds/csv"
for format in idx npy csv; do gzip -nc "$room/five.$format" > "$seeds/$format/five.gz"; done
cp datasets/ca/*.png "$seeds/png"
cp datasets/ca/*.png datasets/clothes/test/boot/00.png "$seeds/images"
cp datasets/ca/*.png "$seeds/board"
printf '0101\n1010\n' > "$seeds/board/small.txt"
printf '000 001 010\r\n011 100 101\n' > "$seeds/board/channels.txt"

lines() { # lines TARGET: one seed per line
  local n=0 line
  while IFS= read -r line; do printf '%s' "$line" > "$seeds/$1/$((n++))"; done
}
{
  sed -n 's/.*formula: *"\(.*\)".*/\1/p; s/.*expression: *"\(.*\)".*/\1/p' configs/*.yaml
  sed -n 's/^ *{"\([^"]*\)", [^"]*},$/\1/p' tests/base/formula.c
} | lines formula
printf '%s\n' 'accuracy<0.97' 'loss >= 1e-3' ' samples != 5' 'accuracy == 1' 'loss<=inf' | lines fail_if
printf '%s\n' train.epochs=5 'model.0.linear=16' 'optimizer={type: sgd, momentum: 0.9}' 'loss=mse' 'train.steps=3' \
  'data.inputs.0=[1, 0]' 'model=[{linear: 1}]' 'schedule.patience=3' 'model.2={logic: 8}' 'seed=7' \
  'train.checkpoint.every=1' 'optimizer.parameters=[{match: "out.*", lr: 0.1}]' | lines set

# Models after one second of training, and the files that the run leaves.
train() { # train NAME CONFIG OVERRIDE…
  local name=$1 config=$2 run=$folder/runs/$1 options=()
  shift 2
  for override; do options+=(--set "$override"); done
  (cd "$room" && "$gtrain" train "$config" --quiet --device cpu --run-dir "$run" "${options[@]}" > /dev/null)
  cp "$run/model.bin" "$seeds/model/$name"
}
train small small.yaml
train small_logic small_logic.yaml
train sgd small.yaml optimizer=sgd schedule=constant train.steps=2
train csv "$root/configs/csv_regression.yaml" train.epochs=1 'model=[{linear: 2}, {linear: 1}]'
train digits "$root/configs/digits.yaml" train.epochs=1 'model=[{linear: 10}]'
train repeat "$root/configs/digits.yaml" train.epochs=1 \
  'model=[{repeat: {times: 2, layers: [{linear: {units: 3, name: a}}, {tanh: {name: b}}, {add: {from: [a, b]}}]}}, {linear: 10}]'
train conv "$root/configs/digits_logic_conv.yaml" train.epochs=1 \
  'model=[{reshape: [8, 8, 1]}, {threshold: 1}, {logic_conv2d: {channels: 2, kernel: 3, depth: 2}}, flatten, {logic: 40}, {group_sum: 10}]'
train life "$root/configs/life.yaml" train.steps=2 train.batch_size=4 train.restart_every=2 \
  'model=[{logic_ca: {steps: 1, kernels: 2, perception: [8, 4, 2, 1], update: [2, 1]}}]'
train names names.yaml data.train=other_names.csv
entry() { printf '"%s":{"dtype":"%s","shape":[%s],"data_offsets":[%s]}' "$@"; }
printf -v header '{"__metadata__":{"format":"pt"},%s,%s,%s,%s}' "$(entry linear1.weight F16 3,2 20,32)" \
  "$(entry linear1.bias BF16 3 32,38)" "$(entry out.bias F64 2 0,16)" "$(entry step I32 '' 16,20)"
{ bytes $((${#header} % 256)) $((${#header} / 256)) 0 0 0 0 0 0 && printf '%s' "$header" && head -c 38 /dev/zero; } \
  > "$seeds/model/foreign"
for run in small small_logic sgd; do
  for checkpoint in "$folder/runs/$run"/checkpoints/*; do
    cp "$checkpoint" "$seeds/checkpoint/$run-$(basename "$checkpoint" .safetensors)"
  done
done
cp "$folder"/runs/small/best.bin "$seeds/model/best"
rm -rf "$folder/runs"

# --- words ------------------------------------------------------------------------------------------------------

{
  "$gtrain" schema | grep -o '"[A-Za-z0-9_][A-Za-z0-9_]*"'
  printf '"%s"\n' '- ' ': ' '{' '}' '[' ']' ', ' '\x0a  ' '9223372036854775807' '4611686018427387904' '-1' '1e308' 'nan' \
    '.inf' 'datasets/digits/digits.csv' 'five.csv' 'five.npy' 'five.idx' 'soft_' 'hard_' 'data_offsets' '__metadata__'
} | sort -u > "$folder/words"
