#!/usr/bin/env bash
# Compiles every kernel for matrix units with Mesa's compiler for AMD, for an RDNA3 GPU without hardware, in all
# variants that plans for the op cases and for some configs use: no kernel may be rejected or spill registers. If the
# installed Mesa does not support these units, a newer one is downloaded, but not installed. AMD_ALL=1 also compiles for
# waves of 32, which the driver does not use by default; TABLE=1 prints the variants. The SPIR-V is not validated here:
# validators know only the extension used before the modules are converted (tools/matrix_khr.c), and the build validates
# that form.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/portable/amd_support.sh
source tests/portable/amd_support.sh

has_units() { [[ -n $icd && $(on navi31 "$GTRAIN" devices 2> /dev/null) == *cooperativeMatrix* ]]; }

if ! has_units; then
  mesa=$(realpath -m "${BUILD:-build}")/mesa
  if ! out=$(scripts/fetch-mesa.sh "$mesa" 2>&1); then
    echo "kernels for matrix units are not compiled: the installed Mesa has none, and ${out##*$'\n'}"
    exit 77
  fi
  icd=$mesa/radeon_icd.json
  export LD_LIBRARY_PATH=$mesa
  if ! has_units; then
    echo "kernels for matrix units are not compiled: neither the installed Mesa has them nor the one in $mesa"
    exit 77
  fi
fi

made_up_data
for config in digits mnist_mlp; do
  { cat "configs/$config.yaml" && echo 'precision: {products: half}'; } > "$TEST_TMP/root/${config}_half.yaml"
done
for lanes in 64 ${AMD_ALL:+32}; do
  code=0
  GTRAIN_DEBUG=matrix try "$lanes" navi31 --units --subgroup "$lanes" "$TEST_TMP"/root/*_half.yaml || code=$?
  cat "$TEST_TMP/$lanes/log"
  check "navi31 compiles every kernel for its matrix units, in waves of $lanes" test $code = 0
done
finish
