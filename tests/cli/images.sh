#!/usr/bin/env bash
# Images as data: training on a folder, predictions for files, unreadable images, the cache of decoded images, images as
# targets; CIFAR's binary files.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

red=$TEST_TMP/red.jpg cmyk=$TEST_TMP/cmyk.jpg # 16x16, of libjpeg-turbo
base64 -d > "$red" << 'JPEG'
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4
x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAARCAAQ
ABADASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAQIE/8QAFRABAQAAAAAAAAAAAAAAAAAAABH/xAAVAQEBAAAAAAAAAAAAAAAAAAAEBv
/EABYRAQEBAAAAAAAAAAAAAAAAAAABEf/aAAwDAQACEQMRAD8AwwRcEB1QWv/Z
JPEG
base64 -d > "$cmyk" << 'JPEG'
/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAUDg8SDw0UEhASFxUUGB4yIR4cHB49LC4kMklATEtHQEZFUFpzYlBVbVZFRmSIZW13e4GCgU5gjZeMfZ
ZzfoF8/8AAFAgAEAAQBEMRAE0RAFkRAEsRAP/EABYAAQEBAAAAAAAAAAAAAAAAAAACBv/EABYQAQEBAAAAAAAAAAAAAAAAAAABEf/aAA4EQwBN
AFkASwAAPwDR1ncZhj0UwF1eAimA/9k=
JPEG
# png FILE WIDTH HEIGHT RED GREEN BLUE [DEPTH [ROWS]]: an image of one color with some noise, 8 bits per value; only the
# first ROWS rows are written.
png() {
  mkdir -p "$(dirname "$1")"
  python3 - "$@" << 'PYTHON'
import random, struct, sys, zlib
path, width, height = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
colour, depth = [int(v) for v in sys.argv[4:7]], int(sys.argv[7]) if len(sys.argv) > 7 else 8
rows = int(sys.argv[8]) if len(sys.argv) > 8 else height
random.seed(path.rsplit("/", 2)[-2:][1] + str(colour))
row = lambda: b"\0" + bytes(max(0, min(255, v + random.randint(-30, 30))) for _ in range(width * depth // 8) for v in colour)
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
with open(path, "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, 2, 0, 0, 0)))
    file.write(chunk(b"IDAT", zlib.compress(b"".join(row() for _ in range(rows)))) + chunk(b"IEND", b""))
PYTHON
}

pictures=$TEST_TMP/pictures
for i in {1..8}; do
  png "$pictures/red/$i.png" $((10 + 3 * i)) 20 200 60 60
  png "$pictures/blue/$i.png" 20 $((8 + 2 * i)) 50 50 210
done
cp "$red" "$pictures/red/z.jpg"
cat > "$TEST_TMP/pictures.yaml" << YAML
data: {train: $pictures, size: 12, test_fraction: 0.25, normalize: channel}
model: [flatten, {linear: 2}]
train: {epochs: 6, batch_size: 4}
YAML
train() { "$GTRAIN" train "$TEST_TMP/pictures.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$1" "${@:2}"; }

exits 0 "trains on a folder of pictures" train plain --quiet
exits 0 "evaluates" "$GTRAIN" eval "$TEST_TMP/plain/model.bin" --device "$DEVICE" --fail-if 'accuracy<1' --fail-if 'samples<4'
exits 0 "… on another folder" "$GTRAIN" eval "$TEST_TMP/plain/model.bin" --device "$DEVICE" --set data.test_fraction=0 \
  --set data.test="$pictures" --fail-if 'samples<17'
exits 0 "a resolved config is one" "$GTRAIN" check "$TEST_TMP/plain/config.yaml"
cp "$TEST_TMP/pictures.yaml" "$pictures/.yaml"
exits 0 "a folder is found next to the config" env -C / "$GTRAIN" check "$TEST_TMP/pictures.yaml" --set data.train=pictures
GTRAIN_THREADS=1 train one --quiet > /dev/null
check "the number of threads changes nothing" cmp "$TEST_TMP/plain/model.bin" "$TEST_TMP/one/model.bin"

# --- predictions ------------------------------------------------------------------------------------------------

predict() { "$GTRAIN" predict "$TEST_TMP/plain/model.bin" --device "$DEVICE" "$@"; }
exits 0 "predicts pictures" predict "$pictures"/*/3.png "$red"
check "… a line each" test "$(grep -c : <<< "$out")" = 3
says "… named: blue" "$pictures/blue/3.png: blue "
says "… named: a JPEG of another size" "$red: red "
exits 0 "… as JSON" predict --json "$red"
says "… with the file" "{\"file\":\"$red\",\"class\":1,\"name\":\"red\""
exits 0 "… into a CSV" predict "$pictures"/red/* --output "$TEST_TMP/out.csv"
check "… a line each" test "$(wc -l < "$TEST_TMP/out.csv")" = 10
check "… by its file" test "$(head -n 2 "$TEST_TMP/out.csv" | cut -d, -f1 | paste -sd' ')" = "file $pictures/red/1.png"
exits 2 "no file at all" predict
exits 65 "no picture" predict "$TEST_TMP/pictures.yaml"
exits 65 "a picture that is none" predict "$red" "$cmyk"
says "… is named" "cmyk.jpg: expected an RGB or grayscale JPEG file; this one is CMYK"
exits 74 "a file that is not there" predict "$pictures/red/none.png"
"$GTRAIN" train configs/xor.yaml --device "$DEVICE" --quiet --run-dir "$TEST_TMP/xor" --set train.epochs=1 > /dev/null
exits 65 "a model of other numbers" "$GTRAIN" predict "$TEST_TMP/xor/model.bin" --device "$DEVICE" "$red"
says "… is reported" "the model was not trained on image bytes"

# --- unreadable images ------------------------------------------------------------------------------------------

bad=$TEST_TMP/bad
cp -r "$pictures" "$bad"
cp "$bad/red/3.png" "$bad/red/broken.png"
printf 'XXXX' | dd of="$bad/red/broken.png" bs=1 seek=60 conv=notrunc status=none
head -c 200 "$red" > "$bad/red/cut.jpg"
echo "no picture" > "$bad/red/text.png"
cp "$cmyk" "$bad/blue/cmyk.jpg"
png "$bad/blue/sixteen.png" 8 8 10 20 30 16
png "$bad/blue/huge.png" 100000 100000 10 20 30 8 0
exits 0 "bad pictures are left out" "$GTRAIN" train "$TEST_TMP/pictures.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/left" \
  --set data.train="$bad" --set data.on_error=skip
left=$out
says "… and counted" "skipped 6 of 23 images of the training split: they could not be read"
for text in "broken.png: damaged PNG file: IDAT: " "cut.jpg: damaged JPEG file: Premature end of JPEG file" \
  "text.png is neither a PNG nor a JPEG file, by its first bytes" "cmyk.jpg: expected an RGB or grayscale JPEG file" \
  "sixteen.png: 16 bits per channel are not supported; convert it to 8 bits" \
  "huge.png: the header says 100000 x 100000 pixels, more than max_pixels: 100000000"; do
  out=$left
  says "… and named, with the reason" "/$text"
  file=$(find "$bad" -name "${text%%[: ]*}")
  rm -rf "$TEST_TMP/single"
  mkdir -p "$TEST_TMP/single/a"
  cp "$file" "$TEST_TMP/single/a"
  exits 65 "${text%%[: ]*} alone is refused" "$GTRAIN" check "$TEST_TMP/pictures.yaml" --set data.train="$TEST_TMP/single"
  says "… by the same words" "$text"
done
check "the others are the same samples" cmp \
  <("$GTRAIN" eval "$TEST_TMP/left/model.bin" --device "$DEVICE" --json 2> /dev/null) \
  <("$GTRAIN" eval "$TEST_TMP/plain/model.bin" --device "$DEVICE" --json 2> /dev/null)
exits 65 "a folder with bad pictures" "$GTRAIN" predict "$TEST_TMP/plain" "$bad" --device "$DEVICE" -o "$TEST_TMP/good.csv"
says "… names them" "cut.jpg: damaged JPEG file: Premature end of JPEG file"
says "… and counts them" "error: 6 of 23 images could not be read"
exits 0 "… the others are predicted" "$GTRAIN" predict "$TEST_TMP/plain" "$pictures" --device "$DEVICE" -o "$TEST_TMP/all.csv"
check "… all of them" diff <(sed "s|$bad/||" "$TEST_TMP/good.csv") <(sed "s|$pictures/||" "$TEST_TMP/all.csv")
exits 65 "without a size all have to be of one" "$GTRAIN" check <(sed 's/size: 12, //' "$TEST_TMP/pictures.yaml")
check "… and to be left out is no way" test "$(grep -c on_error <<< "$out")" = 0
says "… and the first that is not is named" "pixels; the others have 20 x 10 (set size: [HEIGHT, WIDTH] to resize all of them)"
exits 0 "… unless the others are left out" "$GTRAIN" check --set data.on_error=skip --set data.test_fraction=0 <(sed 's/size: 12, //' "$TEST_TMP/pictures.yaml")
says "… which is told with its cause" "images of the training split: their size differs; set size: [HEIGHT, WIDTH] to use them"
exits 78 "an unknown option" "$GTRAIN" check "$TEST_TMP/pictures.yaml" --set data.chanels=1
says "… with what was meant" "did you mean 'channels'?"

# --- the cache of decoded images ---------------------------------------------------------------------------------

cache=$TEST_TMP/decoded/pictures.cache
exits 0 "trains and keeps the pictures" train kept --set data.cache="$cache"
check "… in one file" test -s "$cache"
exits 0 "trains on the kept ones" train again --set data.cache="$cache"
says "… and says so" "using the decoded images in $cache"
check "… to the same weights" cmp <(tail -c 3000 "$TEST_TMP/plain/model.bin") <(tail -c 3000 "$TEST_TMP/again/model.bin")
touch "$pictures/red/3.png"
exits 0 "a picture that has changed is noticed" train changed --set data.cache="$cache"
says "… and said" "does not match the images and options, or is damaged; rewriting it"
exits 0 "evaluates without leave to write" "$GTRAIN" eval "$TEST_TMP/changed/model.bin" --device "$DEVICE"
rm "$cache"
cp "$TEST_TMP/changed/model.bin" "$TEST_TMP/sent.bin"
exits 0 "… and writes nothing" "$GTRAIN" eval "$TEST_TMP/sent.bin" --device "$DEVICE"
check "… where the model says" test ! -e "$cache"
exits 0 "a file that cannot be written costs a warning" train unwritten --set data.cache=/dev/null/x
says "… that says why" "warning: decoded images are not cached for the next run"

# --- images as targets -------------------------------------------------------------------------------------------

cat > "$TEST_TMP/again.yaml" << YAML
data: {train: $pictures, targets: $pictures, size: 6, test_fraction: 0.25}
model: [flatten, {linear: 20}, tanh, {linear: 108}, sigmoid, {reshape: [6, 6, 3]}]
loss: mse
optimizer: {type: adam, lr: 0.02}
train: {epochs: 80, batch_size: 13, eval_every: 80}
YAML
exits 0 "trains from pictures to pictures" "$GTRAIN" train "$TEST_TMP/again.yaml" --device "$DEVICE" --quiet \
  --run-dir "$TEST_TMP/autoencoder"
exits 0 "… which it learns" "$GTRAIN" eval "$TEST_TMP/autoencoder/model.bin" --device "$DEVICE" --fail-if 'loss>0.02'
exits 0 "… and predicts" "$GTRAIN" predict "$TEST_TMP/autoencoder/model.bin" --device "$DEVICE" "$red" "$pictures/blue/1.png" \
  --output "$TEST_TMP/shown/here/"
check "… pictures" test "$(cd "$TEST_TMP/shown/here" && echo *)" = "1.png red.png"
exits 0 "… that are read again" "$GTRAIN" predict "$TEST_TMP/plain/model.bin" --device "$DEVICE" "$TEST_TMP"/shown/here/*.png
check "… as what they show: blue" grep -q "1.png: blue" <<< "$out"
check "… as what they show: red" grep -q "red.png: red" <<< "$out"
exits 2 "a picture twice" "$GTRAIN" predict "$TEST_TMP/autoencoder/model.bin" --device "$DEVICE" \
  "$pictures"/blue/1.png "$pictures"/blue/1.png --output "$TEST_TMP/shown/"
says "… is reported" "two images would be written to $TEST_TMP/shown/1.png"
exits 2 "paths that lead out of the folder" "$GTRAIN" predict "$TEST_TMP/autoencoder/model.bin" --device "$DEVICE" \
  "$pictures"/blue/1.png "$pictures"/../"${pictures##*/}"/blue/1.png --output "$TEST_TMP/shown/"
exits 0 "a folder" "$GTRAIN" predict "$TEST_TMP/autoencoder" --device "$DEVICE" "$pictures" --output "$TEST_TMP/below/"
check "… with the folders that tell pictures of one name apart" cmp "$TEST_TMP/below/blue/1.png" "$TEST_TMP/shown/here/1.png"
check "… each picture" test "$(find "$TEST_TMP/below" -name '*.png' | wc -l)" = "$(find "$pictures" -iname '*.png' -o -iname '*.jp*g' | wc -l)"
# A run syncs what it could not make again. To sync each of thousands of pictures takes longer than to compute them.
if strace -o "$TEST_TMP/trace" true 2> /dev/null; then
  strace -f -e trace=fsync,rename -o "$TEST_TMP/trace" "$GTRAIN" predict "$TEST_TMP/autoencoder" --device "$DEVICE" "$pictures" \
    --output "$TEST_TMP/below/" > "$TEST_TMP/traced" 2>&1 || true
  check "… without a sync of each" test "$(grep -c fsync "$TEST_TMP/trace")" -lt "$(grep -c 'rename.*png' "$TEST_TMP/trace")"
fi
mkdir "$TEST_TMP/mixed" && cp "$pictures/blue/1.png" "$TEST_TMP/mixed/b.png" && cp "$red" "$TEST_TMP/mixed/a.PNG"
touch "$TEST_TMP/mixed/notes.txt" "$TEST_TMP/mixed/.hidden.png"
exits 0 "a folder for a classifier" "$GTRAIN" predict "$TEST_TMP/plain" "$TEST_TMP/mixed/" --device "$DEVICE"
says "… in order, by name" "$TEST_TMP/mixed/a.PNG: red"
check "… one a line" test "$(grep -c "^$TEST_TMP/mixed/[ab]" <<< "$out")" = 2
says "… what is left out" "skipped 1 file that is not PNG or JPEG"
rm "$TEST_TMP"/mixed/[ab]*
exits 65 "a folder without pictures" "$GTRAIN" predict "$TEST_TMP/plain" "$TEST_TMP/mixed" --device "$DEVICE"
says "… is reported" "$TEST_TMP/mixed is a folder without pictures (.png, .jpg, .jpeg)"
exits 2 "classes are no pictures" predict "$red" --output "$TEST_TMP/shown/"
says "… which is reported" "the model's outputs are not images"

# --- CIFAR -------------------------------------------------------------------------------------------------------

python3 - "$TEST_TMP/cifar.bin" << 'PYTHON'
import sys
record = lambda label: bytes([label]) + b"".join(bytes([20 * label + 10 * c]) * 1024 for c in range(3))
open(sys.argv[1], "wb").write(b"".join(record(i % 10) for i in range(40)))
PYTHON
cat > "$TEST_TMP/cifar.yaml" << YAML
data: {format: cifar, train: $TEST_TMP/cifar.bin, test_fraction: 0.25, normalize: channel}
model: [flatten, {linear: 10}]
train: {epochs: 1, batch_size: 10}
YAML
exits 0 "trains on CIFAR's files" "$GTRAIN" train "$TEST_TMP/cifar.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/cifar"
exits 0 "… and predicts pictures" "$GTRAIN" predict "$TEST_TMP/cifar/model.bin" --device "$DEVICE" "$red" --json
says "… by name" '"name":"'
head -c 3000 "$TEST_TMP/cifar.bin" > "$TEST_TMP/short.bin"
exits 65 "a truncated file" "$GTRAIN" check "$TEST_TMP/cifar.yaml" --set data.train="$TEST_TMP/short.bin"
says "… is named" "short.bin holds 3000 bytes, which is not a multiple of the record size"
finish
