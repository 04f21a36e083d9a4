#!/usr/bin/env bash
# Names in files must not control the terminal: escape sequences appear as text, on stderr and in tables.
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

# Names of targets and classes, in reports and in configs.
awk -v e="$esc" -v t="$turn" 'BEGIN { print "a,b,y" e; for (i = 0; i < 12; i++) print i "," t i % 2 "," i / 4 }' > names.csv
printf 'data: {train: names.csv, target: "y\\e"}\nmodel: [{linear: 1}]\n' > names.yaml
exits 0 "check of a regression" "$GTRAIN" check names.yaml
none "its task"
says "… shows it" "task            regression of 'y\\x1b'"
exits 0 "check of scaled targets" "$GTRAIN" check names.yaml --set data.normalize_targets=standard
none "its targets"
exits 0 "check of classes" "$GTRAIN" check names.yaml --set data.target=b --set model.0.linear=2
none "its classes"
exits 0 "init" "$GTRAIN" init csv names.csv --target b -o -
none "init"

# Generated text is unchanged in a pipe, but escaped on a terminal.
for i in {1..300}; do printf 'a%s[2J\tb%s\nc\r' "$esc" "$turn"; done > steps.txt
printf 'data: {train: steps.txt, text: {vocabulary: byte, window: 8}}\nmodel: [{embedding: 4}, {linear: 256}]\ntrain: {steps: 1}\n' > text.yaml
exits 0 "a text with control characters" "$GTRAIN" train text.yaml --run-dir text --device cpu
none "train"
cat > generate.sh <<'END'
"$GTRAIN" generate text --device cpu --tokens 300 --prompt "x$esc[1m$turn"
END
export GTRAIN esc turn
bash generate.sh > piped
check "a pipe gets them" test "$(head -c 8 piped)" = "x$esc[1m$turn"
check "… and all bytes" test "$(LC_ALL=C tr -d '[:print:]\n\t\200-\377' < piped | wc -c)" -gt 10
if command -v script > /dev/null; then
  # script(1) starts $SHELL, which may be one that drops exported functions: a file works in all.
  out=$(script -qec 'bash generate.sh' /dev/null < /dev/null | tr -d '\r')
  none "on a terminal"
  check "… they are shown" test "${out:0:14}" = 'x\x1b[1m\u202e'
fi
finish
