#!/usr/bin/env bash
# --output and similar options: a regular file is replaced when the new one is complete, and keeps its mode; links are
# followed; pipes and devices are written to; the file extension selects the format.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
tmp=$TEST_TMP

"$GTRAIN" train configs/digits.yaml --device "$DEVICE" --run-dir "$tmp/run" --set train.epochs=1 --quiet > /dev/null
model=$tmp/run/model.bin
head -n 20 datasets/digits/digits.csv > "$tmp/new.csv"
predict() { "$GTRAIN" predict "$model" --input "$tmp/new.csv" --device "$DEVICE" --quiet "$@"; }
inode() { stat -c %i "$1"; }

# --- plain files -------------------------------------------------------------------------------------------------
exits 0 "a new file" predict --output "$tmp/out.csv"
check "has the usual mode" test "$(stat -c %a "$tmp/out.csv")" = "$(printf %o $((0666 & ~$(umask))))"
cp "$tmp/out.csv" "$tmp/wanted"
chmod 600 "$tmp/out.csv"
before=$(inode "$tmp/out.csv")
exits 0 "an old file" predict --output "$tmp/out.csv"
check "keeps its mode" test "$(stat -c %a "$tmp/out.csv")" = 600
check "is another file, whole at once" test "$(inode "$tmp/out.csv")" != "$before"
if ((EUID == 0)); then
  chown 12345:54321 "$tmp/out.csv"
  chmod 640 "$tmp/out.csv"
  exits 0 "a file of the user" predict --output "$tmp/out.csv"
  check "stays theirs" test "$(stat -c '%u:%g %a' "$tmp/out.csv")" = "12345:54321 640"
else
  chmod 400 "$tmp/out.csv"
  exits 74 "a file that must not be written" predict --output "$tmp/out.csv"
fi
check "nothing temporary is left" test -z "$(find "$tmp" -name '*.tmp-*')"

# --- links -------------------------------------------------------------------------------------------------------
mkdir "$tmp/folder" "$tmp/folder/inner"
echo old > "$tmp/folder/target.csv"
ln -s inner/../target.csv "$tmp/folder/first.csv"
ln -s "$tmp/folder/first.csv" "$tmp/second.csv"
exits 0 "a link to a link" predict --output "$tmp/second.csv"
check "the links stay" test -L "$tmp/second.csv" -a -L "$tmp/folder/first.csv"
check "their target is written" cmp "$tmp/folder/target.csv" "$tmp/wanted"
ln -s folder/later.csv "$tmp/dangling.csv"
exits 0 "a link to what is not there yet" predict --output "$tmp/dangling.csv"
check "makes it" cmp "$tmp/folder/later.csv" "$tmp/wanted"
ln -s loop.csv "$tmp/loop.csv"
exits 74 "a link to itself" predict --output "$tmp/loop.csv"
exits 74 "a folder" predict --output "$tmp/folder"
exits 74 "a folder that is not there" predict --output "$tmp/absent/out.csv"
exits 74 "an empty name" predict --output ""

# --- pipes, devices, descriptors ---------------------------------------------------------------------------------
mkfifo "$tmp/pipe"
ln -s pipe "$tmp/pipe.csv"
for name in pipe pipe.csv; do
  or_hangs cat "$tmp/pipe" > "$tmp/read" &
  exits 0 "a pipe ($name)" or_hangs "$GTRAIN" predict "$model" --input "$tmp/new.csv" --device "$DEVICE" --quiet --output "$tmp/$name"
  wait $!
  check "is written to" cmp "$tmp/read" "$tmp/wanted"
done
check "and stays one" test -p "$tmp/pipe"
if mknod "$tmp/full" c 1 7 2> /dev/null && ! echo > "$tmp/full" 2> /dev/null && [[ -c $tmp/full ]]; then
  exits 74 "a full device" predict --output "$tmp/full"
  check "stays one" test -c "$tmp/full"
  mknod "$tmp/null" c 1 3
  ln -s null "$tmp/null.csv"
  exits 0 "a device that takes all" predict --output "$tmp/null.csv"
  check "stays one, too" test -c "$tmp/null" -a -L "$tmp/null.csv"
fi
# A link like /dev/stdout in the test's folder. The system's link is not used, because a bug could replace it if the
# test runs as root.
ln -s /proc/self/fd/1 "$tmp/stdout"
for name in "$tmp/stdout" /dev/fd/1 /proc/self/fd/1; do
  check "$name" cmp <(predict --output "$name") "$tmp/wanted"
  { echo before && predict --output "$name" && echo after; } > "$tmp/written"
  check "$name, a file that is at its middle" cmp "$tmp/written" <(echo before && cat "$tmp/wanted" && echo after)
done
echo before > "$tmp/written"
predict --output "$tmp/stdout" >> "$tmp/written"
check "a file that is appended to" cmp "$tmp/written" <(echo before && cat "$tmp/wanted")
predict --output >(gzip > "$tmp/wanted.gz")
wait $!
check "a program's input" cmp <(gzip -dc "$tmp/wanted.gz") "$tmp/wanted"
exits 74 "a descriptor that is closed" predict --output /dev/fd/77
closed() { "$@" >&-; }
exits 74 "standard output, closed" closed predict --output "$tmp/stdout"

check "-" cmp <(cd "$tmp/folder" && "$GTRAIN" predict "$model" --input "$tmp/new.csv" --device "$DEVICE" --quiet --output -) "$tmp/wanted"
check "is no file" test ! -e "$tmp/folder/-"
exits 0 "- in a message" "$GTRAIN" predict "$model" --input "$tmp/new.csv" --device "$DEVICE" --output -
says "is standard output" "19 predictions written to standard output"

# --- files of a run ----------------------------------------------------------------------------------------------
cp -r "$tmp/run" "$tmp/run2"
for name in config.yaml metrics.jsonl model.bin; do
  ln -sf "$tmp/run2/$name" "$tmp/own.csv"
  exits 2 "a link to $name of a run" predict --output "$tmp/own.csv"
  says "… is refused" "own.csv belongs to a run and is not replaced"
  check "… and stays as it was" cmp "$tmp/run/$name" "$tmp/run2/$name"
done
exits 0 "another file beside them" predict --output "$tmp/run2/new.csv"
mkdir "$tmp/no-run"
echo old > "$tmp/no-run/metrics.jsonl"
exits 0 "a file of that name elsewhere" predict --json --output "$tmp/no-run/metrics.jsonl"

# --- file extensions ---------------------------------------------------------------------------------------------
exits 0 "JSON lines" predict --output "$tmp/out.jsonl"
check "are those of --json" cmp "$tmp/out.jsonl" <(predict --json)
exits 0 "JSON" predict --output "$tmp/out.JSON"
check "is an array of them" cmp <(grep -v '^[][]$' "$tmp/out.JSON" | sed 's/,$//') "$tmp/out.jsonl"
check "from end to end" test "$(head -c 1 "$tmp/out.JSON")$(tail -n 1 "$tmp/out.JSON")" = "[]"
exits 0 "npy" predict --output "$tmp/out.npy"
check "is one" test "$(head -c 6 "$tmp/out.npy" | tail -c 5)" = NUMPY
check "without an ending, --json" cmp <(predict --json --output "$tmp/stdout") "$tmp/out.jsonl"
for name in out.txt out.csv.gz out.parquet; do
  exits 2 "$name" predict --output "$tmp/$name"
  says "the forms there are" ".csv, .npy, .json or .jsonl"
  check "is not written" test ! -e "$tmp/$name"
done

# --- the other commands ------------------------------------------------------------------------------------------
"$GTRAIN" train configs/checkerboard.yaml --device "$DEVICE" --run-dir "$tmp/ca" --set train.steps=2 --quiet > /dev/null
simulate() { "$GTRAIN" simulate "$tmp/ca/model.bin" --steps 3 --quiet "$@"; }
for option in final animation; do
  rm -f "$tmp/target"
  echo old > "$tmp/target"
  chmod 600 "$tmp/target"
  ln -sf target "$tmp/link"
  exits 0 "simulate --$option" simulate --$option "$tmp/link"
  check "follows a link" test -L "$tmp/link" -a "$(stat -c %a "$tmp/target")" = 600 -a "$(stat -c %s "$tmp/target")" -gt 20
  cat "$tmp/pipe" > "$tmp/read" &
  exits 0 "simulate --$option to a pipe" or_hangs "$GTRAIN" simulate "$tmp/ca/model.bin" --steps 3 --quiet --$option "$tmp/pipe"
  wait $!
  check "is the same" test "$(stat -c %s "$tmp/read")" = "$(stat -c %s "$tmp/target")" -a -p "$tmp/pipe"
done
simulate --final "$tmp/board" > "$tmp/said"
check "simulate --final stdout" cmp <(simulate --final "$tmp/stdout") <(cat "$tmp/board" "$tmp/said")
cp "$tmp/target" "$tmp/kept"
(ulimit -f 1 && trap '' XFSZ && simulate --scale 40 --animation "$tmp/target") > /dev/null 2>&1 && fail "a full disk"
check "a half animation does not replace a whole one" cmp "$tmp/target" "$tmp/kept"

exits 2 "one file for two outputs" simulate --animation "$tmp/target" --final "$tmp/link"
says "… is refused" "would be written twice"
mkdir "$tmp/logic"
"$GTRAIN" export "$tmp/ca/model.bin" --format c --quiet > "$tmp/logic/out.c"
echo old > "$tmp/logic/file.c"
chmod 600 "$tmp/logic/file.c"
ln -s file.c "$tmp/logic/link.c"
exits 0 "export" "$GTRAIN" export "$tmp/ca/model.bin" --format c --name ca --quiet --output "$tmp/logic/link.c"
check "follows a link" cmp "$tmp/logic/file.c" <("$GTRAIN" export "$tmp/ca/model.bin" --format c --name ca --quiet)
check "and keeps the mode" test "$(stat -c %a "$tmp/logic/file.c")" = 600
# --- no command replaces a file that it reads ---
# keeps FILE COMMAND…: the command names FILE as an output although it reads it.
keeps() {
  local file=$1 before
  shift
  before=$(cksum "$file")
  exits 2 "over an input: $(basename "$1") ${*: -2:1} ${*: -1}" "$@"
  says "… is refused" "is an input of this command"
  check "… and the input stays" test "$(cksum "$file")" = "$before"
}
ln "$tmp/new.csv" "$tmp/hard.csv"
ln -s new.csv "$tmp/soft.csv"
for name in new.csv ./new.csv folder/../new.csv hard.csv soft.csv; do
  keeps "$tmp/new.csv" predict --output "$tmp/$name"
done
from_stdin() { "$GTRAIN" predict "$model" - --device "$DEVICE" --quiet "$@" < "$tmp/new.csv"; }
keeps "$tmp/new.csv" from_stdin --output "$tmp/new.csv"
keeps "$tmp/new.csv" "$GTRAIN" eval "$model" --set data.test="$tmp/new.csv" --device "$DEVICE" --confusion "$tmp/new.csv"
cp "$model" "$tmp/model.json"
keeps "$tmp/model.json" "$GTRAIN" predict "$tmp/model.json" "$tmp/new.csv" --device "$DEVICE" --output "$tmp/model.json"
keeps "$tmp/ca/model.bin" "$GTRAIN" export "$tmp/ca" --format c --output "$tmp/ca/model.bin"
keeps "$tmp/board" simulate --start "$tmp/board" --final "$tmp/board"
keeps "$tmp/board" simulate --start "$tmp/board" --animation "$tmp/board"
"$GTRAIN" train configs/hellokan.yaml --device "$DEVICE" --run-dir "$tmp/kan" --set train.phases=null --set train.steps=1 \
  --quiet > "$tmp/trained" 2>&1 || cat "$tmp/trained"
for option in svg png; do
  keeps "$tmp/kan/model.bin" "$GTRAIN" explain "$tmp/kan" --no-formula --$option "$tmp/kan/model.bin"
done
# Pictures are named after their samples, so the folder of the inputs would hold outputs of the same names.
python3 - "$tmp" << 'PYTHON'
import os, struct, sys, zlib
os.chdir(sys.argv[1])
def png(path, value):
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes((value + 7 * x + 5 * y) % 256 for x in range(8)) for y in range(8))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
for folder in ("photos", "masks"):
    os.mkdir(folder)
    for i in range(6):
        png(f"{folder}/{i}.png", 20 * i)
PYTHON
cd "$tmp" || exit
printf '%s\n' 'data: {train: photos, targets: masks, channels: 1, target_channels: 1}' \
  'model: [{conv2d: {out_channels: 1, kernel_size: 1}}]' 'loss: bce' 'train: {epochs: 1}' > cells.yaml
exits 0 "a model of pictures" "$GTRAIN" train cells.yaml --device "$DEVICE" --run-dir cells --quiet
for folder in photos/ "$tmp/photos/"; do
  keeps photos/0.png "$GTRAIN" predict cells photos --device "$DEVICE" --output "$folder"
done
mkdir beside
cp photos/5.png beside/
ln photos/3.png beside/3.png
keeps photos/3.png "$GTRAIN" predict cells photos --device "$DEVICE" --output beside/
check "… and nothing else is written" test "$(ls beside)" = $'3.png\n5.png' -a "$(cksum < beside/5.png)" = "$(cksum < photos/5.png)"
exits 0 "pictures into another folder" "$GTRAIN" predict cells photos --device "$DEVICE" --output other/
check "… are written" test "$(ls other | wc -l)" = 6
cd "$ROOT" || exit

check "a pipe is no name" cmp <("$GTRAIN" export "$tmp/ca/model.bin" --format c --quiet --output /dev/fd/1) "$tmp/logic/out.c"
finish
