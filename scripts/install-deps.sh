#!/usr/bin/env bash
# scripts/install-deps.sh [--tests]: install the packages that gtrain is built from, on Debian 12 and Ubuntu 24.04.
# With --tests also those that the tests and `make lint` need. Touches apt only when something is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

packages=(gcc libc6-dev make pkg-config glslc spirv-tools libyaml-dev zlib1g-dev libpng-dev libjpeg-dev libjansson-dev
  libopenblas-pthread-dev libvulkan-dev libvulkan-volk-dev)
case ${1-} in
  '') ;;
  --tests)
    packages+=(libcmocka-dev mesa-vulkan-drivers vulkan-validationlayers libvulkan1 clang-format-14 cppcheck iverilog python3
      strace)
    ;;
  *)
    echo "usage: scripts/install-deps.sh [--tests]" >&2
    exit 2
    ;;
esac

install_packages "${packages[@]}"
