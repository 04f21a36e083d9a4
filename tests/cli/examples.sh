#!/usr/bin/env bash
# Every --help ends with two examples, whose options exist. All examples are run in a folder with small models, except
# for slow ones, of which only the options are checked.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

cd "$TEST_TMP" || exit 1
ln -s "${ROOT:-$OLDPWD}/configs" "${ROOT:-$OLDPWD}/datasets" .
config() { # NAME OVERRIDE…: makes runs/NAME, which the examples use, with a short training
  local name=$1
  shift
  exits 0 "a small model of $name" "$GTRAIN" train "configs/$name.yaml" --device cpu --quiet --run-dir "runs/$name" "$@"
}
config digits_logic --set train.epochs=1
config life --set train.steps=2
config char_mlp --set train.steps=2
config hellokan --set 'train.phases=[{steps: 20}]' --set data.formula=x0 --set 'model=[{kan: 1}]'

# The examples are run as shell commands, in which `gtrain` is this function.
# shellcheck disable=SC2317 # called by eval
gtrain() {
  case $1 in
    train | eval | predict | generate) "$GTRAIN" "$@" --device cpu ;;
    *) "$GTRAIN" "$@" ;;
  esac
}

commands=$("$GTRAIN" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
check "all commands are listed" test "$(wc -w <<< "$commands")" = "$(grep -lE '^GT_(REGISTER|DEFINE)\(command' "${ROOT:-$OLDPWD}"/src/cli/*.c | wc -l)"
"$GTRAIN" --help > help
check "gtrain --help ends with two examples" test "$(tail -n 3 help | grep -c '^  gtrain ')" = 2
for command in train $commands; do
  "$GTRAIN" "$command" --help > help
  mapfile -t examples < <(tail -n 3 help | sed -n 's/^  \(gtrain .*\)/\1/p')
  check "$command --help ends with two examples" test "$(tail -n 3 help | head -n 1) ${#examples[@]}" = "examples: 2"
  for example in "${examples[@]}"; do
    check "… of this command: $example" test "$(cut -d' ' -f2 <<< "$example")" = "$command"
    mapfile -t used < <(grep -o -- '--[a-z-]*' <<< "$example")
    for option in "${used[@]}"; do
      check "… whose option exists: $option" grep -qE -- "^  (-., |    )$option" help
    done
    case $command in
      bench | selftest | tune) continue ;;
      # The first example trains the run that other examples use.
      train) [[ -d runs/digits && $example == *--run-dir* ]] && continue ;;
    esac
    # The example's gate would fail after such a short training.
    exits 0 "it runs: $example" eval "${example/accuracy<0.9/accuracy<0.01}"
  done
done
check "files that examples write" ls hellokan.svg digits.c digits.csv life.png
finish
