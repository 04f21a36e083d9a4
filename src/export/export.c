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
  /* Reserved words of the languages, and names that the exported text already uses. */
  static const char *const reserved[] = {
      "always",  "and",     "assign", "auto",    "begin",  "bool",   "break",    "buf",    "case",
      "cell",    "char",    "config", "const",   "design", "do",     "double",   "edge",   "else",
      "end",     "enum",    "event",  "extern",  "float",  "for",    "force",    "goto",   "if",
      "in",      "initial", "inline", "inout",   "input",  "int",    "integer",  "join",   "large",
      "library", "long",    "main",   "medium",  "module", "nand",   "nor",      "not",    "or",
      "out",     "output",  "real",   "reg",     "repeat", "return", "scalared", "short",  "signed",
      "sizeof",  "small",   "static", "strong",  "struct", "switch", "table",    "task",   "time",
      "tri",     "typedef", "union",  "use",     "vector", "void",   "volatile", "wait",   "wand",
      "weak",    "while",   "wire",   "wor",     "xnor",   "xor",    "exit",     "printf", "memcpy",
      "malloc",  "free",    "abs",    "getchar", "strcmp", "WORD",   "state"};
  char *name = gt_alloc(length + 9), *to = name;
  if (!length || !isalpha((unsigned char)*text)) to += sprintf(to, "circuit_");
  for (const char *c = text; c < text + length; c++)
    *to++ = isalnum((unsigned char)*c) && (unsigned char)*c < 128 ? *c : '_';
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
    if (strcmp(name, reserved[i])) continue;
    memmove(name + 8, name, length + 1);
    memcpy(name, "circuit_", 8);
    break;
  }
  return name;
}
