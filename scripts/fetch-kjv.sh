#!/usr/bin/env bash
# Get a text of 4.1 million characters, the King James Bible (public domain), into datasets/kjv/kjv.txt. The program
# "bible" prints it, from the Debian and Ubuntu packages bible-kjv and bible-kjv-text; these are downloaded and unpacked
# without root if they are not installed.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

target=datasets/kjv/kjv.txt
verses=31102
complete() { [[ -f $target && $(wc -l < "$target") -eq $verses ]]; }

complete && exit 0
mkdir -p "${target%/*}"
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
program=$(command -v bible || true) data=/usr/lib
if [[ -z $program || ! -f $data/bible.data ]]; then
  command -v apt-get > /dev/null || die "no apt-get here; name another text: --set data.train=FILE"
  say "downloading bible-kjv and bible-kjv-text (2.5 MB)"
  download_debs "$temporary" bible-kjv bible-kjv-text
  program=$temporary/unpacked/usr/bin/bible data=$temporary/unpacked/usr/lib
fi
# One line per verse, without its number.
"$program" -f -p "$data" 'gen1:1-rev22:21' < /dev/null | sed 's/^[^ ]* //' > "$temporary/kjv.txt"
cp "$temporary/kjv.txt" "$target"
complete || die "$target has $(wc -l < "$target") lines, not $verses; remove it and name another text: --set data.train=FILE"
say "$target is complete"
