#!/usr/bin/env bash
# The configs that come with gtrain are listed, printed, and trained by name from any folder, both from a build tree and
# from an installation.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
root=$PWD

exits 0 "configs" "$GTRAIN" configs
check "… a line each" test "$(wc -l <<< "$out")" = "$(find configs -name '*.yaml' | wc -l)"
check "… that fits" test "$(awk 'length > 120' <<< "$out" | wc -l)" = 0
says "… from its first sentence" "digits                 8x8 images of handwritten digits, bundled with gtrain: trains in a second, needs no download
"
check "… each has one" test "$(grep -c '^[a-z0-9_]*  *[^ ]' <<< "$out")" = "$(wc -l <<< "$out")"
exits 0 "configs --json" "$GTRAIN" configs --json
says "… has paths" "\"path\":\"$root/configs/xor.yaml\""
for name in xor @xor xor.yaml; do
  exits 0 "configs $name" "$GTRAIN" configs "$name"
  check "… prints it" test "$out" = "$(cat configs/xor.yaml)"
done
page() { sed -n '/^# digits.yaml$/,/^```$/ { /^# digits.yaml$/d; /^```$/d; p }' README.md; }
check "digits is the config that the README shows" diff <(page) <(sed 1d configs/digits.yaml)
exits 74 "configs of a name that is none" "$GTRAIN" configs digitz
says "… has the nearest" "no config '@digitz' comes with gtrain; did you mean '@digits'?"

cd "$TEST_TMP" || exit 1
exits 0 "train @NAME, from another folder" "$GTRAIN" train @digits -q --device "$DEVICE" --set train.epochs=2 --set train.early_stopping=0
says "… names the run by it" "runs/digits-1/model.bin"
exits 0 "… whose model finds the data" "$GTRAIN" eval runs/digits-1 -q --device "$DEVICE"
exits 0 "check @NAME of pictures" "$GTRAIN" check -q @images
exits 0 "bench train @NAME" "$GTRAIN" bench train @xor --device "$DEVICE" --steps 1
exits 74 "@NAME that is none" "$GTRAIN" train @digitz
says "… has the nearest" "did you mean '@digits'?"
cp "$root/configs/xor.yaml" @mine
exits 0 "a file of such a name" "$GTRAIN" check -q ./@mine

# --- installed ---------------------------------------------------------------------------------------------------
exits 0 "an installation" "$root/scripts/install.sh" "$GTRAIN" "$TEST_TMP/usr"
installed=$TEST_TMP/usr/bin/gtrain
exits 0 "configs" "$installed" configs --json
says "… of its own" "\"path\":\"$TEST_TMP/usr/share/gtrain/configs/xor.yaml\""
exits 0 "train @NAME" "$installed" train @csv_regression -q --device "$DEVICE" --set train.epochs=1
exits 0 "… with pictures next to it" "$installed" check -q @letter_g
exits 78 "@NAME whose data is not installed" "$installed" check @mnist_mlp
says "… names what brings it" "a file; $TEST_TMP/usr/share/gtrain/scripts/fetch-mnist.sh downloads it"
mkdir -p apart && cp "$GTRAIN" apart/gtrain
exits 74 "a program alone" apart/gtrain train @digits
says "… has no configs" "the configs that come with gtrain are not installed"

# --- scripts that download data: an error shows the message of the program that failed ------------------------------
mkdir stub
printf '#!/bin/sh\ncase " $* " in *" --silent "*) ;; *) echo "npm error 404 Not Found" >&2 ;; esac\nexit 1\n' > stub/npm
printf '#!/bin/sh\necho "E: Unable to locate package" >&2\nexit 100\n' > stub/apt-get
printf '#!/bin/sh\nexit 1\n' > stub/sudo
chmod +x stub/*
download() { PATH=$PWD/stub:$PATH bash -c 'set -euo pipefail; source "$0/scripts/lib.sh"; "$@"' "$root" "$@"; }
exits 1 "a package that npm does not find" download download_npm none@1 .
says "… with npm's reason" "npm could not download none@1: npm error 404 Not Found"
exits 1 "a package that apt-get does not find" download download_debs . none
says "… with its reason" "apt-get could not download none: E: Unable to locate package"
finish
