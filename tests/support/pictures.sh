# shellcheck shell=bash
# Sourced after cli.sh by scripts that use configs for 28x28 images, which may not have been downloaded. made_pictures
# makes 40 images in ten classes, and the array $pictures, the options to use them in place of a config's data.
made_pictures() {
  local i
  {
    printf '\0\0\10\3\0\0\0\50\0\0\0\34\0\0\0\34'
    head -c $((40 * 28 * 28)) datasets/digits/digits.csv
  } > "$TEST_TMP/pictures.idx"
  {
    printf '\0\0\10\1\0\0\0\50'
    for ((i = 0; i < 40; i++)); do printf '%b' "\\x0$((i % 10))"; done
  } > "$TEST_TMP/labels.idx"
  # shellcheck disable=SC2034 # for scripts that source this
  pictures=()
  for i in train test; do
    pictures+=(--set "data.$i.inputs=$TEST_TMP/pictures.idx" --set "data.$i.targets=$TEST_TMP/labels.idx")
  done
}
