#!/usr/bin/env bash
# scripts/compile-commands.sh OUT.json COMPILER-AND-FLAGS SOURCE…: write the compilation database that clangd and
# clang-tidy read, one entry per source. COMPILER-AND-FLAGS is quoted as in a shell.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$1
command=$2
shift 2

# A string of JSON; paths and flags hold no control characters.
json() {
  local text=${1//\\/\\\\}
  printf '"%s"' "${text//\"/\\\"}"
}

root=$(json "$PWD")
mkdir -p "$(dirname "$out")"
{
  separator='['
  for source in "$@"; do
    extra=
    [[ $source == tests/* ]] && extra=' -Itests'
    printf '%s\n{"directory": %s, "file": %s, "command": %s}' "$separator" "$root" "$(json "$source")" \
      "$(json "$command$extra -c $source")"
    separator=,
  done
  printf '\n]\n'
} > "$out.next"
mv "$out.next" "$out"
echo "$out ($# sources)"
