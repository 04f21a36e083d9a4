#!/usr/bin/env bash
# scripts/lint.sh FILE…: `make lint` runs this. Every check runs even if an earlier one fails, so that one run shows
# everything that needs fixing; each message says how. build/cache holds the hashes of files that passed cppcheck and
# spirv-val; these are not checked again.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build}
clang_format=${CLANG_FORMAT:-clang-format}
cppcheck=${CPPCHECK:-cppcheck}
cache=build/cache
failed=0

# Releases of clang-format differ in details. The sources follow release 14, so other releases are not used.
if (($# == 0)); then
  :
elif ! version=$("$clang_format" --version 2> /dev/null); then
  echo "lint: clang-format is missing; fix: ./scripts/install-deps.sh --tests" >&2
  failed=1
elif [[ $version != *"version 14."* ]]; then
  echo "lint: note: format not checked: it needs clang-format 14, this is ${version##*version }" >&2
elif ! "$clang_format" --dry-run -Werror "$@"; then
  echo "lint: the lines above are not in the house format; fix: make format" >&2
  failed=1
fi

if ! command -v "$cppcheck" > /dev/null; then
  echo "lint: cppcheck is missing; fix: ./scripts/install-deps.sh --tests" >&2
  failed=1
else
  c_files=()
  for file in "$@"; do
    [[ $file == *.c ]] && c_files+=("$file")
  done
  mkdir -p "$cache/cppcheck"
  # The build directory keeps the results of unchanged files. The two disabled checks report false positives (a struct
  # filled through a pointer, `.x = ++x` in an initializer); gcc -Wall has both (-Wmaybe-uninitialized, -Wsequence-point).
  if ((${#c_files[@]})) && ! "$cppcheck" --quiet --std=c11 --language=c --enable=warning,portability \
    --inline-suppr --suppress=missingInclude --suppress=unmatchedSuppression --suppress=uninitvar \
    --suppress=ctuuninitvar --suppress=unknownEvaluationOrder --suppress='*:*/gen/*' \
    --library=posix --error-exitcode=1 -j "$(nproc)" --cppcheck-build-dir="$cache/cppcheck" \
    --template='{file}:{line}:{column}: {severity}: {message} [{id}]' \
    -Isrc -Ishaders -I. -Itests -I"$build/gen" -D__GNUC__ -D__x86_64__ -D__linux__ "${c_files[@]}"; then
    echo "lint: fix: change the code; if cppcheck is wrong, say why in a comment and add above the line:" >&2
    echo "        // cppcheck-suppress ID" >&2
    failed=1
  fi
fi

# Validates the output of glslc. matrix_khr later rewrites the modules for matrix units to an extension that older
# validators do not support.
if ! command -v spirv-val > /dev/null; then
  echo "lint: spirv-val is missing: shaders not validated; fix: ./scripts/install-deps.sh" >&2
  failed=1
elif [[ ! -d $build/spv ]]; then
  echo "lint: note: no compiled shaders in $build/spv: none validated" >&2
elif ! find "$build/spv" -name '*.spv' | sort | while read -r module; do
  if [[ -e $module.nv ]]; then echo "$module.nv"; else echo "$module"; fi
done | scripts/validate-spirv.sh; then
  echo "lint: spirv-val rejects the modules above; fix: change their shaders" >&2
  failed=1
fi

scripts/lint-includes.sh || failed=1
scripts/lint-words.sh || failed=1
scripts/lines.sh --check || failed=1
exit "$failed"
