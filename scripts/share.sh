#!/usr/bin/env bash
# scripts/share.sh FOLDER: copy the configs, the bundled datasets and the scripts that bring the others into FOLDER, where
# the program finds them (src/cli/shipped.h): beside it, or PREFIX/share/gtrain.
set -euo pipefail
cd "$(dirname "$0")/.."
# What git knows, as somebody's own configs and data may lie beside it; of a tarball of the sources, all.
bundled=(configs datasets/README.md datasets/{digits,penguins,ca,clothes})
while read -r file; do
  install -D -m 644 "$file" "$1/$file"
done < <(git ls-files "${bundled[@]}" 2> /dev/null || find "${bundled[@]}" -type f)
for file in scripts/{fetch-mnist,fetch-fashion-mnist,lib}.sh; do
  install -D -m 755 "$file" "$1/$file"
done
