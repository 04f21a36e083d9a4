#!/usr/bin/env bash
# Get the tables that scripts/real-tables.csv lists into datasets/tables/, from the Debian packages python3-sklearn,
# python3-statsmodels, r-cran-mlbench and r-cran-modeldata, and from the npm package vega-datasets. Nothing is installed.
# Then `scripts/fetch-tables.sh --check` writes a config for each (gtrain init csv), checks it, and prints the warnings.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

list=scripts/real-tables.csv target=datasets/tables package=vega-datasets@3.2.1
gtrain=${GTRAIN:-build/gtrain}
tables() { sed '1,2d' "$list" | cut -d, -f"$1"; }

fetch() {
  command -v apt-get > /dev/null || die "no apt-get here"
  temporary=$(mktemp -d)
  trap 'rm -rf "$temporary"' EXIT
  say "downloading four Debian packages and $package (29 MB)"
  download_debs "$temporary" python3-sklearn python3-statsmodels r-cran-mlbench r-cran-modeldata
  download_npm "$package" "$temporary"
  tar -C "$temporary/unpacked" -xzf "$temporary"/vega-datasets-*.tgz package/data
  mkdir -p "$target"
  python3 scripts/real-tables.py "$list" "$temporary/unpacked" "$target"
}

# Prints the warnings for each table, and how many tables have any.
check() {
  local name column found warned=0 count=0
  while IFS=, read -r name column; do
    count=$((count + 1))
    "$gtrain" init csv "$target/$name.csv" --target "$column" --output "$target/$name.yaml" --force --quiet > /dev/null 2>&1 ||
      { echo "$name: no config" && continue; }
    found=$("$gtrain" check "$target/$name.yaml" 2>&1 > /dev/null | sed -n "s/^[^ ]* warning: /$name: /p")
    [[ -z $found ]] && continue
    warned=$((warned + 1))
    echo "$found"
  done < <(tables 1,3)
  echo "$warned of $count tables have a warning"
}

[[ $(find "$target" -name '*.csv' 2> /dev/null | wc -l) -ge $(tables 1 | wc -l) ]] || fetch
say "$target/ is complete"
if [[ ${1:-} == --check ]]; then check; fi
