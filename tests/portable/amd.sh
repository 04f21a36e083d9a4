#!/usr/bin/env bash
# Compiles every kernel of every config with Mesa's compiler for AMD, without hardware: no kernel may be rejected or
# spill registers, and the SPIR-V must be valid. TABLE=1 prints the kernels. Compiles for the newest of four GPU
# families; AMD_ALL=1 also for the others, and for waves of 32 where the driver would choose 64.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/portable/amd_support.sh
source tests/portable/amd_support.sh
if [[ -z $icd ]]; then
  echo "no Mesa driver for AMD (radeon_icd) on this machine"
  exit 77
fi
made_up_data

# RDNA3, then GCN5, RDNA1 and RDNA2. RDNA3 has another name from Mesa 23 on.
rdna3=gfx1100
[[ $(on navi31 "$GTRAIN" devices 2> /dev/null) == *NAVI31* ]] && rdna3=navi31
families=("$rdna3")
[[ -n ${AMD_ALL-} ]] && families+=(vega10 navi10 navi21 navi10:cswave32 navi21:cswave32 "$rdna3:cswave32")
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

# The modules for the families differ only if tiles differ.
if command -v spirv-val > /dev/null; then
  mkdir "$TEST_TMP/modules"
  for module in "$TEST_TMP"/*/modules/*.spv; do [[ -e $module ]] && mv "$module" "$TEST_TMP/modules/"; done
  find "$TEST_TMP/modules" -name '*.spv' | scripts/validate-spirv.sh > "$TEST_TMP/invalid" 2>&1
  cat "$TEST_TMP/invalid"
  check "valid SPIR-V: $(find "$TEST_TMP/modules" -name '*.spv' | wc -l) modules" test ! -s "$TEST_TMP/invalid"
fi

finish
