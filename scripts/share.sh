#!/usr/bin/env bash
# scripts/share.sh FOLDER: copy the configs, the bundled datasets and the scripts that download other datasets into
# FOLDER, where the program finds them (src/cli/shipped.h): its own folder, or PREFIX/share/gtrain.
set -euo pipefail
cd "$(dirname "$0")/.."
# The files that git tracks, without a user's own configs and data in the same folders. In a source tarball: all files.
bundled=(configs datasets/README.md datasets/{digits,penguins,ca,clothes,titanic-like,houses,fraud,shapes,rentals,tales,reviews})
while read -r file; do
  install -D -m 644 "$file" "$1/$file"
done < <(git ls-files "${bundled[@]}" 2> /dev/null || find "${bundled[@]}" -type f)
for file in scripts/{fetch-mnist,fetch-fashion-mnist,fetch-weather,fetch-kjv,lib}.sh; do
  install -D -m 755 "$file" "$1/$file"
done
