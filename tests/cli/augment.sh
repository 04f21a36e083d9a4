#!/usr/bin/env bash
# Augmentation: the same bits for any number of threads and after a resume; augmentations that change nothing leave the
# bits as they are; no effect on evaluations; contact sheets of the augmented images; eval.flip, the mean over mirrored
# images.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cat > "$TEST_TMP/run.yaml" << 'YAML'
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: {scale: 0.0625}, shape: [8, 8]}
augment:
  - random_crop: 1
  - random_affine: {degrees: 10, translate: [0.1, 0], scale: [0.9, 1.1], shear: 5}
  - random_resized_crop: {scale: [0.7, 1]}
  - color_jitter: {brightness: 0.2, contrast: 0.2}
  - cutout: 2
  - random_erasing: 0.25
  - mixup: 0.2
  - cutmix: {p: 0.5}
model: [flatten, {linear: 60}, relu, {linear: 10}]
optimizer: {type: adam, lr: 3e-3}
train: {epochs: 4, batch_size: 100, log_every: 1, checkpoint: {every: 1, keep_last: 9}}
YAML
train() { "$GTRAIN" train "$TEST_TMP/run.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/$1" "${@:2}"; }
same() { cmp "$TEST_TMP/$1/model.bin" "$TEST_TMP/$2/model.bin" && cmp "$TEST_TMP/$1/metrics.jsonl" "$TEST_TMP/$2/metrics.jsonl"; }
same_metrics() { cmp "$TEST_TMP/$1/metrics.jsonl" "$TEST_TMP/$2/metrics.jsonl"; }
differ() { ! cmp -s "$1" "$2"; }

# --- the same bits ---
for threads in 1 2 5; do exits 0 "$threads threads" train "$threads" --set train.threads=$threads; done
check "two threads change nothing" same 1 2
check "five neither" same 1 5
exits 0 "plain" train plain --set 'augment=[]'
check "augmentation changes training" differ "$TEST_TMP/1/metrics.jsonl" "$TEST_TMP/plain/metrics.jsonl"
exits 0 "another seed" train seed --set seed=2
check "draws other changes" differ "$TEST_TMP/1/metrics.jsonl" "$TEST_TMP/seed/metrics.jsonl"

for kind in whole accumulated phases; do
  case $kind in
    whole) settings=(--set train.epochs=4) ;;
    accumulated) settings=(--set train.accumulate=3) ;;
    phases) sed 's/epochs: 4,/phases: [{epochs: 2}, {epochs: 2, augment: [{random_crop: 1}], train.batch_size: 64}],/' \
      "$TEST_TMP/run.yaml" > "$TEST_TMP/phases.yaml" && mv "$TEST_TMP/phases.yaml" "$TEST_TMP/run.yaml" && settings=() ;;
  esac
  exits 0 "$kind" train $kind "${settings[@]}"
  cp -r "$TEST_TMP/$kind" "$TEST_TMP/$kind-stopped"
  rm "$TEST_TMP/$kind-stopped/model.bin"
  find "$TEST_TMP/$kind-stopped/checkpoints" -name '*.safetensors' | sort | tail -n +2 | xargs rm
  exits 0 "$kind: resumed from its first checkpoint" train $kind-stopped "${settings[@]}" --resume
  check "$kind: the same bits" same $kind $kind-stopped
done

# --- tone curves: the same loss as with images that were changed beforehand by torchvision's definitions ---
python3 - "$TEST_TMP" << 'PY'
import random, struct, sys
random.seed(3)
x = [random.randrange(256) for _ in range(40 * 12)]
def npy(name, kind, shape, data):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    head += ' ' * (117 - len(head)) + '\n'
    with open(f'{sys.argv[1]}/{name}.npy', 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + data)
def images(name, of):
    npy(name, '|u1', (40, 3, 4), bytes(of(v) for v in x))
npy('y', '<i4', (40,), struct.pack('<40i', *(i % 2 for i in range(40))))
images('x', lambda v: v)
images('invert', lambda v: 255 - v)
images('posterize', lambda v: v & 0xE0)
images('solarize', lambda v: 255 - v if v >= 0.7 * 255 else v)
images('gamma', lambda v: round(255 * (v / 255) ** 2))
PY
cat > "$TEST_TMP/tone.yaml" << 'YAML'
data: {train: {inputs: x.npy, targets: y.npy}, normalize: {scale: 0.00392156862745098}}
model: [flatten, {linear: 2}]
optimizer: {type: sgd, lr: 1.0e-9}
train: {epochs: 1, batch_size: 40, log_every: 1}
YAML
first_loss() {
  "$GTRAIN" train "$TEST_TMP/tone.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/tone-$1" "${@:2}" > /dev/null &&
    python3 -c 'import json, sys; print(json.loads(open(sys.argv[1]).readline())["loss"])' "$TEST_TMP/tone-$1/metrics.jsonl"
}
close() { python3 -c 'import sys; a, b, e = map(float, sys.argv[1:]); sys.exit(abs(a - b) > e)' "$@"; }
far() { ! close "$@"; }
plain=$(first_loss plain)
for tone in "invert {p: 1}" "posterize {bits: 3, p: 1}" "solarize {threshold: 0.7, p: 1}" "gamma [2, 2]"; do
  name=${tone%% *}
  before=$(first_loss "$name-before" --set "data.train.inputs=$TEST_TMP/$name.npy")
  drawn=$(first_loss "$name" --set "augment=[{random_$name: ${tone#* }}]")
  check "random_$name is what it says" close "$before" "$drawn" "$([[ $name == gamma ]] && echo 1e-4 || echo 1e-6)"
  check "and changes the images" far "$plain" "$drawn" 5e-4
done

# --- augmentations that change nothing: the same bits as without them ---
cat > "$TEST_TMP/run.yaml" << 'YAML'
data: {train: datasets/clothes/train, test: datasets/clothes/test, size: [28, 28], channels: 1, normalize: channel}
model: [flatten, {linear: 20}, relu, {linear: 5}]
loss: {type: cross_entropy, class_weights: [1, 2, 1, 1, 3]}
train: {epochs: 3, batch_size: 30}
YAML
exits 0 "plain" train clothes
exits 0 "changes of nothing" train nothing \
  --set 'augment=[{random_crop: 0}, {random_vertical_flip: 0}, {random_resized_crop: {scale: [1, 1], ratio: [1, 1]}}, {random_affine: 0}, {mixup: {p: 0}}, {cutout: {size: 1, p: 0}}, {random_posterize: {bits: 8, p: 1}}, {random_gamma: {gamma: [1, 1]}}, {random_invert: 0}]'
check "to the last bit" same_metrics clothes nothing
exits 0 "mirrored twice" train twice --set 'augment=[{random_horizontal_flip: 1}, {random_horizontal_flip: 1}]'
check "is as it was" same_metrics clothes twice

# --- evaluations ---
exits 0 "a model" train model --set 'augment=[random_horizontal_flip, {random_crop: 2}]'
evaluate() { "$GTRAIN" eval "$TEST_TMP/model/model.bin" --device "$DEVICE" --json "$@" 2> /dev/null; }
exits 0 "its evaluation" evaluate
plain=$out
exits 0 "… without augmentation" evaluate --set 'augment=[]'
check "is the same" test "$out" = "$plain"
exits 0 "over mirror images" evaluate --set eval.flip=true
check "is another" test "$out" != "$plain"
flipped=$out
exits 0 "… in small batches" evaluate --set eval.flip=true --set train.eval_batch_size=32
check "counts the same" test "${out%,\"loss*}" = "${flipped%,\"loss*}"
exits 0 "a model that asks for it" train asks --set 'augment=[random_horizontal_flip, {random_crop: 2}]' --set eval.flip=true
check "has the same weights" test "$(tail -c 4000 "$TEST_TMP/model/model.bin" | cksum)" = "$(tail -c 4000 "$TEST_TMP/asks/model.bin" | cksum)"
exits 0 "it is evaluated so" "$GTRAIN" eval "$TEST_TMP/asks/model.bin" --device "$DEVICE" --json
says "by itself" "$flipped"
for model in model asks; do
  exits 0 "predictions" "$GTRAIN" predict "$TEST_TMP/$model/model.bin" datasets/clothes/test/*/0*.png \
    --output "$TEST_TMP/$model.csv" --device "$DEVICE"
done
check "so are predictions" differ "$TEST_TMP/model.csv" "$TEST_TMP/asks.csv"

# --- sheets ---
sheet() { "$GTRAIN" check "$TEST_TMP/run.yaml" --samples "$TEST_TMP/$1.png" "${@:2}"; }
exits 0 "a sheet" sheet a --set 'augment=[{random_rotation: 30}, cutmix]'
says "is reported" "a.png: the first 64"
check "a PNG" test "$(head -c 4 "$TEST_TMP/a.png" | tail -c 3)" = PNG
exits 0 "again" sheet b --set 'augment=[{random_rotation: 30}, cutmix]'
check "the same" cmp "$TEST_TMP/a.png" "$TEST_TMP/b.png"
exits 0 "of plain samples" sheet b
check "another" differ "$TEST_TMP/a.png" "$TEST_TMP/b.png"
exits 0 "however they are normalised" sheet c --set 'data.normalize={mean: 0.3, std: 0.2}'
check "colours are the files'" cmp "$TEST_TMP/b.png" "$TEST_TMP/c.png"
exits 0 "as colours" sheet c --set data.channels=3
check "grey is grey" cmp "$TEST_TMP/b.png" "$TEST_TMP/c.png"
exits 2 "no pictures" "$GTRAIN" check configs/digits.yaml --samples "$TEST_TMP/d.png"
says "what to do" "data.shape"
exits 74 "no such folder" sheet no/such
exits 0 "hues turned by nothing" sheet d --set data.channels=3 --set 'augment=[{color_jitter: {hue: 0}}]'
check "grey stays grey" cmp "$TEST_TMP/b.png" "$TEST_TMP/d.png"
cat > "$TEST_TMP/pairs.yaml" << 'YAML'
data: {train: datasets/clothes/train, targets: datasets/clothes/train, size: [28, 20], target_channels: 1, validation: 0.1}
augment: [random_vertical_flip, {random_affine: {degrees: 20, fill: [1, 0, 0]}}, {color_jitter: {saturation: 0.5}}, mixup]
model: [{conv2d: {out_channels: 1, kernel_size: 3, padding: 1}}]
train: {epochs: 1, batch_size: 50}
YAML
exits 0 "batches of one" sheet d --set train.batch_size=1 --set 'augment=[mixup]'
exits 0 "pictures as targets" "$GTRAIN" check "$TEST_TMP/pairs.yaml" --samples "$TEST_TMP/pairs.png"
exits 0 "… move along" "$GTRAIN" train "$TEST_TMP/pairs.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/pairs"
exits 0 "… and are mirrored back" "$GTRAIN" eval "$TEST_TMP/pairs/model.bin" --device "$DEVICE" --set eval.flip=true

# --- a crop of each image: half of the excess is cut before it, and 1.5 columns are rounded to 2, as in torchvision ---
cat > "$TEST_TMP/run.yaml" << YAML
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: {scale: 0.0625}, shape: [8, 8], crop: [6, 5]}
model: [flatten, {linear: 40}, relu, {linear: 10}]
train: {epochs: 2, batch_size: 100, log_every: 1}
YAML
awk -F, -v OFS=, '{ for (y = line = 0; y < 6; y++) for (x = 0; x < 5; x++) line = line "," $((y + 1) * 8 + x + 2 + 1); print $NF substr(line, 2) }' \
  datasets/digits/digits.csv > "$TEST_TMP/middle.csv"
exits 0 "the middle of each" train piece
exits 0 "… cut out beforehand" train middle --set data.train="$TEST_TMP/middle.csv" --set 'data.shape=[6, 5]' \
  --set 'data.crop=[6, 5]'
check "is the same" same_metrics piece middle
exits 0 "all of each" train all --set 'data.crop=[8, 8]'
sed 's/, crop: [^}]*}/}/' "$TEST_TMP/run.yaml" > "$TEST_TMP/silent.yaml"
exits 0 "… without a word of it" "$GTRAIN" train "$TEST_TMP/silent.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/silent"
check "is the same, too" same_metrics all silent
exits 0 "no crop among the changes" train turned --set 'augment=[{random_vertical_flip: 0}]'
check "takes the middle" same_metrics piece turned
for list in '[{random_crop: 1}, {cutout: 2}]' '[random_resized_crop, mixup]'; do
  for threads in 1 3; do
    exits 0 "$list, $threads threads" train piece$threads --set "augment=$list" --set train.threads=$threads
  done
  check "the same bits" same piece1 piece3
  check "not those of the middle" differ "$TEST_TMP/piece1/metrics.jsonl" "$TEST_TMP/piece/metrics.jsonl"
  exits 0 "its model reads whole samples" "$GTRAIN" predict "$TEST_TMP/piece1/model.bin" --device "$DEVICE" \
    --input datasets/digits/digits.csv --output "$TEST_TMP/piece.csv"
  exits 0 "… and is evaluated" "$GTRAIN" eval "$TEST_TMP/piece1/model.bin" --device "$DEVICE" --set eval.flip=true
  exits 0 "a sheet" sheet e --set "augment=$list"
  rm -r "$TEST_TMP"/piece[13]
done
exits 0 "checks a piece" "$GTRAIN" check "$TEST_TMP/run.yaml"
says "… and says so" "6 x 5 pixels of 8 x 8"
exits 78 "larger than the images" "$GTRAIN" check "$TEST_TMP/run.yaml" --set 'data.crop=[8, 9]'
says "… which is said" "at most [8, 8]"
exits 78 "samples that are not pictures" "$GTRAIN" check "$TEST_TMP/run.yaml" --set 'data.shape=[64]'
says "… which is said" "only images can be cropped"
exits 78 "pixels that are scaled each" "$GTRAIN" check "$TEST_TMP/run.yaml" --set data.normalize=standard
says "… which is said" "the normalization differs per pixel"
for list in '[]' '[random_horizontal_flip]' '[{random_crop: 2}]'; do
  exits 0 "pieces of targets: $list" "$GTRAIN" train "$TEST_TMP/pairs.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/cut" \
    --set 'data.crop=[20, 16]' --set "augment=$list"
  rm -rf "$TEST_TMP/cut-sheet.png"
  exits 0 "… are shown" "$GTRAIN" check "$TEST_TMP/pairs.yaml" --samples "$TEST_TMP/cut-sheet.png" --set 'data.crop=[20, 16]' \
    --set "augment=$list"
  exits 0 "… and evaluated" "$GTRAIN" eval "$TEST_TMP/cut/model.bin" --device "$DEVICE"
  exits 0 "… and predicted" "$GTRAIN" predict "$TEST_TMP/cut/model.bin" --device "$DEVICE" datasets/clothes/test/bag/00.png \
    --output "$TEST_TMP/cut/out/"
  rm -r "$TEST_TMP/cut"
done

# --- mistakes ---
refused() { # NAME LIST PLACE TEXT
  printf 'data: {train: datasets/clothes/train, size: [28, 28], channels: 1}\naugment: %s\nmodel: [flatten, {linear: 5}]\n' "$2" \
    > "$TEST_TMP/wrong.yaml"
  exits 78 "$1" "$GTRAIN" check "$TEST_TMP/wrong.yaml"
  says "… where" "wrong.yaml:$3: error: "
  says "… what" "$4"
}
refused "no list" "{random_crop: 4}" 2:10 "must be a list"
refused "two in one" "[{random_crop: 4, mixup: 1}]" 2:28 "is a name, or a name with its settings"
refused "twice" "[{mixup: 1}, {mixup: 0.2}]" 2:24 "'mixup' is in the list twice"
refused "alpha" "[{mixup: -1}]" 2:19 "at least 0.01"
refused "an empty range" "[{random_resized_crop: {scale: [1, 0.5]}}]" 2:41 "[min, max]"
refused "one number" "[{random_affine: {degrees: 1, scale: 2}}]" 2:47 "two numbers for 'scale'"
refused "too many paddings" "[{random_crop: [1, 2, 3]}]" 2:25 "[horizontal, vertical]"
refused "too many channels" "[{cutout: {size: 1, value: [0, 1]}}]" 2:37 "the images have 1 channel"
refused "colours of grey" "[{color_jitter: {saturation: 1}}]" 2:39 "the images have 1 channel"
refused "hues of grey" "[{color_jitter: {hue: 0.1}}]" 2:32 "changes the hue of colors, but the images have 1 channel"
refused "more than half around" "[{color_jitter: {hue: 0.6}}]" 2:32 "at most 0.5"
refused "two fills" "[{random_crop: {padding: 1, fill: 1}}, {random_rotation: {degrees: 1, fill: 0}}]" 2:86 "in line 2"
refused "nothing to fill" "[{random_crop: {padding: 1, padding_mode: reflect}}, {random_rotation: {degrees: 1, fill: 0}}]" 2:100 \
  "nothing is filled"
refused "no colours" "[random_grayscale]" 2:11 "needs color images"
refused "too many tones" "[{random_gamma: [1, 2]}, random_invert, random_solarize, {random_posterize: 1}, random_invert]" 2:90 \
  "'random_invert' is in the list twice"
refused "two ways" "[{random_rotation: {degrees: 1, interpolation: nearest}}, {random_affine: {degrees: 1, interpolation: bilinear}}]" \
  2:112 "they are applied in one step and must agree"
refused "too many that erase" "[{cutout: 1}, {cutout: 1}, {cutout: 1}, {cutout: 1}, {cutout: 1}]" 2:64 "at most 4 may erase"
exits 78 "lbfgs" "$GTRAIN" check configs/digits.yaml --set data.shape='[8, 8]' --set 'model=[flatten, {linear: 10}]' \
  --set 'augment=[{random_crop: 1}]' --set optimizer=lbfgs
says "why" "they cannot be augmented"
exits 0 "values beyond white" "$GTRAIN" check configs/digits.yaml --set data.shape='[8, 8]' --set 'model=[flatten, {linear: 10}]' \
  --set 'augment=[{color_jitter: {brightness: 0.1}}]' --set data.normalize=standard
says "a warning" "values up to 16; colour augmentations clip at white, which is 1"
exits 78 "no picture to mirror" "$GTRAIN" check configs/digits.yaml --set eval.flip=true
says "where" "only images can be mirrored"
finish
