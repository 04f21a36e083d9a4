#include "export/export.h"
#include "base/memory.h"
#include <ctype.h>
#include <string.h>

#define GT_KIND exporter
#include "base/registered.h"

const char *const gt_exporter_names[] = {
#define X(name) #name,
#include "registry/exporter.inc"
#undef X
    NULL,
};

const gt_exporter_type *gt_exporter_find(const char *name) {
  for (int i = 0; i < TYPES; i++)
    if (!strcmp(types[i]->name, name)) return types[i];
  return NULL;
}

char *gt_export_name(const char *text, size_t length) {
  static const char prefix[] = "n", ending[] = "_circuit";
  char *name = gt_alloc(length + sizeof prefix + sizeof ending), *to = name;
  if (!length || !isalpha((unsigned char)*text)) to = stpcpy(to, prefix);
  for (const char *c = text; c < text + length; c++)
    *to++ = isalnum((unsigned char)*c) && (unsigned char)*c < 128 ? *c : '_';
  strcpy(to, ending);
  return name;
}
