#!/usr/bin/env bash
# The README and docs/: every command in them prints the output that is shown below it; every link leads to a file.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
command -v python3 > /dev/null || { echo "needs python3"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1 GTRAIN
for file in README.md docs/*.md; do
  check "$file" python3 tests/cli/documents.py "$file"
done
finish
