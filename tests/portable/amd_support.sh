# shellcheck shell=bash
# Sourced, after cli.sh, by the scripts that compile kernels for AMD GPUs without hardware. Sets $icd, the driver to
# use, and generates data sets in place of those that are not in the repository; only their shapes matter.
compile=$(realpath "${BUILD:-build}")/portable/compile
root=$PWD

icd=
for file in /usr/share/vulkan/icd.d/radeon_icd."$(uname -m)".json /usr/share/vulkan/icd.d/radeon_icd.json; do
  [[ -z $icd && -f $file ]] && icd=$file
done

# words NUMBER…: prints 32-bit big-endian numbers.
words() {
  local n
  for n; do printf '%b' "$(printf '\\x%02x' $((n >> 24 & 255)) $((n >> 16 & 255)) $((n >> 8 & 255)) $((n & 255)))"; done
}
images() { words $((0x803)) "$1" 28 28 && head -c $((784 * $1)) /dev/zero; }
labels() { words $((0x801)) "$1" && yes $'\1\2\3\4\5\6\7\x8\x9' | tr '\n' '\0' | head -c "$1"; }

# made_up_data: makes a folder like the root of the repository, to which the paths in the configs are relative, with the
# missing data files.
made_up_data() {
  local folder split file
  mkdir -p "$TEST_TMP/root/datasets/mnist" "$TEST_TMP/root/datasets/fashion-mnist"
  for folder in "$root"/datasets/*/; do
    [[ -e $TEST_TMP/root/datasets/$(basename "$folder") ]] || ln -s "${folder%/}" "$TEST_TMP/root/datasets/"
  done
  for split in train:60000 t10k:10000; do
    images "${split#*:}" > "$TEST_TMP/root/datasets/mnist/${split%:*}-images-idx3-ubyte"
    labels "${split#*:}" > "$TEST_TMP/root/datasets/mnist/${split%:*}-labels-idx1-ubyte"
  done
  mkdir -p "$TEST_TMP/root/datasets/weather" "$TEST_TMP/root/datasets/kjv"
  python3 - "$TEST_TMP/root/datasets" << 'PY'
import datetime, sys
with open(f'{sys.argv[1]}/weather/weather.csv', 'w') as f:
    f.write('date,precipitation,temp_max,temp_min,wind,weather\n')
    for i in range(400):
        f.write(f'{datetime.date(2012, 1, 1) + datetime.timedelta(i)},{i % 9},{i % 30}.5,{i % 20},{i % 7}.2,{["sun", "rain"][i % 2]}\n')
with open(f'{sys.argv[1]}/kjv/kjv.txt', 'w') as f:
    f.write(''.join(map(chr, range(32, 110))) * 300)
PY
  for file in "$TEST_TMP"/root/datasets/mnist/*; do
    ln -s "../mnist/${file##*/}" "$TEST_TMP/root/datasets/fashion-mnist/${file##*/}.gz"
  done
}

# on FAMILY[:OPTION] COMMAND…: runs the command with the driver for this GPU family.
on() {
  local family=$1
  shift
  RADV_FORCE_FAMILY=${family%:*} RADV_PERFTEST=$(case $family in *:*) echo "${family#*:}" ;; esac) \
    MESA_SHADER_CACHE_DISABLE=true VK_DRIVER_FILES=$icd VK_ICD_FILENAMES=$icd "$@"
}

# try FOLDER FAMILY[:OPTION] [OPTION…] CONFIG…: runs `compile`; the exit code is 77 if this Mesa does not know the
# family.
try() {
  local folder=$TEST_TMP/$1 family=$2
  shift 2
  mkdir -p "$folder/work" "$folder/modules"
  ln -s ../../root/datasets "$folder/work/"
  (cd "$folder/work" && GTRAIN_CACHE_DIR=$folder/cache \
    on "$family" "$compile" ${TABLE:+--table} --dump ../modules "$@" > ../log 2>&1)
}
