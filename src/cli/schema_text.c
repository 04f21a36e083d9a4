/* `gtrain schema NAME` as text: one entry with its keys, or a list of all entries of a kind. */
#include "base/arena.h"
#include "base/text.h"
#include "cli/schema.h"
#include "layer/layer.h"
#include <string.h>

enum { MAX_INDENT = 24 };

/* --- values in words --- */

const char *gt_schema_value_text(gt_arena *arena, const gt_field *field) {
  if (field->type == GT_FIELD_MAP) return "a map";
  if (field->type != GT_FIELD_NODE) return gt_field_describe(arena, field);
  return field->sub ? "a list of maps" : gt_schema_find_content(arena, field->definition).text;
}

const char *gt_schema_short_form(gt_arena *arena, const gt_schema_entry *entry) {
  const char *key = entry->schema ? entry->schema->shorthand : NULL;
  if (!key) return NULL;
  char *value = gt_arena_strdup(arena, key);
  for (char *c = value; *c; c++)
    if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
  const char *path = entry->path ? entry->path : entry->name, *dot = strrchr(path, '.');
  return gt_arena_printf(arena, "%s: %s", dot ? dot + 1 : path, value);
}

/* --- keys --- */

const char *gt_schema_key_text(gt_arena *arena, const gt_field *field) {
  const char *note = "";
  if (field->flags & GT_FIELD_REQUIRED) note = "; required";
  if (field->unless) note = gt_arena_printf(arena, "; required unless there is `%s`", field->unless);
  if (field->fallback && field->type != GT_FIELD_MAP)
    note = gt_arena_printf(arena, "; default: %s", *field->fallback ? field->fallback : "nothing");
  return gt_arena_printf(arena, "%s: %s%s", field->name, gt_schema_value_text(arena, field), note);
}

static void print_keys(gt_arena *arena, const gt_schema *schema, int indent);

void gt_schema_print_key(gt_arena *arena, const gt_field *field, int indent) {
  gt_print_wrapped(stdout, gt_arena_printf(arena, "%*s%s", indent, "", gt_schema_key_text(arena, field)),
                   indent + 6);
  if (field->help)
    gt_print_wrapped(stdout, gt_arena_printf(arena, "%*s%s", indent + 4, "", field->help), indent + 4);
  if (field->sub) print_keys(arena, field->sub, indent + 2);
}

static void print_keys(gt_arena *arena, const gt_schema *schema, int indent) {
  for (const gt_field *f = schema->fields; f && f->name; f++) gt_schema_print_key(arena, f, indent);
}

/* --- lists --- */

/* Prints all entries of a kind, one line each; family: of layers, or -1. */
static void print_items(const gt_schemas *all, const char *kind, int family) {
  int width = 0;
  for (const gt_schema_entry *e = NULL; (e = gt_schemas_next(all, kind, family, e));)
    if (gt_text_width(e->name) > width) width = gt_text_width(e->name);
  if (width > MAX_INDENT) width = MAX_INDENT;
  for (const gt_schema_entry *e = NULL; (e = gt_schemas_next(all, kind, family, e));)
    gt_print_wrapped(
        stdout, gt_arena_printf(all->arena, "  %-*s  %s", width, e->name, e->help ? e->help : ""), width + 4);
}

/* Family 0, other layers, comes last. */
static int family_at(int i) { return (i + 1) % GT_LAYER_FAMILY_COUNT; }

static void print_families(const gt_schemas *all) {
  for (int i = 0; i < GT_LAYER_FAMILY_COUNT; i++) {
    const gt_layer_family_text *family = &gt_layer_families[family_at(i)];
    printf("%s%s (%s):\n", i ? "\n" : "", family->title, family->name);
    print_items(all, "layer", family_at(i));
  }
}

static void print_kind(const gt_schemas *all, const gt_schema_kind *kind) {
  if (!strcmp(kind->name, "layer"))
    print_families(all);
  else
    print_items(all, kind->name, -1);
}

bool gt_schema_print_list(const gt_schemas *all, const char *plural) {
  for (const gt_schema_kind *kind = gt_schema_kinds; kind->name; kind++) {
    if (strcmp(kind->plural, plural) && (!kind->also || strcmp(kind->also, plural))) continue;
    printf("%s: %s\n", kind->plural, kind->help);
    if (kind->form) printf("in a config: %s\n", kind->form);
    printf("\n");
    print_kind(all, kind);
    printf("\n`gtrain schema NAME` shows one of them.\n");
    return true;
  }
  for (int i = 0; i < GT_LAYER_FAMILY_COUNT; i++) {
    if (strcmp(gt_layer_families[i].name, plural)) continue;
    printf("layers: %s\n\n", gt_layer_families[i].title);
    print_items(all, "layer", i);
    printf("\n`gtrain schema NAME` shows one of them, `gtrain schema layers` all.\n");
    return true;
  }
  return false;
}

/* --- one entry --- */

void gt_schema_print(const gt_schemas *all, const gt_schema_entry *entry) {
  gt_arena *arena = all->arena;
  const char *place = entry->path && *entry->path ? entry->path : entry->name;
  gt_print_wrapped(
      stdout, gt_arena_printf(arena, "%s %s: %s", entry->kind, place, entry->help ? entry->help : ""), 2);
  const gt_schema *schema = entry->schema;
  if (!entry->path && schema && schema->help && entry->help && strlen(schema->help) > strlen(entry->help))
    gt_print_wrapped(stdout, schema->help, 0);
  const gt_schema_kind *kind = gt_schema_find_kind(entry->items ? entry->items : entry->kind);
  if (kind->form) printf("in a config: %s\n", kind->form);
  const char *form = gt_schema_short_form(arena, entry);
  if (form) printf("short form: %s\n", form);
  if (gt_schema_has_keys(schema)) {
    printf("\n%s:\n", entry->items ? "Keys that all of them share" : "Keys");
    print_keys(arena, schema, 2);
  }
  if (gt_schema_has_keys(entry->common)) {
    printf("\nKeys of every %s:\n", entry->kind);
    print_keys(arena, entry->common, 2);
  }
  if (!entry->items) return;
  printf("\nThe %s (`gtrain schema NAME` shows one of them):\n", kind->plural);
  print_kind(all, kind);
}
