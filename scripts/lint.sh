#!/usr/bin/env bash
# scripts/lint.sh FILE…: what `make lint` runs. Every check runs even when an earlier one fails, so that one look
# shows all there is to mend; each failure says how. What cppcheck and spirv-val found nothing in is kept by its content
# in build/cache, and not checked again.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build}
clang_format=${CLANG_FORMAT:-clang-format}
cppcheck=${CPPCHECK:-cppcheck}
cache=build/cache
failed=0

# Releases of clang-format disagree in details; the sources follow release 14, so another one proves nothing.
if (($# == 0)); then
  :
elif ! version=$("$clang_format" --version 2> /dev/null); then
  echo "lint: clang-format is missing; mend: ./scripts/install-deps.sh --tests" >&2
  failed=1
elif [[ $version != *"version 14."* ]]; then
  echo "lint: note: the format is that of clang-format 14, this is ${version##*version }: format not checked" >&2
elif ! "$clang_format" --dry-run -Werror "$@"; then
  echo "lint: the lines above are not in the house format; mend: make format" >&2
  failed=1
fi

if ! command -v "$cppcheck" > /dev/null; then
  echo "lint: cppcheck is missing; mend: ./scripts/install-deps.sh --tests" >&2
  failed=1
else
  c_files=()
  for file in "$@"; do
    [[ $file == *.c ]] && c_files+=("$file")
  done
  mkdir -p "$cache/cppcheck"
  # Its folder lets an unchanged file keep its result. The two checks that are off see ghosts (a struct filled
  # through a pointer, `.x = ++x` in an initialiser); gcc -Wall has both (-Wmaybe-uninitialized, -Wsequence-point).
  if ((${#c_files[@]})) && ! "$cppcheck" --quiet --std=c11 --language=c --enable=warning,portability \
    --inline-suppr --suppress=missingInclude --suppress=unmatchedSuppression --suppress=uninitvar \
    --suppress=ctuuninitvar --suppress=unknownEvaluationOrder --suppress='*:*/gen/*' \
    --library=posix --error-exitcode=1 -j "$(nproc)" --cppcheck-build-dir="$cache/cppcheck" \
    --template='{file}:{line}:{column}: {severity}: {message} [{id}]' \
    -Isrc -Ishaders -I. -Itests -I"$build/gen" -D__GNUC__ -D__x86_64__ -D__linux__ "${c_files[@]}"; then
    echo "lint: mend: change the code; where cppcheck is wrong, say why in a comment and add above the line:" >&2
    echo "        // cppcheck-suppress ID" >&2
    failed=1
  fi
fi

# Modules as glslc writes them, before matrix_khr rewrites those for matrix units to what older validators do not know.
if ! command -v spirv-val > /dev/null; then
  echo "lint: spirv-val is missing: shaders not validated; mend: ./scripts/install-deps.sh" >&2
  failed=1
elif [[ ! -d $build/spv ]]; then
  echo "lint: note: no compiled shaders in $build/spv: none validated" >&2
elif ! find "$build/spv" -name '*.spv' | sort | while read -r module; do
  if [[ -e $module.nv ]]; then echo "$module.nv"; else echo "$module"; fi
done | scripts/validate-spirv.sh; then
  echo "lint: spirv-val refuses the modules above; mend: change their shaders" >&2
  failed=1
fi

scripts/lint-includes.sh || failed=1
scripts/lint-words.sh || failed=1
exit "$failed"
