/* docs/config.md: the sections of a config, and the layers, losses, optimizers and other named things in it,
 * all with their keys. */
#include "base/arena.h"
#include "docs.h"
#include "layer/layer.h"
#include <ctype.h>
#include <string.h>

static gt_arena arena;
static gt_schema_entry list[GT_SCHEMA_MAX_ENTRIES];
static int count;

/* --- keys --- */

/* Writes a row of a table for each key. deep: also for the keys of maps inside the map. */
static void put_keys(const gt_schema *schema, const char *prefix, bool deep) {
  for (const gt_field *f = schema->fields; f && f->name; f++) {
    const bool required = f->flags & GT_FIELD_REQUIRED, has_default = f->fallback && f->type != GT_FIELD_MAP;
    printf("| `%s%s` | ", prefix, f->name);
    docs_put_markdown(gt_schema_value_text(&arena, f));
    printf(" | %s%s%s | ",
           f->unless     ? gt_arena_printf(&arena, "required unless there is `%s`", f->unless)
           : required    ? "required"
           : has_default ? "`"
                         : "",
           has_default ? *f->fallback ? f->fallback : " " : "", has_default ? "`" : "");
    docs_put_markdown(f->help ? f->help : "");
    printf(" |\n");
    const char *inner =
        gt_arena_printf(&arena, "%s%s%s", prefix, f->name, f->type == GT_FIELD_MAP ? "." : "[].");
    if (deep && f->sub) put_keys(f->sub, inner, deep);
  }
}

static bool has_keys(const gt_schema *schema) { return schema && schema->fields && schema->fields->name; }

static void put_table(const gt_schema *schema, bool deep) {
  if (!has_keys(schema)) return;
  printf("\n| key | type | default | |\n|---|---|---|---|\n");
  put_keys(schema, "", deep);
}

/* --- the things of a kind --- */

static bool is_of_kind(const gt_schema_entry *entry, const char *kind, int family) {
  return !strcmp(entry->kind, kind) && (family < 0 || entry->family == family);
}

static const char *anchor(const gt_schema_entry *entry) {
  return gt_arena_printf(&arena, "%s-%s", entry->kind, entry->name);
}

/* A table of all things of a kind (and family, if it is not negative), then the keys of each thing that has
 * keys. */
static void put_items(const char *kind, int family) {
  printf("\n| %s | |\n|---|---|\n", kind);
  for (int i = 0; i < count; i++) {
    if (!is_of_kind(&list[i], kind, family)) continue;
    const char *link = has_keys(list[i].schema) ? gt_arena_printf(&arena, "(#%s)", anchor(&list[i])) : "";
    printf("| %s`%s`%s%s | ", *link ? "[" : "", list[i].name, *link ? "]" : "", link);
    docs_put_markdown(list[i].help ? list[i].help : "");
    printf(" |\n");
  }
  for (int i = 0; i < count; i++) {
    if (!is_of_kind(&list[i], kind, family) || !has_keys(list[i].schema)) continue;
    printf("\n<a name=\"%s\"></a>\n**`%s`**: ", anchor(&list[i]), list[i].name);
    docs_put_markdown(list[i].schema->help ? list[i].schema->help : list[i].help);
    const char *form = gt_schema_short_form(&arena, &list[i]);
    if (form) printf(". Short form: `%s`", form);
    printf("\n");
    put_table(list[i].schema, true);
  }
}

static const gt_schema_kind *find_kind(const char *name) {
  const gt_schema_kind *kind = gt_schema_kinds;
  while (strcmp(kind->name, name)) kind++;
  return kind;
}

/* A heading such as "### Losses" for the name "losses". */
static void put_heading(const char *name) { printf("\n### %c%s\n", *name - 'a' + 'A', name + 1); }

static void put_kind(const char *name) {
  const gt_schema_kind *kind = find_kind(name);
  if (strcmp(name, "layer")) {
    put_heading(kind->plural);
    put_items(name, -1);
    return;
  }
  for (int i = 0; i < GT_LAYER_FAMILY_COUNT; i++) {
    const int family = (i + 1) % GT_LAYER_FAMILY_COUNT; /* family 0, other layers, comes last */
    printf("\n### %s\n", gt_layer_families[family].title);
    put_items(name, family);
  }
  put_kind("block");
  put_kind("init");
}

/* --- sections --- */

/* True if the table of the parent section includes the keys of this one. */
static bool is_inside(const gt_schema_entry *section) {
  for (int i = 0; i < count; i++) {
    const gt_schema *outer = list[i].schema;
    if (!list[i].path || !*list[i].path) continue; /* the config as a whole, whose table has no nested keys */
    for (const gt_field *f = outer ? outer->fields : NULL; f && f->name; f++)
      if (f->sub && f->sub == section->schema) return true;
  }
  return false;
}

static bool is_section(const gt_schema_entry *entry) {
  return entry->path && *entry->path && !is_inside(entry);
}

static void put_section(const gt_schema_entry *section) {
  printf("\n## %s\n\n", section->path);
  docs_put_markdown(section->help ? section->help : "");
  printf("\n");
  const gt_schema_kind *kind = section->items ? find_kind(section->items) : NULL;
  if (kind && kind->form) printf("\n```text\n%s\n```\n", kind->form);
  const char *form = gt_schema_short_form(&arena, section);
  if (form) printf("\nShort form: `%s`\n", form);
  if (kind && has_keys(section->schema)) printf("\nKeys of every %s:\n", kind->name);
  put_table(section->schema, true);
  if (kind) put_kind(kind->name);
}

static void put_contents(void) {
  printf("\n## Contents\n\n- [The config as a whole](#the-config-as-a-whole)\n");
  for (int i = 0; i < count; i++) {
    if (!is_section(&list[i])) continue;
    const char *link = "";
    for (const char *c = list[i].path; *c; c++)
      if (*c != '.')
        link = gt_arena_printf(&arena, "%s%c", link, tolower(*c)); /* anchors as in GitHub and pandoc */
    printf("- [`%s`](#%s)", list[i].path, link);
    if (list[i].items && strcmp(list[i].items, "layer")) {
      const char *plural = find_kind(list[i].items)->plural;
      printf(": [%s](#%s)", plural, plural);
    } else if (list[i].items) {
      printf(": layers by family, [blocks](#blocks), [inits](#inits)");
    }
    printf("\n");
  }
  printf("- [Metrics](#metrics)\n");
}

void docs_config(void) {
  gt_arena_init(&arena);
  count = gt_schema_entries(list, &arena);
  printf("# Config reference\n\n<!-- Generated from the schema by `make docs`; do not edit. -->\n\n"
         "A config is one YAML file. `gtrain check CONFIG` checks it, `gtrain schema NAME` prints any of the "
         "tables below, `gtrain schema` the JSON Schema for editors. On the command line `--set KEY=VALUE` "
         "sets a key by its path: `--set train.epochs=5`.\n"
         "\n```yaml\ndata: {train: train.csv, target: label, validation: 0.1}\n"
         "model: [{linear: 64}, relu, {linear: 10}]\noptimizer: {type: adam, lr: 1.0e-3}\n"
         "train: {epochs: 20, batch_size: 64}\n```\n");
  put_contents();
  printf("\n## The config as a whole\n");
  put_table(&gt_config_schema, false);
  for (int i = 0; i < count; i++)
    if (is_section(&list[i])) put_section(&list[i]);
  printf("\n## Metrics\n\nWhat evaluations measure, by the names that `train.early_stopping.metric` and "
         "`--fail-if` take.\n");
  put_items("metric", -1);
  gt_arena_finish(&arena);
}
