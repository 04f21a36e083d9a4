#!/usr/bin/env bash
# The README and docs/: every command in them prints the output that is shown below it; every link leads to a file.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
command -v python3 > /dev/null || { echo "needs python3"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1 GTRAIN
for file in README.md docs/*.md; do
  check "$file" python3 tests/cli/documents.py "$file"
done

# agrees CODE NAME OUTPUT SHOWN: whether documents.py takes SHOWN in a document for OUTPUT of a command.
agrees() {
  # shellcheck disable=SC2016 # a block of Markdown
  printf '```console\n$ echo "%s"\n%s\n```\n' "$3" "$4" > "$TEST_TMP/page.md"
  exits "$1" "$2" python3 tests/cli/documents.py "$TEST_TMP/page.md"
}
agrees 0 "numbers that differ by rounding" "loss 0.120 r 0.02" "loss 0.119952 r 0.01"
agrees 1 "small numbers that differ by a half" "loss 0.00142721" "loss 0.000929875"
agrees 1 "a number with an exponent that differs by a half" "rmse 9e-08" "rmse 5.82e-08"
agrees 0 "a number below its bound" "loss 4.4e-14 (mean: 1.889)" "loss < 1e-9 (mean: 1.889)"
agrees 1 "… above" "loss 4.4e-14 (mean: 1.889)" "loss < 1e-14 (mean: 1.889)"
agrees 1 "… that is none" "loss nan" "loss < 1e-9"
agrees 0 "text left out within a line" "loss 4.4e-14 (mean: 1.889)" "loss … (mean: 1.889)"
agrees 1 "… before a number that differs" "loss 4.4e-14 (mean: 1.889)" "loss … (mean: 2.889)"
finish
