#!/usr/bin/env bash
# scripts/install-deps.sh [--tests] [--cross]: install the packages that building gtrain needs, on Debian 12 and Ubuntu
# 24.04. With --tests also those that the tests and `make lint` need; with --cross, on x86-64 Debian, also the compiler
# and the libraries for `make dist-aarch64`, and qemu, which runs its result. Runs apt only if something is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

packages=(gcc libc6-dev make pkg-config glslc spirv-tools libyaml-dev zlib1g-dev libzip-dev libpng-dev libjpeg-dev
  libjansson-dev libutf8proc-dev libxxhash-dev libopenblas-pthread-dev libvulkan-dev libvulkan-volk-dev)
for option in "$@"; do
  case $option in
    --tests)
      packages+=(libcmocka-dev mesa-vulkan-drivers vulkan-validationlayers libvulkan1 clang-format-14 cppcheck iverilog
        python3 strace)
      ;;
    --cross)
      # Debian only: Ubuntu serves arm64 packages from another host.
      grep -qx arm64 <<< "$(dpkg --print-foreign-architectures)" || as_root dpkg --add-architecture arm64 ||
        die "could not add the architecture; as root, run: dpkg --add-architecture arm64"
      packages+=(gcc-aarch64-linux-gnu qemu-user-static)
      packages+=({libyaml-dev,zlib1g-dev,libzip-dev,libpng-dev,libjpeg-dev,libjansson-dev,libutf8proc-dev,libxxhash-dev,libopenblas-pthread-dev}:arm64)
      ;;
    *)
      echo "usage: scripts/install-deps.sh [--tests] [--cross]" >&2
      exit 2
      ;;
  esac
done

install_packages "${packages[@]}"
