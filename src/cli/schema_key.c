/* `gtrain schema KEY`: the entries that have a key (`epochs`), or the one at a path (`optimizer.lr`). */
#include "base/arena.h"
#include "base/text.h"
#include "cli/schema.h"
#include "train/config/places.h"
#include <string.h>

enum { MAX_KEYS = 1024 };

typedef struct place {
  const gt_schema_entry *entry;
  const char *inner; /* path of the map inside the entry, "" or ".grid_update" */
  const gt_field *field;
} place;

typedef struct finder {
  gt_arena *arena;
  const char *key; /* NULL: all keys */
  place *list;
  int count;
} finder;

static void add(finder *f, place found) {
  for (int i = 0; i < f->count; i++)
    if (f->list[i].field == found.field) return; /* a section and its entries share this schema */
  if (f->count < MAX_KEYS) f->list[f->count++] = found;
}

static void search(finder *f, const gt_schema_entry *entry, const gt_schema *schema, const char *inner) {
  for (const gt_field *field = schema ? schema->fields : NULL; field && field->name; field++) {
    if (!f->key || !strcmp(field->name, f->key)) add(f, (place){entry, inner, field});
    if (field->sub) search(f, entry, field->sub, gt_arena_printf(f->arena, "%s.%s", inner, field->name));
  }
}

/* Finds a key, or with NULL all, in all entries. */
static finder search_all(const gt_schemas *all, const char *key) {
  finder f = {all->arena, key, GT_NEW_N(all->arena, place, MAX_KEYS), 0};
  for (const gt_schema_entry *e = all->entry; e < all->entry + all->count; e++) {
    search(&f, e, e->schema, "");
    search(&f, e, e->common, "");
  }
  return f;
}

/* True if the path names this place: `train`, `optimizer`, `adam`, `optimizer.adam`, `kan.grid_update`. */
static bool is_at(gt_arena *arena, const place *p, const char *path) {
  const gt_schema_entry *t = p->entry;
  const gt_schema_kind *kind = gt_schema_find_kind(t->kind);
  const char *section = t->path ? t->path : kind->section ? kind->section : kind->name;
  return !strcmp(path, gt_arena_printf(arena, "%s%s", section, p->inner)) ||
         !strcmp(path, gt_arena_printf(arena, "%s%s", t->name, p->inner)) ||
         !strcmp(path, gt_arena_printf(arena, "%s.%s%s", section, t->name, p->inner));
}

/* Keeps only the places at a path. If there are none, drops the first parts of the path until there are:
 * `linear` for `model.0.linear`. */
static void filter(finder *f, const char *path) {
  for (; path; path = strchr(path, '.') ? strchr(path, '.') + 1 : NULL) {
    int kept = 0;
    for (int i = 0; i < f->count; i++)
      if (is_at(f->arena, &f->list[i], path)) f->list[kept++] = f->list[i];
    if (!kept) continue;
    f->count = kept;
    return;
  }
  f->count = 0;
}

static const char *place_text(gt_arena *arena, const place *p) {
  const gt_schema_entry *t = p->entry;
  if (!strcmp(t->kind, "section"))
    return *t->path ? gt_arena_printf(arena, "%s%s", t->path, p->inner) : "the top level of the config";
  return gt_arena_printf(arena, "%s %s%s", t->kind, t->name, p->inner);
}

static bool are_alike(gt_arena *arena, const gt_field *a, const gt_field *b) {
  return !strcmp(a->help ? a->help : "", b->help ? b->help : "") && a->sub == b->sub &&
         !strcmp(gt_schema_key_text(arena, a), gt_schema_key_text(arena, b));
}

bool gt_schema_print_places(const gt_schemas *all, const char *name) {
  gt_arena *arena = all->arena;
  const char *dot = strrchr(name, '.');
  finder f = search_all(all, dot ? dot + 1 : name);
  if (dot) filter(&f, gt_arena_strndup(arena, name, (size_t)(dot - name)));
  for (int i = 0, next; i < f.count; i = next) {
    const char *places = place_text(arena, &f.list[i]);
    for (next = i + 1; next < f.count && are_alike(arena, f.list[i].field, f.list[next].field); next++)
      places = gt_arena_printf(arena, "%s, %s", places, place_text(arena, &f.list[next]));
    gt_print_wrapped(stdout, gt_arena_printf(arena, "%sin %s:", i ? "\n" : "", places), 4);
    gt_schema_print_key(arena, f.list[i].field, 2);
  }
  return f.count;
}

const char *gt_schema_find_foreign_key(const gt_schemas *all, const char *name) {
  const finder f = search_all(all, NULL);
  const char **names = GT_NEW_N(all->arena, const char *, f.count);
  for (int i = 0; i < f.count; i++) names[i] = f.list[i].field->name;
  gt_diagnostics diagnostics;
  gt_diagnostics_init(&diagnostics, all->arena);
  const gt_hint hint = gt_hint_key(&diagnostics, NULL, name, NULL, names, (size_t)f.count);
  return hint.from_table ? hint.suggestion : NULL;
}
