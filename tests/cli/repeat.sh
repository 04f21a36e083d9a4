#!/usr/bin/env bash
# A model with `repeat:` gives the same bits as the same model written out by hand, in training, evaluation, resuming
# and export.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

rest='data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: {scale: 0.0625}}
optimizer: {type: adam, lr: 2e-3}
train: {epochs: 6, batch_size: 64}'
cat > "$TEST_TMP/block.yaml" << YAML
$rest
model:
  - linear: 32
  - repeat:
      times: 3
      layers:
        - linear: {units: 32, name: body}
        - relu
        - dropout: 0.1
        - linear: 32
        - add: {from: [block_input, linear2]}
  - linear: 10
YAML
cat > "$TEST_TMP/hand.yaml" << YAML
$rest
model:
  - linear: 32
  - linear: {units: 32, name: body1}
  - relu
  - dropout: 0.1
  - linear: 32
  - add: {from: [linear1, linear2]}
  - linear: {units: 32, name: body2}
  - relu
  - dropout: 0.1
  - linear: 32
  - add: {from: [add1, linear3]}
  - linear: {units: 32, name: body3}
  - relu
  - dropout: 0.1
  - linear: 32
  - add: {from: [add2, linear4]}
  - linear: 10
YAML
train() { # CONFIG RUN [OPTION…]
  local config=$1 run=$2
  shift 2
  "$GTRAIN" train "$TEST_TMP/$config.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$run" --quiet "$@"
}
# weights RUN: the tensors of a model file, without the header, which contains the config.
weights() {
  local header
  header=$(od -An -tu8 -N8 "$TEST_TMP/$1/model.bin")
  tail -c +$((header + 9)) "$TEST_TMP/$1/model.bin"
}
not() { ! "$@"; }
same() { cmp <(weights "$1") <(weights "$2"); }
checked() { "$GTRAIN" check "$@" 2>&1; }

exits 0 "a block trains" train block block
exits 0 "what it stands for trains" train hand hand
check "to the same weights" same block hand
check "and the same metrics" cmp "$TEST_TMP/block/metrics.jsonl" "$TEST_TMP/hand/metrics.jsonl"
check "check lists the same layers" cmp <(checked "$TEST_TMP/block.yaml") <(checked "$TEST_TMP/hand.yaml")
evaluated=$("$GTRAIN" eval "$TEST_TMP/hand/model.bin" --device "$DEVICE" --json --quiet)
exits 0 "the model alone evaluates" "$GTRAIN" eval "$TEST_TMP/block/model.bin" --device "$DEVICE" --json --quiet
check "to the same" test "$out" = "$evaluated"

# The resolved config still has the block, with the defaults of its layers.
cp "$TEST_TMP/block/config.yaml" "$TEST_TMP/resolved.yaml"
check "the block stays a block" grep -q 'repeat:' "$TEST_TMP/resolved.yaml"
check "with one layer of each kind" test "$(grep -c 'units:' "$TEST_TMP/resolved.yaml")" = 4
exits 0 "it trains again" train resolved resolved
check "to the same file" cmp "$TEST_TMP/block/model.bin" "$TEST_TMP/resolved/model.bin"

exits 0 "the first half" train block half --set train.epochs=3
exits 0 "goes on" train block half --resume
check "to the same end" same half block
exits 0 "the first half by hand" train hand other --set train.epochs=3
exits 0 "goes on as a block" train block other --resume
check "to the same end, too" same other block

exits 0 "another number of passes" "$GTRAIN" check "$TEST_TMP/block.yaml" --json --set model.1.repeat.times=5
says "makes more layers" '"body5"'
exits 0 "another layer in each" "$GTRAIN" check "$TEST_TMP/block.yaml" --plan --set model.1.repeat.layers.2.dropout=0
exits 78 "too many passes" "$GTRAIN" check "$TEST_TMP/block.yaml" --set model.1.repeat.times=-1
says "where" '--set:1:22: error: '

# Values that differ between passes.
sed 's/times: 3/each: {p: [0.1, 0.2, 0.3]}/; s/dropout: 0.1/dropout: $p/' "$TEST_TMP/block.yaml" > "$TEST_TMP/each.yaml"
awk '/dropout/ { sub("0.1", "0." ++n) } { print }' "$TEST_TMP/hand.yaml" > "$TEST_TMP/each_hand.yaml"
exits 0 "each pass has its own dropout" train each each
exits 0 "as written by hand" train each_hand each_hand
check "the same weights" same each each_hand
check "other than those of one" not same each block
cp "$TEST_TMP/each/config.yaml" "$TEST_TMP/each_resolved.yaml"
exits 0 "the resolved config trains, too" train each_resolved each_resolved
check "to the same file" cmp "$TEST_TMP/each/model.bin" "$TEST_TMP/each_resolved/model.bin"

# The exporter finds gates inside a block.
gates='data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: {scale: 0.0625}}
train: {epochs: 1, batch_size: 64}
model:'
printf '%s\n' "$gates" '  - threshold: 0.5' '  - reshape: [8, 8, 1]' '  - repeat:' '      times: 2' '      layers:' \
  '        - logic_conv2d: {channels: 4, kernel: 3, depth: 2}' '  - flatten' '  - repeat: {times: 3, layers: [logic: 200]}' \
  '  - group_sum: 10' > "$TEST_TMP/gates.yaml"
printf '%s\n' "$gates" '  - threshold: 0.5' '  - reshape: [8, 8, 1]' '  - logic_conv2d: {channels: 4, kernel: 3, depth: 2}' \
  '  - logic_conv2d: {channels: 4, kernel: 3, depth: 2}' '  - flatten' '  - logic: 200' '  - logic: 200' '  - logic: 200' \
  '  - group_sum: 10' > "$TEST_TMP/gates_hand.yaml"
circuit() { "$GTRAIN" export "$TEST_TMP/$1/model.bin" --format verilog | sed 's/gates_hand/gates/g'; }
exits 0 "gates in a block" train gates gates
exits 0 "gates by hand" train gates_hand gates_hand
exits 0 "are exported" "$GTRAIN" export "$TEST_TMP/gates/model.bin" --format c --output "$TEST_TMP/gates.c"
check "as the same circuit" cmp <(circuit gates) <(circuit gates_hand)
check "which is one" test "$(circuit gates | wc -l)" -gt 100

# Nested blocks that would expand to 10^15 layers are one error, before any expansion.
deep='relu'
for _ in 1 2 3 4 5; do deep="repeat: {times: 1000, layers: [$deep]}"; done
exits 78 "10^15 layers" within 5 "$GTRAIN" check "$TEST_TMP/block.yaml" --set "model=[$deep]"
says "where" "--set:1:117: error: written out, this model would have 1000000 layers or more"
check "once" test "$(grep -c 'error: ' <<< "$out")" = 1
finish
