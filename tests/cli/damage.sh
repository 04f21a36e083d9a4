#!/usr/bin/env bash
# Every command that reads a model exits with code 65 if the model file is damaged.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

exits 0 "training" "$GTRAIN" train configs/xor.yaml --device cpu --run-dir "$TEST_TMP/run" --quiet
model=$TEST_TMP/run/model.bin
size=$(stat -c %s "$model")
bad=0 tried=0
for ((at = 0; at < size; at += 97)); do
  head -c $at "$model" > "$TEST_TMP/short.bin"
  cp "$model" "$TEST_TMP/flipped.bin"
  printf "\\x$(printf %02x $(($(od -An -tu1 -j $at -N 1 "$model") ^ 0x15)))" |
    dd of="$TEST_TMP/flipped.bin" bs=1 seek=$at conv=notrunc status=none
  for file in short flipped; do
    code=0
    "$GTRAIN" inspect "$TEST_TMP/$file.bin" > /dev/null 2>&1 || code=$?
    tried=$((tried + 1))
    ((code == 65)) || { bad=$((bad + 1)); echo "$file at $at: exit code $code"; }
  done
done
check "$tried damaged files are refused" test $bad = 0
exits 65 "eval" "$GTRAIN" eval "$TEST_TMP/short.bin"
exits 65 "predict" "$GTRAIN" predict "$TEST_TMP/short.bin" --input datasets/digits/digits.csv
exits 65 "export" "$GTRAIN" export "$TEST_TMP/short.bin" --format c
exits 65 "simulate" "$GTRAIN" simulate "$TEST_TMP/short.bin"
exits 65 "inputs that do not fit" "$GTRAIN" predict "$model" --input datasets/digits/digits.csv
exits 0 "the sound one" "$GTRAIN" eval "$model" --device cpu --quiet

# The published layout of a file: the length of the JSON header in 8 bytes, the header, and data up to the end of the
# last tensor.
length=$(od -An -tu8 -N 8 "$model" | tr -d ' ')
header=$(head -c $((8 + length)) "$model" | tail -c "$length")
last=$(grep -o '"data_offsets":\[[0-9]*,[0-9]*\]' <<< "$header" | tail -n 1 | sed 's/.*,\([0-9]*\)\]/\1/')
check "the header is padded" test $((length % 8)) = 0
check "the file ends with its last tensor" test $((8 + length + last)) = "$size"
finish
