#!/usr/bin/env bash
# scripts/dist.sh, with the program under test: the two commands in INSTALL train a model in any folder, and README.md
# has the same commands.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

if grep -Eq 'lib(a|t|ub)san' <<< "$(readelf -d "$GTRAIN")"; then
  echo "a build with sanitizers is not packed"
  exit 77
fi
dist=$TEST_TMP/dist
name=gtrain-9.8-linux-$(uname -m)
mkdir "$dist" "$TEST_TMP/person"
exits 0 "the tarball is made" scripts/dist.sh "$GTRAIN" "$dist" 9.8
for file in man/man1/gtrain.1 bash-completion/completions/gtrain zsh/site-functions/_gtrain; do
  check "it has share/$file" test -s "$dist/$name/share/$file"
done
cp "$dist/$name.tar.gz" "$TEST_TMP/person/"
export GTRAIN_DEVICE=cpu
check "INSTALL has two lines" test "$(wc -l < "$dist/$name/INSTALL")" = 2
exits 0 "INSTALL's lines train a model" env -C "$TEST_TMP/person" bash -e "$dist/$name/INSTALL"
says "… to its test accuracy" "test loss"
exits 0 "the model is evaluated in the same folder" \
  env -C "$TEST_TMP/person/$name" ./gtrain eval runs/digits-1/model.bin --fail-if 'accuracy<0.9'
exits 0 "a config finds its data from elsewhere" env -C "$TEST_TMP" "$dist/$name/gtrain" check "$dist/$name/configs/images.yaml"
# README.md has the commands of INSTALL, except for the version.
version=$(sed -n 's/^VERSION *:= *//p' Makefile)
while read -r line; do
  check "README.md has: $line" grep -qF "    ${line//gtrain-9.8-linux-$(uname -m)/gtrain-$version-linux-x86_64}" README.md
done < "$dist/$name/INSTALL"

finish
