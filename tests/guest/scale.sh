#!/usr/bin/env bash
# The layer that docs/extending.md shows is this folder's scale.c, and it works.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
GUEST=$(dirname "$GTRAIN")/guest/gtrain

check "the document shows this file" \
  cmp <(sed -n '/^```c$/,/^```$/p' docs/extending.md | sed '1d;$d') tests/guest/scale.c
cat > "$TEST_TMP/scale.yaml" << 'YAML'
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: {scale: 0.0625}}
model: [{scale: 0.5}, {linear: 10}]
optimizer: {type: adam, lr: 0.02}
train: {epochs: 3}
YAML
exits 0 "its schema" "$GUEST" schema scale
says "… has its key" "initial value of the factors"
exits 0 "it is trained" "$GUEST" train "$TEST_TMP/scale.yaml" --device "$DEVICE" --quiet --run-dir "$TEST_TMP/run"
exits 0 "and evaluated" "$GUEST" eval "$TEST_TMP/run/model.bin" --device "$DEVICE" --fail-if 'accuracy<0.7'
exits 0 "its factors" "$GUEST" inspect "$TEST_TMP/run/model.bin"
says "… are in the model" "scale1.factors     f32  [1, 64]"
finish
