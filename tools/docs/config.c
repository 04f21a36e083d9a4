/* docs/config.md: the sections of a config, and the layers, losses, optimizers and other named things in it,
 * all with their keys. */
#include "base/arena.h"
#include "docs.h"
#include "layer/layer.h"
#include <ctype.h>
#include <string.h>

static gt_arena arena;
static const gt_schemas *all;

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

static void put_table(const gt_schema *schema, bool deep) {
  if (!gt_schema_has_keys(schema)) return;
  printf("\n| key | type | default | |\n|---|---|---|---|\n");
  put_keys(schema, "", deep);
}

/* --- the things of a kind --- */

static const char *anchor(const gt_schema_entry *entry) {
  return gt_arena_printf(&arena, "%s-%s", entry->kind, entry->name);
}

/* A table of all things of a kind (and family, if it is not negative), then the keys of each thing that has
 * keys. */
static void put_items(const char *kind, int family) {
  printf("\n| %s | |\n|---|---|\n", kind);
  for (const gt_schema_entry *e = NULL; (e = gt_schemas_next(all, kind, family, e));) {
    const char *link = gt_schema_has_keys(e->schema) ? gt_arena_printf(&arena, "(#%s)", anchor(e)) : "";
    printf("| %s`%s`%s%s | ", *link ? "[" : "", e->name, *link ? "]" : "", link);
    docs_put_markdown(e->help ? e->help : "");
    printf(" |\n");
  }
  for (const gt_schema_entry *e = NULL; (e = gt_schemas_next(all, kind, family, e));) {
    if (!gt_schema_has_keys(e->schema)) continue;
    printf("\n<a name=\"%s\"></a>\n**`%s`**: ", anchor(e), e->name);
    docs_put_markdown(e->schema->help ? e->schema->help : e->help);
    const char *form = gt_schema_short_form(&arena, e);
    if (form) printf(". Short form: `%s`", form);
    printf("\n");
    put_table(e->schema, true);
  }
}

/* A heading such as "### Losses" for the name "losses". */
static void put_heading(const char *name) { printf("\n### %c%s\n", *name - 'a' + 'A', name + 1); }

static void put_kind(const char *name) {
  const gt_schema_kind *kind = gt_schema_find_kind(name);
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
  for (const gt_schema_entry *e = NULL; (e = gt_schemas_next(all, "section", -1, e));) {
    const gt_schema *outer = e->schema;
    if (!*e->path) continue; /* the config as a whole, whose table has no nested keys */
    for (const gt_field *f = outer ? outer->fields : NULL; f && f->name; f++)
      if (f->sub && f->sub == section->schema) return true;
  }
  return false;
}

static bool is_section(const gt_schema_entry *entry) { return *entry->path && !is_inside(entry); }

static void put_section(const gt_schema_entry *section) {
  printf("\n## %s\n\n", section->path);
  docs_put_markdown(section->help ? section->help : "");
  printf("\n");
  const gt_schema_kind *kind = section->items ? gt_schema_find_kind(section->items) : NULL;
  if (kind && kind->form) printf("\n```text\n%s\n```\n", kind->form);
  const char *form = gt_schema_short_form(&arena, section);
  if (form) printf("\nShort form: `%s`\n", form);
  if (kind && gt_schema_has_keys(section->schema)) printf("\nKeys of every %s:\n", kind->name);
  put_table(section->schema, true);
  if (kind) put_kind(kind->name);
}

static void put_contents(void) {
  printf("\n## Contents\n\n- [The config as a whole](#the-config-as-a-whole)\n");
  for (const gt_schema_entry *e = NULL; (e = gt_schemas_next(all, "section", -1, e));) {
    if (!is_section(e)) continue;
    const char *link = "";
    for (const char *c = e->path; *c; c++)
      if (*c != '.')
        link = gt_arena_printf(&arena, "%s%c", link, tolower(*c)); /* anchors as in GitHub and pandoc */
    printf("- [`%s`](#%s)", e->path, link);
    if (e->items && strcmp(e->items, "layer")) {
      const char *plural = gt_schema_find_kind(e->items)->plural;
      printf(": [%s](#%s)", plural, plural);
    } else if (e->items) {
      printf(": layers by family, [blocks](#blocks), [inits](#inits)");
    }
    printf("\n");
  }
  printf("- [Metrics](#metrics)\n");
}

void docs_config(void) {
  gt_arena_init(&arena);
  all = gt_schemas_of(&arena);
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
  for (const gt_schema_entry *e = NULL; (e = gt_schemas_next(all, "section", -1, e));)
    if (is_section(e)) put_section(e);
  printf("\n## Metrics\n\nWhat evaluations measure, by the names that `train.early_stopping.metric` and "
         "`--fail-if` take.\n");
  put_items("metric", -1);
  gt_arena_finish(&arena);
}
