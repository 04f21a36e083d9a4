#!/usr/bin/env bash
# fetch-mesa.sh [FOLDER]: get RADV, Mesa's driver for AMD, from Debian's backports into FOLDER (default: build/mesa),
# without installing it. The installed driver may be too old to support matrix units. To use RADV:
# VK_DRIVER_FILES=FOLDER/radeon_icd.json LD_LIBRARY_PATH=FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

packages=(mesa-vulkan-drivers libdrm2 libdrm-amdgpu1)
files=(libvulkan_radeon.so libdrm.so.2 libdrm_amdgpu.so.1)
target=${1:-build/mesa}
[[ -s $target/radeon_icd.json ]] && exit 0

# shellcheck source=/dev/null
release=$(. /etc/os-release 2> /dev/null && [[ $ID == debian ]] && echo "${VERSION_CODENAME-}") || true
[[ -n $release ]] || die "this system is not a Debian release with backports"
# The mirror that the system uses.
mirror=$(apt-get update --print-uris 2> /dev/null |
  sed -n "s#^'\(.*\)/dists/\($release\|stable\|oldstable\)/InRelease'.*#\1#p" | sed -n 1p)
[[ -n $mirror ]] || die "apt has no source for $release"

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
mkdir -p "$temporary"/{lists,cache/archives}/partial "$temporary/debs"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb $([[ -f $keyring ]] && echo "[signed-by=$keyring]") $mirror $release-backports main" > "$temporary/sources.list"

# Runs apt-get with package lists and a cache in $temporary. Its sandbox user is root: the default one, _apt, cannot
# write there. Unsigned packages are rejected.
apt() {
  timeout -k 5 120 apt-get -qq -o Dir::Etc::SourceList="$temporary/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$temporary/lists" -o Dir::Cache="$temporary/cache" -o APT::Sandbox::User=root \
    -o APT::Update::Error-Mode=any -o Acquire::AllowInsecureRepositories=false \
    -o APT::Get::AllowUnauthenticated=false -o Acquire::Retries=1 -o Acquire::http::Timeout=20 \
    -o Acquire::https::Timeout=20 "$@" > "$temporary/log" 2>&1
}
reason() { grep -m 1 '^[EW]:' "$temporary/log" || echo "no answer in time"; }

apt update || die "could not get the package lists of $release-backports: $(reason)"
(cd "$temporary/debs" && apt download "${packages[@]/%//$release-backports}") ||
  die "could not download ${packages[*]} from $release-backports: $(reason)"
for package in "$temporary"/debs/*.deb; do dpkg -x "$package" "$temporary/root"; done

mkdir -p "$target"
for file in "${files[@]}"; do
  found=$(find "$temporary/root/usr/lib" -name "$file" | sed -n 1p)
  [[ -n $found ]] || die "none of ${packages[*]} contains $file"
  cp "$found" "$target/"
done
# This file is written last: it marks the folder as complete.
echo '{"file_format_version": "1.0.0", "ICD": {"library_path": "./libvulkan_radeon.so", "api_version": "1.3.0"}}' \
  > "$target/radeon_icd.json"
say "$target/ has $(cd "$temporary/debs" && echo mesa-vulkan-drivers_*.deb | cut -d _ -f 2) of $release-backports"
