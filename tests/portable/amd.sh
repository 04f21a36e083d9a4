#!/usr/bin/env bash
# Every kernel of every config through Mesa's compiler for AMD, on devices without hardware: none is refused, none
# spills registers, and what is handed to the compiler is valid SPIR-V. The data sets that are not in the repository
# are made up, as only shapes count. TABLE=1 prints the kernels; AMD_ALL=1 takes waves of 32, too, where the driver
# would choose 64.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
compile=$(realpath "${BUILD:-build}")/portable/compile
root=$PWD

icd=
for file in /usr/share/vulkan/icd.d/radeon_icd."$(uname -m)".json /usr/share/vulkan/icd.d/radeon_icd.json; do
  [[ -z $icd && -f $file ]] && icd=$file
done
if [[ -z $icd ]]; then
  echo "no Mesa driver for AMD (radeon_icd) on this machine"
  exit 77
fi

# 32-bit big-endian numbers.
words() {
  local n
  for n; do printf '%b' "$(printf '\\x%02x' $((n >> 24 & 255)) $((n >> 16 & 255)) $((n >> 8 & 255)) $((n & 255)))"; done
}
images() { words $((0x803)) "$1" 28 28 && head -c $((784 * $1)) /dev/zero; }
labels() { words $((0x801)) "$1" && yes $'\1\2\3\4\5\6\7\x8\x9' | tr '\n' '\0' | head -c "$1"; }

# The configs name their files from the root of the repository: one like it, with what is missing.
mkdir -p "$TEST_TMP/root/datasets/mnist" "$TEST_TMP/root/datasets/fashion-mnist"
cd "$TEST_TMP/root" || exit 1
for folder in "$root"/datasets/*/; do
  [[ -e datasets/$(basename "$folder") ]] || ln -s "${folder%/}" datasets/
done
for split in train:60000 t10k:10000; do
  images "${split#*:}" > "datasets/mnist/${split%:*}-images-idx3-ubyte"
  labels "${split#*:}" > "datasets/mnist/${split%:*}-labels-idx1-ubyte"
done
for file in datasets/mnist/*; do
  ln -s "../mnist/${file##*/}" "datasets/fashion-mnist/${file##*/}.gz"
done

# on FAMILY[:OPTION] COMMAND…
on() {
  local family=$1
  shift
  RADV_FORCE_FAMILY=${family%:*} RADV_PERFTEST=$(case $family in *:*) echo "${family#*:}" ;; esac) \
    MESA_SHADER_CACHE_DISABLE=true VK_DRIVER_FILES=$icd VK_ICD_FILENAMES=$icd "$@"
}

# try FOLDER FAMILY[:OPTION] CONFIG…: exit code 0, or 77 where this Mesa does not know the family.
try() {
  local folder=$TEST_TMP/$1 family=$2
  shift 2
  mkdir -p "$folder/work" "$folder/modules"
  ln -s ../../root/datasets "$folder/work/"
  cd "$folder/work" || return 1
  GTRAIN_CACHE_DIR=$folder/cache on "$family" "$compile" ${TABLE:+--table} --dump ../modules "$@" > ../log 2>&1
}

# GCN5, RDNA1, RDNA2, RDNA3.
families=(vega10 navi10 navi21 gfx1100)
[[ -n ${AMD_ALL-} ]] && families+=(navi10:cswave32 navi21:cswave32 gfx1100:cswave32)
declare -A job
for family in "${families[@]}"; do
  while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n; done
  try "$family" "$family" "$root"/configs/*.yaml &
  job[$family]=$!
done
for family in "${families[@]}"; do
  code=0
  wait "${job[$family]}" || code=$?
  cat "$TEST_TMP/$family/log"
  check "$family compiles every kernel" test $code = 0
done

# The families' modules differ where tiles do, and are the same otherwise.
if command -v spirv-val > /dev/null; then
  mkdir "$TEST_TMP/modules"
  for module in "$TEST_TMP"/*/modules/*.spv; do [[ -e $module ]] && mv "$module" "$TEST_TMP/modules/"; done
  for module in "$TEST_TMP"/modules/*.spv; do
    spirv-val --target-env vulkan1.2 --scalar-block-layout "$module" || echo "${module##*/}"
  done > "$TEST_TMP/invalid" 2>&1
  cat "$TEST_TMP/invalid"
  check "valid SPIR-V: $(find "$TEST_TMP/modules" -name '*.spv' | wc -l) modules" test ! -s "$TEST_TMP/invalid"
fi

# Matrix units, where this Mesa has them: every product of two configs on them. Validators know those modules as what
# they were before they were rewritten, which is looked at when they are built.
cd "$root" || exit 1
units=
for family in navi31 gfx1100; do
  [[ -z $units && $(on $family "$GTRAIN" devices 2> /dev/null) == *cooperativeMatrix* ]] && units=$family
done
if [[ -z $units ]]; then
  echo "this Mesa has no matrix units (cooperativeMatrix): kernels for them are not compiled"
else
  for config in digits mnist_mlp; do
    { cat "configs/$config.yaml" && echo 'precision: {products: half}'; } > "$TEST_TMP/root/${config}_half.yaml"
  done
  code=0
  GTRAIN_DEBUG=matrix TABLE=1 try units "$units" "$TEST_TMP"/root/*_half.yaml || code=$?
  grep -E "^product_matrix|refused" "$TEST_TMP/units/log"
  check "$units compiles the products of its matrix units" test $code = 0
  check "  and they are the ones" grep -q "^product_matrix " "$TEST_TMP/units/log"
fi
finish
