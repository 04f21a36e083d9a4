#!/usr/bin/env bash
# scripts/validate-spirv.sh < LIST: run spirv-val on the modules in LIST, one per line. The hashes of valid modules,
# with the validator's version and options, are kept in build/cache/spirv-val; these modules are not validated again.
set -euo pipefail
cd "$(dirname "$0")/.."
valid=build/cache/spirv-val
mkdir -p build/cache
touch "$valid"
options=(--target-env vulkan1.2 --scalar-block-layout)
version=$(echo "$(spirv-val --version | sed -n 1p) ${options[*]}" | tr ' ' -)
# "HASH MODULE" for modules whose hash is not listed yet.
xargs -r -d '\n' sha256sum |
  awk -v version="$version" 'FILENAME == ARGV[1] { known[$1 " " $2]; next } !($1 " " version in known)' "$valid" - |
  xargs -r -L 1 -P "$(nproc)" bash -c '
    hash=${*: -2:1} module=${*: -1}
    if spirv-val "${@:1:$#-2}" "$module" >&2; then
      echo "$hash $0"
    else
      echo "invalid: $module" >&2
      exit 1
    fi' "$version" "${options[@]}" >> "$valid"
