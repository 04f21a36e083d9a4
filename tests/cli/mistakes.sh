#!/usr/bin/env bash
# Configs with one mistake each (tests/cli/mistakes): the exact line and column is reported, and, with at most three
# exceptions, the expected name is suggested. The first line of each config is `# expect: LINE:COLUMN SUGGESTION`, with
# - if no suggestion is expected.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

files=(tests/cli/mistakes/*.yaml)
check "thirty mistakes" test "${#files[@]}" -ge 30
right=0
for file in "${files[@]}"; do
  read -r _ _ place suggestion < "$file"
  exits 78 "$file" "$GTRAIN" check "$file"
  first=$(grep -m 1 ': error: ' <<< "$out")
  check "$file:$place" test "${first#"$file:$place: error: "}" != "$first"
  [[ $first == "$file:$place: error: "* ]] || echo "  found $first"
  check "$file: one error" test "$(grep -c ': error: ' <<< "$out")" = 1
  if [[ $suggestion == - ]]; then
    if grep -q "did you mean" <<< "$out"; then
      echo "  $file: needless suggestion"
    else
      right=$((right + 1))
    fi
  elif grep -qF "did you mean '$suggestion'" <<< "$out"; then
    right=$((right + 1))
  else
    echo "  $file: no suggestion of '$suggestion' in: $out"
  fi
done
check "$right of ${#files[@]} suggestions are right" test $((right + 3)) -ge "${#files[@]}"

# All errors of a file in one pass.
cat > "$TEST_TMP/many.yaml" <<'YAML'
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 2}
model: [{liner: 10}, {linear: {unit: 10}}, {dropout: 1.5}]
optimizer: {type: adm}
train: {epoch: 3, batch_size: many}
YAML
exits 78 "many errors" "$GTRAIN" check "$TEST_TMP/many.yaml"
check "all in one pass" test "$(grep -c ': error: ' <<< "$out")" -ge 7
exits 78 "--set is checked alike" "$GTRAIN" check configs/xor.yaml --set train.bach_size=4
says "and suggests" "did you mean 'batch_size'"

# A missing key and an unknown key are reported as one error only if the unknown key clearly stands for the missing one.
exits 78 "two strange keys" "$GTRAIN" check configs/xor.yaml --set 'model=[{linear: {zqxa: 2, qxzb: 1}}]'
check "… three errors" test "$(grep -c ': error: ' <<< "$out")" = 3
exits 78 "two foreign keys" "$GTRAIN" check configs/xor.yaml --set 'model=[{linear: {filters: 2, out_features: 1}}]'
check "… two errors" test "$(grep -c ': error: ' <<< "$out")" = 2
check "… each with a suggestion" test "$(grep -c "did you mean 'units'" <<< "$out")" = 2
exits 78 "what the input tells" "$GTRAIN" check configs/xor.yaml --set 'model=[{linear: {in_features: 2, out_features: 1}}]'
check "… two errors" test "$(grep -c ': error: ' <<< "$out")" = 2
says "… one for a key that is not needed" "help: remove it: it is inferred from the input"
says "… and one for the other" "did you mean 'units'"
exits 78 "two keys missing" "$GTRAIN" check configs/xor.yaml --set 'model=[{conv2d: {zqxa: 2}}]'
check "… three errors" test "$(grep -c ': error: ' <<< "$out")" = 3
exits 78 "a value that would not do" "$GTRAIN" check configs/xor.yaml --set 'model=[{linear: {activation: relu}}]'
check "… two errors" test "$(grep -c ': error: ' <<< "$out")" = 2
check "… no suggestion" test -z "$(grep 'did you mean' <<< "$out")"
exits 78 "a slip next to an unknown key" "$GTRAIN" check configs/xor.yaml --set 'model=[{linear: {unit: 2, activation: 3}}]'
check "… each its own" test "$(grep -c "did you mean 'units'" <<< "$out")" = 1

# Layers in the notation of other programs, and misspelled keys.
# one NAME SET LINE:COLUMN TEXT: there is exactly one error, with this position and text.
one() {
  exits 78 "$1" "$GTRAIN" check configs/xor.yaml --set "$2"
  check "$1: one error" test "$(grep -c ': error: ' <<< "$out")" = 1
  says "$1: where" "--set:$3: error: "
  says "$1: what" "$4"
}
one "a type" 'model=[{type: Dense, units: 1}]' 1:9 "expected - linear: 1"
one "an activation next to a layer" 'model=[{linear: 1, activation: relu}]' 1:20 "an activation is a layer of its own"
one "a bias next to a layer" 'model=[{linear: 1, bias: false}]' 1:20 "expected the layer's settings inside it"
one "a name for the type" 'optimizer={name: adam}' 1:12 "did you mean 'type'?"
one "a type as key" 'optimizer={adam: {lr: 0.1}}' 1:12 "expected optimizer: {type: adam, ...}"
one "settings in a text" 'optimizer=adam lr=0.1' 1:11 "settings are a map: {type: adam, ...}"
one "another kind" 'model=[cosine]' 1:8 "'cosine' is a schedule (schedule: cosine)"
one "a rate in a phase" 'train={phases: [{epochs: 1, learning_rate: 0.1}]}' 1:29 "is 'lr' in gtrain, and belongs to 'optimizer'"
printf 'data: {inputs: [[0]], targets: [0.5]}\nLayers: [{linear: 1}]\n' > "$TEST_TMP/layers.yaml"
exits 78 "a misspelt model" "$GTRAIN" check "$TEST_TMP/layers.yaml"
check "… one error" test "$(grep -c ': error: ' <<< "$out")" = 1
says "… with what was meant" "did you mean 'model'?"

# Settings that depend on evaluations are reported if there are none.
cat > "$TEST_TMP/unwatched.yaml" <<'YAML'
data: {formula: "x0", samples: 20, test_samples: 0}
model: [{linear: 1}]
schedule: plateau
train:
  steps: 2
  early_stopping: 5
  checkpoint:
    keep_best: true
YAML
exits 0 "nothing to watch" "$GTRAIN" check "$TEST_TMP/unwatched.yaml"
says "plateau" "unwatched.yaml:3:11: warning: this schedule never changes the learning rate"
says "early stopping" "unwatched.yaml:6:19: warning: early stopping never happens"
says "keep_best" "unwatched.yaml:8:16: warning: keep_best keeps nothing"
exits 0 "something to watch" "$GTRAIN" check "$TEST_TMP/unwatched.yaml" --set data.validation=0.2 --set train.steps=40
check "no warning" test -z "$(grep warning <<< "$out")"
exits 0 "no setting that needs evaluations" "$GTRAIN" check "$TEST_TMP/unwatched.yaml" --set schedule=constant \
  --set train.early_stopping=0 --set train.checkpoint.keep_best=false
check "no warning" test -z "$(grep warning <<< "$out")"
finish
