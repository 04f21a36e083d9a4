#include "export/export.h"
#include "base/memory.h"
#include <ctype.h>
#include <string.h>

#define X(name) extern const gt_exporter gt_exporter_##name;
#include "registry/exporter.inc"
#undef X
static const gt_exporter *const exporters[] = {
#define X(name) &gt_exporter_##name,
#include "registry/exporter.inc"
#undef X
    NULL,
};
const char *const gt_exporter_names[] = {
#define X(name) #name,
#include "registry/exporter.inc"
#undef X
    NULL,
};
enum { EXPORTERS = sizeof exporters / sizeof *exporters - 1 };

int gt_exporter_count(void) { return EXPORTERS; }
const gt_exporter *gt_exporter_at(int index) { return exporters[index]; }

const gt_exporter *gt_exporter_find(const char *name) {
  for (int i = 0; i < EXPORTERS; i++)
    if (!strcmp(exporters[i]->name, name)) return exporters[i];
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
