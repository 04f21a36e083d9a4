#!/bin/sh
# generate-shaders.sh header OUT.h          declare the table of embedded shaders
# generate-shaders.sh table OUT.c SPV…      define it: the SPIR-V files as arrays of words, named without their folders
set -eu
export LC_ALL=C
mode=$1
out=$2
shift 2
mkdir -p "$(dirname "$out")"

if [ "$mode" = header ]; then
  cat > "$out" <<'END'
// Generated. The SPIR-V of every shaders/op/NAME.comp and shaders/op/FAMILY/NAME.comp, sorted by name (in strcmp order).
#ifndef GT_SHADER_TABLE_H
#define GT_SHADER_TABLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct gt_shader_blob {
  const char *name;      // NAME
  const uint32_t *words; // SPIR-V
  size_t size;           // in bytes, as vkCreateShaderModule wants it
} gt_shader_blob;

extern const gt_shader_blob gt_shader_blobs[]; // gt_shader_blob_count rows, then one whose name is NULL
extern const size_t gt_shader_blob_count;

#endif
END
  exit
fi

# Lines "NAME FILE", sorted as names, not as file names: with the suffix, "add_f16.spv" and "add.spv" may order
# differently.
list=$(for file in "$@"; do
  name=${file##*/}
  printf '%s %s\n' "${name%.spv}" "$file"
done | sort -k 1,1)
twice=$(printf '%s\n' "$list" | cut -d ' ' -f 1 | uniq -d)
if [ -n "$twice" ]; then
  # shellcheck disable=SC2086 # one word a name
  printf 'shaders/op: error: two shaders are called %s.comp; a kernel is found by its name alone\n' $twice >&2
  exit 1
fi

{
  echo '// Generated from the SPIR-V files under build/spv.'
  echo '#include "shader_table.h"'
  number=0
  printf '%s\n' "$list" | while read -r name file; do
    echo "static const uint32_t words_${number}[] = { // $name"
    od -An -v -tx4 "$file" | sed 's/ *\([0-9a-f]\{8\}\)/0x\1,/g'
    echo '};'
    number=$((number + 1))
  done
  echo 'const gt_shader_blob gt_shader_blobs[] = {'
  number=0
  printf '%s\n' "$list" | while read -r name file; do
    echo "  {\"$name\", words_$number, sizeof words_$number},"
    number=$((number + 1))
  done
  printf '  {NULL, NULL, 0},\n};\nconst size_t gt_shader_blob_count = %d;\n' "$#"
} > "$out"
