#!/usr/bin/env bash
# fetch-swiftshader.sh [FOLDER]: get SwiftShader, a software Vulkan driver, from Debian's package of Chromium into
# FOLDER (default: build/swiftshader), without installing it. To use it:
# VK_DRIVER_FILES=FOLDER/vk_swiftshader_icd.json
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

package=chromium-common
files=(libvk_swiftshader.so vk_swiftshader_icd.json)
target=${1:-build/swiftshader}

complete() {
  local file
  for file in "${files[@]}"; do [[ -s $1/$file ]] || return 1; done
}

complete "$target" && exit 0
command -v apt-get > /dev/null || die "no apt-get here; SwiftShader comes with Chromium: put ${files[*]} into $target"

say "downloading $package (32 MB)"
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
download_debs "$temporary" "$package"
complete "$temporary/unpacked/usr/lib/chromium" || die "$package does not contain ${files[*]}"
mkdir -p "$target"
for file in "${files[@]}"; do cp "$temporary/unpacked/usr/lib/chromium/$file" "$target/"; done
say "$target/ is complete"
