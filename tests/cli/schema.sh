#!/usr/bin/env bash
# The JSON Schema that gtrain prints takes the configs that gtrain takes, and refuses what it can of those that gtrain
# refuses: an independent validator is asked.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

if ! python3 -c 'import jsonschema, yaml' 2> /dev/null; then
  echo "no python3-jsonschema or python3-yaml"
  exit 77
fi
"$GTRAIN" schema > "$TEST_TMP/schema.json"
cat > "$TEST_TMP/valid.py" << 'PYTHON'
import json, re, sys
import jsonschema, yaml
# 1e-3 is a number in YAML 1.2, and text in 1.1, which PyYAML reads.
yaml.SafeLoader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9][0-9.]*[eE][-+]?[0-9]+$"),
                                      list("-+0123456789"))
schema = json.load(open(sys.argv[1]))
validator = jsonschema.Draft202012Validator(schema)
validator.check_schema(schema)
for path in sys.argv[2:]:
    print(0 if validator.is_valid(yaml.safe_load(open(path))) else 78, path)
PYTHON
judge() { python3 "$TEST_TMP/valid.py" "$TEST_TMP/schema.json" "$@"; }

# Lists of layers behind which the model is complete: gtrain and the schema agree on each.
agree() { # 0|78 NAME LAYERS
  local file="$TEST_TMP/$2.yaml"
  printf 'data: {inputs: [[0, 1], [1, 0]], targets: [0, 1]}\nmodel: [%s, {linear: 2}]\n' "$3" > "$file"
  exits "$1" "gtrain: $2" "$GTRAIN" check "$file"
  echo "$1 $file" >> "$TEST_TMP/wanted"
}
each='each: {a: [1, 2], p: [0.1, 0.2], b: [true, false], k: [zeros, ones], s: [{units: 2}, 3]}'
for layer in 'linear: $a' 'linear: {units: $a}' 'linear: {units: $a, bias: $b}' 'linear: {units: 2, init: $k}' 'linear: $s' \
  'linear: {units: 2, init: {type: constant, value: $p}}' 'dropout: $p' 'reshape: {shape: [$a, -1]}' \
  'kan: {units: 2, grid_update: {every: $a}}' 'linear: {units: "$a"}'; do
  agree 0 "- $layer below each" "{repeat: {$each, layers: [{$layer}, flatten]}}"
  agree 0 "- $layer in a block in it" "{repeat: {$each, layers: [{repeat: {times: 2, layers: [{$layer}, flatten]}}]}}"
  agree 78 "- $layer in no block" "{$layer}, flatten"
  agree 78 "- $layer in a block without each" "{repeat: {times: 2, layers: [{$layer}, flatten]}}"
done
agree 0 "both times and each" '{repeat: {times: 2, each: {a: [1, 2]}, layers: [{linear: $a}]}}'
agree 0 "an each for nothing" '{repeat: {times: 2, each: , layers: [{linear: 2}]}}'
agree 0 "each only inside" '{repeat: {times: 2, layers: [{repeat: {each: {a: [1]}, layers: [{linear: $a}]}}]}}'
agree 78 "neither" '{repeat: {layers: [{linear: 2}]}}'
agree 78 "the number of passes by name" '{repeat: {each: {a: [1]}, layers: [{repeat: {times: $a, layers: [relu]}}]}}'
agree 78 "a layer by name" '{repeat: {each: {a: [relu]}, layers: [$a]}}'
agree 78 "a value for each, no list" '{repeat: {each: {a: 1}, layers: [{linear: $a}]}}'
agree 78 "no value" '{repeat: {each: {a: []}, layers: [{linear: $a}]}}'
agree 78 "no name" '{repeat: {each: {}, layers: [{linear: 2}]}}'
agree 78 "another word than a name" '{repeat: {each: {a: [1]}, layers: [{linear: a}]}}'
for config in configs/*.yaml; do echo "0 $config" >> "$TEST_TMP/wanted"; done

mapfile -t files < <(cut -d' ' -f2- "$TEST_TMP/wanted")
judge "${files[@]}" > "$TEST_TMP/judged"
check "the schema, too" diff "$TEST_TMP/wanted" "$TEST_TMP/judged"
finish
