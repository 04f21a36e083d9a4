#!/usr/bin/env bash
# The JSON Schema that gtrain prints, checked with an independent validator: it accepts the configs that gtrain accepts,
# and rejects those that gtrain rejects, as far as a JSON Schema can express the reason.
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
# PyYAML implements YAML 1.1, in which 1e-3 is text; in YAML 1.2 it is a number.
yaml.SafeLoader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9][0-9.]*[eE][-+]?[0-9]+$"),
                                      list("-+0123456789"))
schema = json.load(open(sys.argv[1]))
validator = jsonschema.Draft202012Validator(schema)
validator.check_schema(schema)
for path in sys.argv[2:]:
    print(0 if validator.is_valid(yaml.safe_load(open(path))) else 78, path)
PYTHON
# Draft 2020-12 allows an empty list of values, but validators such as ajv refuse it.
check "no list of values is empty" python3 - "$TEST_TMP/schema.json" << 'PYTHON'
import json, sys
def walk(node):
    assert not (isinstance(node, dict) and node.get("enum") == []), node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
        walk(child)
walk(json.load(open(sys.argv[1])))
PYTHON
judge() { python3 "$TEST_TMP/valid.py" "$TEST_TMP/schema.json" "$@"; }

# gtrain and the schema agree on models of these layers, followed by `{linear: 2}`.
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

# Maps inside values, and phases.
whole() { # 0|78 NAME CONFIG
  local file="$TEST_TMP/$2.yaml"
  printf '%s\n' "$3" > "$file"
  exits "$1" "gtrain: $2" "$GTRAIN" check "$file"
  echo "$1 $file" >> "$TEST_TMP/wanted"
}
phase() { # 0|78 PHASE
  whole "$1" "phase $2" "data: {inputs: [[0, 1], [1, 0]], targets: [0, 1]}
model: [{linear: {units: 2, name: head}}, {repeat: {times: 2, layers: [{kan: {units: 2, grid_update: {every: 5}}}]}}]
optimizer: {type: adam, parameters: [{match: head.*, lr: 1.0e-3}]}
train: {phases: [{epochs: 1}, {$2}]}"
}
agree 78 "a slip in initial values" 'linear: {units: 2, init: {type: constant, valu: 1}}'
agree 78 "another in those of a kan" 'kan: {units: 2, init: {type: constant, valu: 1}}'
agree 78 "a map of edges" 'kan: {units: 2, symbolic: {edges: []}}'
sines='data: {formula: "x0*x1", inputs: 2, samples: 9, test_samples: 9'
whole 0 "inputs scaled by name" "$sines, normalize: {inputs: {input: {mean: 1, std: 2}}}}
model: [{linear: 1}]"
whole 78 "inputs scaled by a slip" "$sines, normalize: {inputs: {input: {men: 1}}}}
model: [{linear: 1}]"
whole 78 "inputs of an input" "$sines, normalize: {inputs: {input: {inputs: {input: standard}}}}}
model: [{linear: 1}]"
whole 0 "settings of the default types" "$sines}
model: [{linear: 1}]
optimizer: {lr: 0.1}
schedule: {warmup: 2}
loss: {}"
whole 78 "a setting of another type" "$sines}
model: [{linear: 1}]
optimizer: {momentum: 0.9}"
pde='loss: {type: pde, residual: u_xx + u_yy, conditions: [{at: {x: 0}, residual: u'
whole 0 "a condition" "$sines}
model: [{linear: 1}]
$pde}]}"
whole 78 "a slip in a condition" "$sines}
model: [{linear: 1}]
$pde, wait: 2}]}"
phase 0 'epochs: 2, optimizer.lr: 1.0e-4, schedule: cosine, train.batch_size: 1, train.checkpoint.every: 1'
phase 0 'steps: 2, optimizer.parameters.0.frozen: true, schedule.type: cosine, model.0.linear.units: 2'
phase 0 'steps: 2, model.1.repeat.layers.0.kan.grid_update.every: 3, train.early_stopping: 3, optimizer: sgd'
phase 0 'steps: 2, model.1.repeat.layers.0.kan: {units: 2, grid_update: {every: 4}}'
phase 78 'epochs: 2, lr: 1.0e-4'
phase 78 'epochs: 2, optimiser.lr: 1.0e-4'
phase 78 'epochs: 2, optimizer.rate: 1.0e-4'
phase 78 'epochs: 2, optimizer: {type: adam, rate: 1}'
phase 78 'epochs: 2, optimizer.parameters.0.freeze: true'
phase 78 'epochs: 2, model.0.linear.unit: 2'
phase 78 'epochs: 2, model.1.repeat.layers.0.kan.grid_update.evry: 3'
phase 78 'epochs: 2, train.threads: 2'
phase 78 'epochs: 2, train.checkpoint: {evry: 2}'
phase 78 'epochs: 2, symbolic: {edge: auto}'
phase 78 'epochs: 2, prune: {nodess: 2}'

# Settings for columns of a table.
columns() { # 0|78 COLUMNS
  whole "$1" "columns: $2" "data: {train: $TEST_TMP/table.csv, target: y, columns: $2}
model: [{linear: 1}]"
}
printf 'Age,Sex,id,y\n1,m,7,1.5\n,f,8,2.5\n3,m,9,3\n4,f,9,3.5\n' > "$TEST_TMP/table.csv"
columns 0 '{Age: {missing: median, indicator: true, scale: log1p}, Sex: category, id: ignore}'
columns 0 '{Age: {type: number, missing: 0}, Sex: {min_count: 1, unseen: error}}'
columns 78 '{Age: {missin: median}}'
columns 78 '{Sex: categories}'
columns 78 '{Age: {scale: log}}'
exits 0 "the keys of a column" "$GTRAIN" schema columns
says "its path" "section data.columns.NAME: one column of a table"
says "its short form" "short form: NAME: TYPE"
says "a key of it" "  max_categories: an integer"
exits 0 "a key of a column" "$GTRAIN" schema columns.missing
says "where it is" "in data.columns.NAME:"
exits 0 "the keys of a split" "$GTRAIN" schema split
says "one of them" "  group: text"

for config in configs/*.yaml; do echo "0 $config" >> "$TEST_TMP/wanted"; done

mapfile -t files < <(cut -d' ' -f2- "$TEST_TMP/wanted")
judge "${files[@]}" > "$TEST_TMP/judged"
check "the schema, too" diff "$TEST_TMP/wanted" "$TEST_TMP/judged"
finish
