#!/usr/bin/env bash
# Names that come from files cannot control a terminal: escape sequences appear as text, on stderr and in tables.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
esc=$'\e' csi=$'\xc2\x9b' turn=$'\xe2\x80\xae'
none() { check "$1: nothing that steers" test -z "$(printf '%s' "$out" | LC_ALL=C grep -aE "$esc|$csi|$turn")"; }

cd "$TEST_TMP" || exit 1
{
  echo "a$csi,b$turn,label"
  for i in 1 2 3 4 5 6; do printf '%s,%s,%s\n' "$i" $((7 - i)) "$([[ $((i % 2)) = 0 ]] && echo "x$turn" || echo "y")"; done
} > data.csv
printf 'data: {train: data.csv, target: label}\nmodel: [{linear: 2}]\ntrain: {epochs: 1}\n' > c.yaml
exits 0 "training" "$GTRAIN" train c.yaml --run-dir run --device cpu
none "train"
exits 0 "inspect" "$GTRAIN" inspect run/model.bin
none "inspect"
says "inspect shows it" 'x9b'
exits 0 "predict" "$GTRAIN" predict run/model.bin --input data.csv --device cpu
none "predict"
exits 74 "a file's name" "$GTRAIN" eval "no$esc[2J.bin"
none "eval"
printf 'model: [{linear: {unit%s[1m: 3}}]\n' "$esc" > "bad$esc.yaml"
exits 78 "a config" "$GTRAIN" check "bad$esc.yaml"
none "check"
finish
