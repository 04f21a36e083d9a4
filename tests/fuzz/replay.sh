#!/usr/bin/env bash
# Runs the fuzz targets on their seeds and their corpus, so that a bug that was once found is found again.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
folder=$(realpath "${BUILD:-build}")/fuzz
export TMPDIR=$TEST_TMP
for program in "$folder"/bin/*; do
  target=$(basename "$program") inputs=()
  for place in "$folder/seeds/$target" "$PWD/tests/fuzz/corpus/$target"; do
    [[ -d $place ]] && inputs+=("$place")
  done
  if out=$(cd "$folder/room" && "$program" "${inputs[@]}" 2>&1); then
    pass "$target: $(tail -n 1 <<< "$out")"
  else
    fail "$target"
    tail -n 40 <<< "$out"
  fi
done
finish
