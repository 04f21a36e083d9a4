#!/usr/bin/env bash
# scripts/validate-spirv.sh < LIST: spirv-val on the modules that LIST names, a line each. What it found nothing in is
# kept by its content, with the validator's version, in build/cache/spirv-val, and not validated again.
set -euo pipefail
cd "$(dirname "$0")/.."
valid=build/cache/spirv-val
mkdir -p build/cache
touch "$valid"
version=$(spirv-val --version | sed -n '1s/ /-/gp')
# "HASH MODULE" of those whose hash is not listed yet.
xargs -r -d '\n' sha256sum |
  awk -v version="$version" 'FILENAME == ARGV[1] { known[$1 " " $2]; next } !($1 " " version in known)' "$valid" - |
  xargs -r -L 1 -P "$(nproc)" bash -c '
    if spirv-val --target-env vulkan1.2 --scalar-block-layout "$2"; then
      echo "$1 $0"
    else
      echo "refused: $2" >&2
      exit 1
    fi' "$version" >> "$valid"
