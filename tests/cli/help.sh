#!/usr/bin/env bash
# --help, suggestions and usage errors of the command line.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

exits 0 "--help" "$GTRAIN" --help
for variable in DEVICE THREADS CACHE_DIR DEBUG; do
  says "GTRAIN_$variable is named" "GTRAIN_$variable"
done
for command in train eval predict check bench devices doctor inspect export simulate selftest schema configs; do
  says "$command is listed" "  $command "
done
for command in train eval predict check bench devices doctor inspect export simulate selftest schema configs; do
  exits 0 "$command --help" "$GTRAIN" "$command" --help
  says "$command shows its usage" "usage: gtrain $command"
  exits 2 "$command refuses unknown options" "$GTRAIN" "$command" --hepl
  says "$command suggests" "did you mean '--help'"
done
exits 0 "--version" "$GTRAIN" --version
says "the version" "gtrain "
exits 2 "no command" "$GTRAIN"
exits 2 "unknown command" "$GTRAIN" trian x.yaml
says "nearest command" "did you mean 'train'"
exits 2 "unknown option" "$GTRAIN" train --rundir x configs/xor.yaml
says "nearest option" "did you mean '--run-dir'"
exits 2 "a missing argument" "$GTRAIN" train
exits 2 "one argument too many" "$GTRAIN" train configs/xor.yaml configs/xor.yaml
exits 2 "a missing value" "$GTRAIN" train configs/xor.yaml --run-dir
exits 2 "an option in its place" "$GTRAIN" train configs/xor.yaml --run-dir --resume
says "… with the way to mean it" "to pass that value, use --run-dir=--resume"
exits 2 "a gate that cannot be read" "$GTRAIN" eval x.bin --fail-if 'accuracy'
exits 2 "a gate of an unknown metric" "$GTRAIN" eval x.bin --fail-if 'acuracy<1'
says "nearest metric" "did you mean 'accuracy'"
exits 2 "a gate of a target where there is none" "$GTRAIN" simulate x.bin --fail-if 'x.errors>0'
says "… is unknown" "unknown metric 'x.errors'"
exits 2 "… of explain, too" "$GTRAIN" explain x.bin --fail-if 'x.rmse>0'
says "…" "unknown metric 'x.rmse'"
exits 74 "an absent model" "$GTRAIN" eval "$TEST_TMP/none.bin"
exits 65 "a file that is not a model" "$GTRAIN" eval configs/xor.yaml
exits 74 "an absent config" "$GTRAIN" check "$TEST_TMP/none.yaml"
exits 69 "an absent device" "$GTRAIN" train configs/xor.yaml --device vulkan:99 --run-dir "$TEST_TMP/run"
exits 0 "devices --json" "$GTRAIN" devices --json
says "the CPU is a device" '"id":"cpu"'
exits 0 "schema" "$GTRAIN" schema
says "schema has layers" '"linear"'
exits 0 "schema of one thing" "$GTRAIN" schema linear
says "its keys" "units"
exits 0 "schema of a schedule" "$GTRAIN" schema one_cycle
says "what it does not do" "cycle_momentum=False"
exits 0 "schema of an augmentation" "$GTRAIN" schema color_jitter
says "its order" "always in this order"
exits 0 "check --graph" "$GTRAIN" check configs/xor.yaml --graph
exits 0 "check --plan" "$GTRAIN" check configs/xor.yaml --plan --target device
exits 0 "check --choices" "$GTRAIN" check configs/digits.yaml --choices --target device
says "what was asked" "product "
says "what was taken" " took "
exits 0 "check --json" "$GTRAIN" check configs/xor.yaml --json
says "parameters of XOR" '"parameters":33'
exits 2 "a filter that no case has" "$GTRAIN" selftest --device cpu --filter matmull
says "the nearest case" "did you mean 'matmul'"

# `gtrain schema` lists everything that a config can contain, with one line each, and explains each by its name.
# shellcheck disable=SC2317 # called by check
explains() { # NAME…
  local name
  for name in "$@"; do
    "$GTRAIN" schema "$name" > "$TEST_TMP/schema" && grep -q "^[a-z]* [a-z_.]*$name\(\.NAME\)\?: ." "$TEST_TMP/schema" || return 1
  done
}
listed() { # the names in a list: those of its lines that do not continue the line before
  "$GTRAIN" schema "$1" | sed -n 's/^  \([a-z][a-z0-9_]*\)  .*/\1/p'
}
lists=$("$GTRAIN" schema --help | tr '\n' ' ' | sed 's/.*Lists: \([^.]*\)\..*/\1/; s/,//g')
for list in $lists; do
  [[ $list == others ]] || check "schema $list lists something" test -n "$(listed "$list")"
done
sections='config data series split columns augment model init_from loss optimizer schedule precision eval threshold train early_stopping checkpoint phases prune symbolic quiet'
# shellcheck disable=SC2086 # names
check "every section is listed" diff <(printf '%s\n' $sections | sort) <(listed sections | grep -vx 'normalize\|parameters' | sort)
for list in sections formats augmentations blocks losses optimizers schedules; do
  mapfile -t names < <(listed "$list")
  check "every name of schema $list is explained" explains "${names[@]}"
done
check "every layer is listed, by family" test "$(listed layers | wc -l)" = "$(find "$ROOT"/src/layer -name '*.c' -exec grep -h '^GT_\(REGISTER\|DEFINE\)(layer, ' {} + | wc -l)"
check "relu is an activation" grep -qx relu <(listed activations)
check "linear is none" test -z "$(listed activations | grep -x linear)"
exits 0 "findings, as reports call warnings" "$GTRAIN" schema findings
says "a warning" "  no_effect "
exits 0 "schema phases" "$GTRAIN" schema phases
says "keys in maps of a phase" "minimum_r2: a number"
exits 0 "a section by its path" "$GTRAIN" schema train.early_stopping
says "a default" "patience: an integer, at least 0 and at most 1000000000; default: 0"
exits 0 "a key alone" "$GTRAIN" schema epochs
says "… its place" "in train:
  epochs: an integer"
says "… and another" "in train.phases:"
exits 0 "a key by its path" "$GTRAIN" schema optimizer.lr
says "… with its default" "in optimizer adam, optimizer adamw:
  lr: a number, more than 0 and at most 1000000; default: 0.001"
check "… in no other section" test "$(grep -c 'parameters' <<< "$out")" = 0
exits 0 "a key that all share" "$GTRAIN" schema optimizer.clip_norm
check "… once" test "$(grep -c '^in optimizer:$' <<< "$out") $(grep -c '^in ' <<< "$out")" = "1 1"
exits 0 "the path of a layer's key" "$GTRAIN" schema model.0.kan.grid_update.every
says "… in its map" "in layer kan.grid_update:"
exits 2 "a foreign key" "$GTRAIN" schema learning_rate
says "… by its name here" "did you mean 'lr'?"
exits 2 "a path to nothing" "$GTRAIN" schema optimizer.foo
exits 0 "the tokenizers" "$GTRAIN" schema tokenizers
says "… each with a line" "  word  the most frequent words"
exits 2 "an unknown name" "$GTRAIN" schema lossess
says "the nearest, and the lists" "did you mean 'losses'?; lists: sections, formats"

# Every short option in the help works.
for name in $("$GTRAIN" schema | grep -o '"const": "[a-z_0-9]*"' | sed 's/.*: "\(.*\)"/\1/' | sort -u); do
  "$GTRAIN" schema "$name" > "$TEST_TMP/$name"
  for kind in loss optimizer schedule init; do
    check "$kind $name: no form that is refused" \
      awk -v kind="$kind " 'index($0, kind) == 1 { here = 1 } here && /^short form/ { exit 1 } /^$/ { here = 0 }' \
      "$TEST_TMP/$name"
  done
done
code=0
"$GTRAIN" schema > /dev/full 2> "$TEST_TMP/err" || code=$?
check "a full disk is reported" test "$code" = 74
finish
