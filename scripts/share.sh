#!/usr/bin/env bash
# scripts/share.sh FOLDER: copy the configs, the bundled datasets and the scripts that download other datasets into
# FOLDER. The program searches for them (src/cli/shipped.h) in the folder of its binary and in PREFIX/share/gtrain.
set -euo pipefail
cd "$(dirname "$0")/.."
# Only files that git tracks: a user's configs and data may be in the same folders. In a source tarball, all files.
bundled=(configs datasets/README.md datasets/{digits,penguins,ca,clothes,titanic-like,houses,fraud,shapes,rentals,tales,reviews})
while read -r file; do
  install -D -m 644 "$file" "$1/$file"
done < <(git ls-files "${bundled[@]}" 2> /dev/null || find "${bundled[@]}" -type f)
for file in scripts/{fetch-mnist,fetch-fashion-mnist,fetch-weather,fetch-kjv,lib}.sh; do
  install -D -m 755 "$file" "$1/$file"
done
