/* `gtrain schema`: the JSON Schema of configs, for editors; lists of what a config may contain; the keys of
 * one entry (`gtrain schema linear`); the places of one key (`gtrain schema epochs`). */
#include "cli/schema.h"
#include "base/arena.h"
#include "base/text.h"
#include "cli/common.h"
#include "layer/layer.h"
#include "train/config/places.h"
#include <string.h>

static const gt_option options[] = {{NULL, NULL, NULL, false}};

static int print_schema(void) {
  json_t *root = gt_schema_of_configs();
  json_dumpf(root, stdout, JSON_INDENT(2));
  printf("\n");
  json_decref(root);
  return GT_OK;
}

/* A name may be of several kinds: `linear` is a layer and a schedule. */
static bool print_things(const gt_schemas *all, const char *name) {
  bool found = gt_schema_print_list(all, name);
  for (const gt_schema_entry *e = all->entry; e < all->entry + all->count; e++) {
    if (strcmp(e->name, name) && !(e->path && !strcmp(e->path, name))) continue;
    if (found) printf("\n");
    gt_schema_print(all, e);
    found = true;
  }
  return found;
}

/* "sections, formats, …": the names of all lists. */
static const char *list_names(gt_arena *arena) {
  gt_list list = gt_list_open(arena, INT_MAX);
  for (const gt_schema_kind *kind = gt_schema_kinds; kind->name; kind++)
    gt_list_add(&list, "%s", kind->plural);
  for (int i = 0; i < GT_LAYER_FAMILY_COUNT; i++) gt_list_add(&list, "%s", gt_layer_families[i].name);
  return list.text;
}

enum { MAX_NAMES = GT_SCHEMA_MAX_ENTRIES + 64 };

/* All values of NAME, the lists first. Returns their number. */
static int collect_names(const gt_schemas *all, const char *names[MAX_NAMES]) {
  int known = 0;
  for (const gt_schema_kind *kind = gt_schema_kinds; kind->name; kind++) names[known++] = kind->plural;
  for (int i = 0; i < GT_LAYER_FAMILY_COUNT; i++) names[known++] = gt_layer_families[i].name;
  for (int i = 0; i < all->count; i++) {
    int k = 0;
    while (k < known && strcmp(names[k], all->entry[i].name)) k++;
    if (k == known) names[known++] = all->entry[i].name; /* `linear` is a layer and a schedule */
  }
  return known;
}

static int report_unknown_name(const gt_arguments *arguments, const gt_schemas *all) {
  const char *name = arguments->word[0], *names[MAX_NAMES];
  const char *nearest = gt_schema_find_foreign_key(all, name);
  char word[GT_HINT_WORD];
  gt_hint_fold(name, word);
  for (int i = 0; i < all->count && !nearest; i++) {
    const gt_hint_row *row = gt_hint_match(gt_hint_rows, all->entry[i].kind, word);
    if (row && row->ours && !strcmp(row->ours, all->entry[i].name)) nearest = row->ours;
  }
  if (!nearest) nearest = gt_nearest(name, names, (size_t)collect_names(all, names));
  return gt_usage_error(arguments, "unknown name '%s'%s%s%s; lists: %s", name,
                        nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "",
                        list_names(all->arena));
}

static int run(const gt_arguments *arguments) {
  if (!arguments->words) return print_schema();
  const gt_schemas *all = gt_schemas_of(arguments->arena);
  if (print_things(all, arguments->word[0]) || gt_schema_print_places(all, arguments->word[0])) return GT_OK;
  return report_unknown_name(arguments, all);
}

static void print_lists(FILE *stream) {
  gt_arena arena;
  gt_arena_init(&arena);
  fprintf(stream, "\n");
  gt_print_wrapped(stream, gt_arena_printf(&arena, "Lists: %s.", list_names(&arena)), 0);
  gt_arena_finish(&arena);
}

static const char *known_name(int index) {
  static const char *names[MAX_NAMES];
  static int known = -1;
  if (known < 0) {
    gt_arena arena;
    gt_arena_init(&arena);
    known = collect_names(gt_schemas_of(&arena), names);
    gt_arena_finish(&arena);
  }
  return index < known ? names[index] : NULL;
}

GT_DEFINE(command, schema) = {
    .name = "schema",
    .summary = "list what configs can contain, explain its keys, or print the JSON Schema",
    .usage = "[NAME]",
    .details =
        "Without NAME, prints the JSON Schema, for editors. NAME is a list, such as layers or losses, or\n"
        "one entry, such as train (a section of the config), linear, adam or csv; then prints its keys\n"
        "with type, range and default. NAME can also be a key, such as epochs, with or without its path\n"
        "(train.epochs); then prints where it belongs, and what it means there.\n",
    .print_details = print_lists,
    .examples = {"gtrain schema layers", "gtrain schema linear"},
    .known_word = known_name,
    .options = options,
    .max_words = 1,
    .run = run,
};
