/* The completions that both shells offer for values. */
#include "base/arena.h"
#include "docs.h"
#include <string.h>

docs_values docs_option_values(const gt_option *option) {
  const char *argument = option->argument ? option->argument : "";
  const char *key = strstr(argument, "KEY=");
  const bool any_file = strstr(argument, "FILE") || strstr(argument, "FOLDER");
  docs_values values = {option->values, NULL, any_file ? "*" : NULL, !strcmp(argument, "DIR")};
  if (!strcmp(argument, "MODEL")) values.files = "*.bin";
  if (key) values.keys = key == argument ? "" : "data."; /* "KEY=VALUE", "data.KEY=VALUE" */
  return values;
}

docs_values docs_word_values(const gt_command *command, int word) {
  const bool config = strstr(command->usage, "CONFIG"), model = !strncmp(command->usage, "MODEL", 5);
  const bool has_known_words = command->known_word && !word;
  docs_values values = {NULL, NULL, NULL, false};
  if (config && !has_known_words) values.files = "*.yaml|*.yml";
  if (model) values.files = !word || strstr(command->usage, "MODEL...") ? "*.bin" : "*";
  return values;
}

/* --- keys --- */

typedef struct keys {
  gt_arena *arena;
  const char **name;
  int count;
} keys;
enum { MAX_KEYS = 1024 };

static void add_key(keys *k, const char *prefix, const char *name) {
  const char *key = gt_arena_printf(k->arena, "%s%s%s", prefix, *prefix ? "." : "", name);
  for (int i = 0; i < k->count; i++)
    if (!strcmp(k->name[i], key)) return;
  if (k->count < MAX_KEYS - 1) k->name[k->count++] = key;
}

static void add_keys(keys *k, const char *prefix, const gt_schema *schema) {
  for (const gt_field *f = schema ? schema->fields : NULL; f && f->name; f++) {
    if (f->type == GT_FIELD_MAP)
      add_keys(k, gt_arena_printf(k->arena, "%s%s%s", prefix, *prefix ? "." : "", f->name), f->sub);
    else if (f->type != GT_FIELD_NODE)
      add_key(k, prefix, f->name);
  }
}

/* True if the section occurs only once in a config and is a map, so that its keys have fixed paths. False
 * for lists of layers, phases and parameter groups, and for columns. */
static bool has_fixed_paths(const gt_schema_entry *entry) {
  return !strstr(entry->path, "phases") && !strstr(entry->path, "NAME") && strcmp(entry->name, "model") &&
         strcmp(entry->path, "optimizer.parameters");
}

const char *const *docs_keys(gt_arena *arena) {
  const gt_schemas *all = gt_schemas_of(arena);
  keys k = {arena, GT_NEW_N(arena, const char *, MAX_KEYS), 0};
  for (const gt_schema_entry *section = NULL; (section = gt_schemas_next(all, "section", -1, section));) {
    if (!has_fixed_paths(section)) continue;
    add_keys(&k, section->path, section->schema);
    const char *items = section->items;
    /* Lists of augmentations and warnings have no keys with a fixed path; in other sections the keys of the
     * entry's type are keys of the section. */
    const bool has_types = items && strcmp(items, "augmentation") && strcmp(items, "warning");
    for (const gt_schema_entry *e = NULL; has_types && (e = gt_schemas_next(all, items, -1, e));)
      add_keys(&k, section->path, e->schema);
  }
  return k.name;
}
