#include "spec/schema_value.h"
#include <string.h>

/* "[default: 0.9]", "[required]" or nothing. */
static const char *note(gt_arena *arena, const gt_field *field) {
  if (field->flags & GT_FIELD_REQUIRED) return " [required]";
  if (!field->fallback) return "";
  return gt_arena_printf(arena, " [default: %s]", *field->fallback ? field->fallback : "nothing");
}

static char *rows(gt_arena *arena, char *text, const gt_schema *schema, int indent) {
  int width = 0;
  for (const gt_field *f = schema->fields; f && f->name; f++)
    if ((int)strlen(f->name) > width) width = (int)strlen(f->name);
  for (const gt_field *f = schema->fields; f && f->name; f++) {
    const bool map = f->type == GT_FIELD_MAP;
    text = gt_arena_printf(arena, "%s%*s%-*s  %s%s%s%s\n", text, indent, "", width, f->name,
                           f->help ? f->help : "", f->help ? ": " : "",
                           map      ? "a map"
                           : f->sub ? "a list of maps"
                                    : gt_field_describe(arena, f),
                           note(arena, f));
    if (f->sub) text = rows(arena, text, f->sub, indent + 2);
  }
  return text;
}

char *gt_schema_help(gt_arena *arena, const gt_schema *schema) {
  char *text = gt_arena_printf(arena, "%s%s%s\n", schema->name, schema->help ? ": " : "",
                               schema->help ? schema->help : "");
  if (schema->shorthand)
    text = gt_arena_printf(arena, "%s  (a value alone stands for '%s')\n", text, schema->shorthand);
  return rows(arena, text, schema, 2);
}
