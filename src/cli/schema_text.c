/* `gtrain schema NAME` as text: one entry with its keys, or a list of all entries of a kind. */
#include "base/arena.h"
#include "base/text.h"
#include "cli/schema.h"
#include "layer/layer.h"
#include <string.h>

enum { MAX_INDENT = 24 };

/* --- values in words --- */

/* Describes the content of a subtree, by gt_field.definition. */
static const char *content_text(const char *definition) {
  static const char *const texts[][2] = {
      {"plain", "a value or a list of values"},
      {"named", "a value or list, or a map from names to these"},
      {"init", "initial values (a name, or a map with `type`)"},
      {"split", "random, last or stratified, or a map with one of `method`, `column` and `group`"},
      {"series", "the rows of a window, or a map (`gtrain schema series`)"},
      {"columns", "a map from names of columns to a type or a map (`gtrain schema columns`)"},
      {"normalize_inputs", "a map from names of inputs to scalings"},
      {"each", "a map from names to lists of values"},
      {"augment", "a list of augmentations"},
      {"layers", "a list of layers"},
      {"phases", "a list of phases"},
      {"loss", "a loss (a name, or a map with `type`)"},
      {"optimizer", "an optimizer (a name, or a map with `type`)"},
      {"schedule", "a schedule (a name, or a map with `type`)"},
      {"init_from", "a file name or a map"},
  };
  for (size_t i = 0; definition && i < sizeof texts / sizeof *texts; i++)
    if (!strcmp(texts[i][0], definition)) return texts[i][1];
  return "a map";
}

const char *gt_schema_value_text(gt_arena *arena, const gt_field *field) {
  if (field->type == GT_FIELD_MAP) return "a map";
  if (field->type != GT_FIELD_NODE) return gt_field_describe(arena, field);
  return field->sub ? "a list of maps" : content_text(field->definition);
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

static bool has_keys(const gt_schema *schema) { return schema && schema->fields && schema->fields->name; }

/* --- lists --- */

static bool is_in(const gt_schema_entry *entry, const char *kind, int family) {
  return !strcmp(entry->kind, kind) && (family < 0 || entry->family == family);
}

/* Prints all entries of a kind, one line each; family: of layers, or -1. */
static void print_items(const gt_schema_entry *list, int count, const char *kind, int family) {
  int width = 0;
  for (int i = 0; i < count; i++)
    if (is_in(&list[i], kind, family) && gt_text_width(list[i].name) > width)
      width = gt_text_width(list[i].name);
  if (width > MAX_INDENT) width = MAX_INDENT;
  gt_arena arena;
  gt_arena_init(&arena);
  for (int i = 0; i < count; i++)
    if (is_in(&list[i], kind, family))
      gt_print_wrapped(
          stdout,
          gt_arena_printf(&arena, "  %-*s  %s", width, list[i].name, list[i].help ? list[i].help : ""),
          width + 4);
  gt_arena_finish(&arena);
}

/* Family 0, other layers, comes last. */
static int family_at(int i) { return (i + 1) % GT_LAYER_FAMILY_COUNT; }

static void print_families(const gt_schema_entry *list, int count) {
  for (int i = 0; i < GT_LAYER_FAMILY_COUNT; i++) {
    const gt_layer_family_text *family = &gt_layer_families[family_at(i)];
    printf("%s%s (%s):\n", i ? "\n" : "", family->title, family->name);
    print_items(list, count, "layer", family_at(i));
  }
}

static void print_kind(const gt_schema_entry *list, int count, const gt_schema_kind *kind) {
  if (!strcmp(kind->name, "layer"))
    print_families(list, count);
  else
    print_items(list, count, kind->name, -1);
}

bool gt_schema_print_list(const gt_schema_entry *list, int count, const char *plural) {
  for (const gt_schema_kind *kind = gt_schema_kinds; kind->name; kind++) {
    if (strcmp(kind->plural, plural) && (!kind->also || strcmp(kind->also, plural))) continue;
    printf("%s: %s\n", kind->plural, kind->help);
    if (kind->form) printf("in a config: %s\n", kind->form);
    printf("\n");
    print_kind(list, count, kind);
    printf("\n`gtrain schema NAME` shows one of them.\n");
    return true;
  }
  for (int i = 0; i < GT_LAYER_FAMILY_COUNT; i++) {
    if (strcmp(gt_layer_families[i].name, plural)) continue;
    printf("layers: %s\n\n", gt_layer_families[i].title);
    print_items(list, count, "layer", i);
    printf("\n`gtrain schema NAME` shows one of them, `gtrain schema layers` all.\n");
    return true;
  }
  return false;
}

/* --- one entry --- */

static const gt_schema_kind *find_kind(const char *name) {
  const gt_schema_kind *kind = gt_schema_kinds;
  while (strcmp(kind->name, name)) kind++;
  return kind;
}

static void print_common(gt_arena *arena, const gt_schema_entry *entry) {
  if (!has_keys(entry->common)) return;
  printf("\nKeys of every %s:\n", entry->kind);
  print_keys(arena, entry->common, 2);
}

static void print_section_items(const gt_schema_entry *list, int count, const gt_schema_kind *kind) {
  printf("\nThe %s (`gtrain schema NAME` shows one of them):\n", kind->plural);
  print_kind(list, count, kind);
}

void gt_schema_print(const gt_schema_entry *list, int count, const gt_schema_entry *entry) {
  gt_arena arena;
  gt_arena_init(&arena);
  const char *place = entry->path && *entry->path ? entry->path : entry->name;
  gt_print_wrapped(
      stdout, gt_arena_printf(&arena, "%s %s: %s", entry->kind, place, entry->help ? entry->help : ""), 2);
  const gt_schema *schema = entry->schema;
  if (!entry->path && schema && schema->help && entry->help && strlen(schema->help) > strlen(entry->help))
    gt_print_wrapped(stdout, schema->help, 0);
  const gt_schema_kind *kind = find_kind(entry->items ? entry->items : entry->kind);
  if (kind->form) printf("in a config: %s\n", kind->form);
  const char *form = gt_schema_short_form(&arena, entry);
  if (form) printf("short form: %s\n", form);
  if (has_keys(schema)) {
    printf("\n%s:\n", entry->items ? "Keys that all of them share" : "Keys");
    print_keys(&arena, schema, 2);
  }
  print_common(&arena, entry);
  if (entry->items) print_section_items(list, count, kind);
  gt_arena_finish(&arena);
}
