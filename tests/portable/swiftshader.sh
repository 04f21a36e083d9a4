#!/usr/bin/env bash
# Every op and some trainings on SwiftShader, a Vulkan driver that is independent of Mesa, with subgroups of 4. Takes
# minutes, mostly to compile kernels; run by `make check-swiftshader`.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
folder=$(realpath "${BUILD:-build}")/swiftshader
scripts/fetch-swiftshader.sh "$folder" || exit 77
export VK_DRIVER_FILES=$folder/vk_swiftshader_icd.json VK_ICD_FILENAMES=$folder/vk_swiftshader_icd.json
export GTRAIN_CACHE_DIR=$TEST_TMP/cache

exits 0 "the device" "$GTRAIN" devices
says "is SwiftShader" "vulkan:0: SwiftShader"
check "every op" "$GTRAIN" selftest --device vulkan
for config in xor:accuracy'<1' csv_regression:loss'>100000' digits_logic_conv:accuracy'<0.94'; do
  name=${config%%:*}
  exits 0 "$name trains" "$GTRAIN" train "configs/$name.yaml" --device vulkan --quiet --run-dir "$TEST_TMP/$name"
  exits 0 "and is as good as elsewhere" "$GTRAIN" eval "$TEST_TMP/$name/model.bin" --device cpu --fail-if "${config#*:}"
done
finish
