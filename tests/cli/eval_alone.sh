#!/usr/bin/env bash
# eval reads only the files whose samples it evaluates: with a test file, the training file may be missing. The result
# is that of the training, which read both files, in every format.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
clothes=$PWD/datasets/clothes
cd "$TEST_TMP" || exit 1

# npy TYPE SHAPE: an array file with the bytes of standard input; TYPE is that of NumPy, such as |u1.
npy() {
  local header="{'descr': '$1', 'fortran_order': False, 'shape': ($2), }"
  printf '\223NUMPY\1\0\166\0%-117s\n' "$header"
  cat
}
idx() { printf '%b' "$1" && cat; }
# bytes FIRST COUNT: bytes of a file that looks random.
gzip -9nc "$clothes/../digits/digits.csv" > noise
bytes() { tail -c "+$1" noise | head -c "$2"; }
# labels COUNT: bytes 0, 1, 2, 0, …
labels() {
  local i
  for ((i = 0; i < $1; i++)); do printf '%b' "\\0$((i % 3))"; done
}
# rows SEED COUNT HEADER EXPRESSION: a table of awk's values, of random numbers u and v and the row's number i.
rows() {
  awk -v n="$2" -v seed="$1" -v OFS=, 'BEGIN { srand(seed); print "'"$3"'"
    for (i = 1; i <= n; i++) { u = int(1000 * rand()) / 1000; v = int(1000 * rand()) / 1000; print '"$4"' } }'
}
# alone NAME DATA MODEL [KEYS]: trains NAME with files called NAME.train*, hides them, and evaluates.
alone() {
  printf 'data: %s\nmodel: %s\ntrain: {epochs: 2, batch_size: 10}\n%b' "$2" "$3" "${4-}" > c.yaml
  exits 0 "$1: training" "$GTRAIN" train c.yaml --device "$DEVICE" --quiet --run-dir "run-$1"
  local was is
  was=$(grep -ao '\\"test\\":{[^}]*}' "run-$1/model.bin" | tr -d '\134' | sed 's/.*{//; s/}//')
  mkdir gone && mv "$1".train* gone/
  exits 0 "… and eval without the training files" "$GTRAIN" eval "run-$1" --device "$DEVICE" --json --quiet
  is=$out
  check "… has the result of the training" grep -qF "${was:-no result}" <<< "$is"
  exits 65 "… which other splits need" "$GTRAIN" eval "run-$1" --device "$DEVICE" --split train
  says "… and are told to be missing" "$1.train"
  mv gone/* . && rmdir gone
  guess=$is
}

rows 1 60 a,b,kind 'u, v, ((u > 0.3) ? "cat" : i % 4 ? "dog" : "eel")' > classes.train.csv
rows 2 30 a,b,kind 'u, v, (u > v) ? "dog" : "eel"' > classes.test.csv # no cat
alone classes '{train: classes.train.csv, test: classes.test.csv, target: kind, validation: 0.2}' '[{linear: 3}]'
check "… always the class of most training samples" grep -qF '"guess":"always '"'cat'" <<< "$guess"
tail -n +2 classes.test.csv > bare.csv
exits 0 "a file without a header, whose columns have the places of the training file's" \
  "$GTRAIN" eval run-classes --device "$DEVICE" --json --quiet --data bare.csv
check "… has the same result" test "${out##*$'\n'}" = "$guess"
rows 13 30 kind,b,a '"dog", v, u' > other.csv
exits 0 "another file" "$GTRAIN" eval run-classes --device "$DEVICE" --data other.csv
cp -r run-classes sent && rm sent/.lock && mv classes.train.csv classes.gone.csv
exits 0 "… with a model from elsewhere, without its training file" "$GTRAIN" eval sent/model.bin --device "$DEVICE" \
  --set data.test=other.csv
exits 0 "… and the importance of its columns" "$GTRAIN" explain sent/model.bin --importance --device "$DEVICE"
mv classes.gone.csv classes.train.csv

rows 3 60 a,b,w,y 'u, v, i % 3, 40 * u - v' > numbers.train.csv
rows 4 30 y,w,b,a '40 * u - v, i % 2, v, u' > numbers.test.csv # in another order
alone numbers '{train: numbers.train.csv, test: numbers.test.csv, target: y, weight: w, split: last}' '[{linear: 1}]' 'loss: mse\n'

rows 5 60 a,day,shop,ok 'i % 7 ? u : "", "2024-01-" 1 + i % 28, i % 3 ? "x" : "y", (u > 0.3) ? "yes" : "no"' > bits.train.csv
rows 6 30 a,day,shop,ok 'i % 5 ? u : "", "2024-02-" 1 + i % 28, i % 3 ? "z" : "y", (u > 0.3) ? "yes" : "no"' > bits.test.csv
alone bits '{train: bits.train.csv, test: bits.test.csv, target: ok, validation: 0.3}' '[{linear: 1}]' \
  'loss: bce\nmetrics: [f1]\neval: {threshold: auto}\n'
sed -i 's/,no$/,yes/' bits.test.csv
exits 0 "one of two words" "$GTRAIN" eval run-bits --device "$DEVICE" --json --quiet

rows 7 60 a,b,y,kind 'u, v, u + v, (u > v) ? "p" : "q"' > several.train.csv
rows 8 30 a,b,y,kind 'u, v, u + v, (u > v) ? "p" : "q"' > several.test.csv
alone several '{train: several.train.csv, test: several.test.csv, targets: {y: y, k: kind}}' \
  '[{linear: {units: 4, name: body}}, {linear: {units: 1, name: y}}, {linear: {units: 2, name: k, from: body}}]' \
  'loss: {y: mse, k: {type: cross_entropy, class_weights: balanced}}\n'

rows 9 90 day,shop,sold '"2024-01-" 1 + int((i - 1) / 3) "T00:00", "s" i % 3, 10 + i % 7 + u' > series.train.csv
rows 10 60 day,shop,sold '"2024-03-" 1 + int((i - 1) / 3) "T00:00", "s" i % 3, 10 + i % 7 + u' > series.test.csv
alone series '{train: series.train.csv, test: series.test.csv, target: sold, series: {window: 5, horizon: 2, time: day, group: shop, season: 3}}' \
  '[flatten, {linear: 2}]' 'loss: mse\n'

rows 11 60 text,mood '(u > 0.5) ? "good fun " int(9 * v) : "dull " int(9 * v), (u > 0.5) ? "liked" : "bored"' > sentences.train.csv
rows 12 30 text,mood '(u > 0.5) ? "good fun " int(9 * v) : "new dull " int(9 * v), (u > 0.5) ? "liked" : "bored"' > sentences.test.csv
alone sentences '{train: sentences.train.csv, test: sentences.test.csv, text: {column: text, vocabulary: word, length: 6}, target: mood}' \
  '[{embedding: 4}, flatten, {linear: 2}]'
for part in train test; do seq -f "the $part of %g letters" 1 60 > letters.$part.txt; done
alone letters '{train: letters.train.txt, test: letters.test.txt, text: {vocabulary: char, window: 16, stride: 3}, validation: 0.2}' \
  '[{embedding: {embedding_dim: 4, name: e}}, {linear: {weight: e}}]'

for part in train test; do
  at=$((${#part} * 100))
  bytes $at 240 | npy '|u1' '40, 6' > npy.$part.x.npy
  labels 40 | npy '|u1' '40,' > npy.$part.y.npy
  bytes $at 320 | idx '\00\00\010\03\00\00\00\024\00\00\00\04\00\00\00\04' > idx.$part.x.idx
  labels 20 | idx '\00\00\010\01\00\00\00\024' > idx.$part.y.idx
  { labels 1 && bytes $at 3072 && printf '\1' && bytes $((at + 9)) 3072; } > cifar.$part.bin
done
arrays='train: {inputs: NAME.train.x.NAME, targets: NAME.train.y.NAME}, test: {inputs: NAME.test.x.NAME, targets: NAME.test.y.NAME}'
alone npy "{${arrays//NAME/npy}, validation: 0.2}" '[{linear: 3}]'
alone idx "{format: idx, ${arrays//NAME/idx}, classes: 3}" '[flatten, {linear: 3}]'
alone cifar '{format: cifar, train: [cifar.train.bin], test: cifar.test.bin}' '[flatten, {linear: 10}]'
for part in train test; do
  for array in x y; do
    for suffix in '' "_$part"; do
      cp npy.$part.$array.npy $array$suffix.npy
    done
  done
  python3 -m zipfile -c npz.$part.npz x.npy y.npy
  python3 -m zipfile -c keras.$part.npz x_$part.npy y_$part.npy
done
alone npz '{train: npz.train.npz, test: npz.test.npz}' '[{linear: 3}]'
alone keras '{train: keras.train.npz, test: keras.test.npz}' '[{linear: 3}]'

mkdir -p images.train/{bag,boot} images.test/{bag,boot}
for kind in bag boot; do
  cp "$clothes"/train/$kind/0[0-7].png images.train/$kind/
  cp "$clothes"/train/$kind/1[0-3].png images.test/$kind/
done
alone images '{train: images.train, test: images.test, size: [8, 8], channels: 1}' '[flatten, {linear: 2}]'
mv images.train masks.train && mv images.test masks.test
alone masks '{train: masks.train/bag, targets: masks.train/boot, test: masks.test/bag, test_targets: masks.test/boot, channels: 1,
  target_channels: 1, size: [8, 8]}' '[{conv2d: {out_channels: 1, kernel_size: 3, padding: 1}}]' 'loss: mse\n'
finish
