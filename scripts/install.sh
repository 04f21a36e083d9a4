#!/usr/bin/env bash
# scripts/install.sh BINARY PREFIX SHARE: install the program with its configs and bundled datasets, and the man page and
# completions in the folder SHARE.
set -euo pipefail
cd "$(dirname "$0")/.."
install -D -m 755 "$1" "$2/bin/gtrain"
install -D -m 644 LICENSE "$2/share/doc/gtrain/LICENSE"
scripts/share.sh "$2/share/gtrain"
while read -r file; do
  install -D -m 644 "$3/$file" "$2/share/$file"
done < <(cd "$3" && find . -type f)
