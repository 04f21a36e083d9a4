#!/usr/bin/env bash
# The documents that tools/docs generates: docs/config.md and docs/cli.md are up to date, the man page and the
# completions are valid, completions offer the right words, and `make install` installs them in the right places.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
build=$(dirname "$GTRAIN")
share=$build/share

for page in config cli; do
  "$build/tools/docs" "$page" > "$TEST_TMP/$page.md"
  check "docs/$page.md is up to date (fix: make docs)" diff "docs/$page.md" "$TEST_TMP/$page.md"
done
check "tables have as many cells in each line" awk -F '(^|[^\\\\])[|]' '
  /^[|]/ { if (before && NF != cells) exit 1; cells = NF } { before = /^[|]/ }' docs/config.md docs/cli.md
links=$(grep -oh '](#[^)]*)' docs/config.md docs/cli.md | sed 's/](#\(.*\))/\1/' | sort -u)
anchors=$({ sed -n 's/^<a name="\(.*\)">.*/\1/p' docs/*.md
  sed -n 's/^##* //p' docs/*.md | tr 'A-Z ' 'a-z-' | tr -d '.,'; } | sort -u)
check "every link has its place" test -z "$(comm -23 <(echo "$links") <(echo "$anchors"))"
for key in epochs patience prune.nodes parameters[].match normalize.method; do
  check "a row of '$key'" grep -q "^| \`${key//[/\\[}\` |\|^| \`[a-z_.]*${key//[/\\[}\` |" docs/config.md
done

if command -v groff > /dev/null; then
  check "groff has nothing to say of the man page" test -z "$(groff -man -K utf8 -T utf8 -ww -z "$share/man/man1/gtrain.1" 2>&1)"
  groff -man -K utf8 -T ascii -P-c -P-b -P-u "$share/man/man1/gtrain.1" > "$TEST_TMP/man.txt" 2> /dev/null
  for text in 'gtrain simulate MODEL' 'random:HxW' '--memory-limit SIZE' 'EXIT STATUS' 'GTRAIN_CACHE_DIR'; do
    check "the man page has '$text'" grep -q -- "$text" "$TEST_TMP/man.txt"
  done
else
  echo "no groff: the man page is not looked at"
fi

# shellcheck source=/dev/null
source "$share/bash-completion/completions/gtrain"
offers() { # NAME WANTED WORD…: the completion of the last of these words offers exactly WANTED, in any order
  local name=$1 wanted=$2
  shift 2
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _gtrain
  check "$name" test "$(printf '%s\n' "${COMPREPLY[@]}" | sort | xargs)" = "$wanted"
}
offers "commands" 'train tune' gtrain t
offers "options" --run-dir gtrain train --run
offers "values of an option" 'test train validation' gtrain eval --split ''
offers "… after =" validation gtrain eval --split = v
offers "devices" 'auto cpu vulkan' gtrain train --device ''
offers "keys of the config" train.epochs= gtrain train configs/xor.yaml --set train.ep
offers "keys of an optimizer" 'optimizer.nesterov=' gtrain tune configs/xor.yaml --set optimizer.n
offers "only keys of the data" '' gtrain predict model.bin --set train.ep
offers "configs" 'configs/xor.yaml' gtrain train configs/xo
offers "no other file for a config" '' gtrain train READ
offers "any file as input" README.md gtrain predict model.bin READ
offers "folders" datasets gtrain train x --run-dir datas
offers "formats of exports" verilog gtrain export model.bin --format v
offers "names and files" zeros gtrain simulate model.bin --start ze
offers "lists and things of the schema" 'optimizer optimizers' gtrain schema optim
offers "what to measure" 'gemm train' gtrain bench ''
offers "help of a command" selftest gtrain help se
offers "nothing where a number is due" '' gtrain bench --steps ''
check "every option of --help is offered" test -z "$(for command in $("$GTRAIN" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  COMP_WORDS=(gtrain "$command" x --) COMP_CWORD=3
  _gtrain
  comm -3 <("$GTRAIN" "$command" --help | sed -nE 's/^  (-., |    )(--[a-z-]+) .*/\2/p' | sort) <(printf '%s\n' "${COMPREPLY[@]}" | sort)
done)"
if command -v zsh > /dev/null; then
  check "zsh reads its completion" zsh -n "$share/zsh/site-functions/_gtrain"
else
  echo "no zsh: its completion is not looked at"
fi

# Runs only the recipe of `make install`, without building: the flags of the build may have been others.
make -n BUILD="${BUILD:-build}" install DESTDIR="$TEST_TMP/root" PREFIX=/usr 2> /dev/null | grep 'scripts/install.sh' > "$TEST_TMP/install"
check "make install" sh "$TEST_TMP/install"
for file in bin/gtrain share/man/man1/gtrain.1 share/bash-completion/completions/gtrain share/zsh/site-functions/_gtrain; do
  check "make install: $file" test -s "$TEST_TMP/root/usr/$file"
done
finish
