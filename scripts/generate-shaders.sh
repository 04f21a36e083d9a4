#!/bin/sh
# generate-shaders.sh header OUT.h          write the declaration of the table of embedded shaders
# generate-shaders.sh table OUT.c SPV…      write its definition: compressed SPIR-V files, sorted by base name
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
  const char *name;    // NAME
  const uint8_t *gzip; // its SPIR-V, compressed by gzip
  size_t gzip_size;    // in bytes
  size_t size;         // of the SPIR-V, in bytes, as for vkCreateShaderModule
} gt_shader_blob;

extern const gt_shader_blob gt_shader_blobs[]; // gt_shader_blob_count rows, then one whose name is NULL
extern const size_t gt_shader_blob_count;

#endif
END
  exit
fi

# Lines "NAME FILE", sorted by NAME.
list=$(for file in "$@"; do
  name=${file##*/}
  printf '%s %s\n' "${name%.spv}" "$file"
done | sort -k 1,1)
twice=$(printf '%s\n' "$list" | cut -d ' ' -f 1 | uniq -d)
if [ -n "$twice" ]; then
  # shellcheck disable=SC2086 # one word per name
  printf 'shaders/op: error: two shaders are named %s.comp; a kernel is found by its name alone\n' $twice >&2
  exit 1
fi

# String literals, which compile several times faster than arrays of numbers.
{
  echo '// Generated from the SPIR-V files under build/spv.'
  echo '#include "shader_table.h"'
  number=0
  printf '%s\n' "$list" | while read -r name file; do
    gzip -9nc "$file" > "$out.gz"
    echo "static const uint8_t gzip_${number}[] = // $name"
    od -An -v -to1 "$out.gz" | sed 's/ /\\/g; s/.*/"&"/'
    echo ';'
    number=$((number + 1))
  done
  echo 'const gt_shader_blob gt_shader_blobs[] = {'
  number=0
  printf '%s\n' "$list" | while read -r name file; do
    echo "  {\"$name\", gzip_$number, sizeof gzip_$number - 1, $(wc -c < "$file")},"
    number=$((number + 1))
  done
  printf '  {NULL, NULL, 0, 0},\n};\nconst size_t gt_shader_blob_count = %d;\n' "$#"
} > "$out"
rm -f "$out.gz"
