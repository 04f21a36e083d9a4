#include "spec/typed.h"
#include "spec/hint.h"
#include <stdio.h>
#include <string.h>

typedef struct type_only {
  const char *type;
} type_only;

static const gt_field type_fields[] = {
    GT_ROW(type_only, type, GT_FIELD_STRING, .help = "name"),
    {.name = NULL},
};
static const gt_schema type_schema = {.name = "typed", .help = "name", .fields = type_fields};

/* Reports a type that is written under another key, or as a key. */
static bool report_misplaced_type(const gt_spec *node, const char *what, const char *const *names, int count,
                                  gt_diagnostics *diagnostics) {
  static const char *const type[] = {"type"};
  gt_arena *arena = diagnostics->arena;
  for (int i = 0; i < node->count; i++) {
    const gt_spec *child = node->child[i];
    for (int k = 0; k < count; k++)
      if (!strcmp(child->key, names[k])) {
        gt_error_at(diagnostics, child->key_at, "'%s' is a type, not a key, of '%s'", child->key, what)
            ->expected = gt_arena_printf(arena, "%s: {type: %s, ...}", what, child->key);
        return true;
      }
    gt_hint hint = {.suggestion = "type"}; /* optimizer: {optimizer: adam} */
    if (strcmp(child->key, what)) hint = gt_hint_key(diagnostics, what, child->key, child, type, 1);
    if (!hint.suggestion) continue;
    gt_error_at(diagnostics, child->key_at, "unknown key '%s' in %s", child->key, what)->suggestion =
        hint.suggestion;
    return true;
  }
  return false;
}

static void report_missing_type(const gt_spec *node, const char *what, gt_diagnostics *diagnostics) {
  gt_error_at(diagnostics, node->at, "the %s has no type", what)->expected =
      gt_arena_printf(diagnostics->arena, "%s: NAME or %s: {type: NAME, ...}", what, what);
}

static int index_of(const char *name, const char *const *names, int count) {
  int k = 0;
  while (k < count && strcmp(names[k], name)) k++;
  return k < count ? k : -1;
}

/* The index of the type in the node; for a map without a type, that of `standard`. -1 after reporting an
 * error. */
static int choose(const gt_spec *node, const char *what, const char *const *names, int count,
                  const char *standard, gt_diagnostics *diagnostics) {
  const gt_spec *type = node->kind == GT_SPEC_MAP ? gt_spec_find(node, "type") : node;
  if (!type && report_misplaced_type(node, what, names, count, diagnostics)) return -1;
  if (!type && standard) return index_of(standard, names, count);
  if (!type) {
    report_missing_type(node, what, diagnostics);
    return -1;
  }
  if (type->kind != GT_SPEC_SCALAR) {
    gt_error_at(diagnostics, type->at, "the type of %s must be a name", what)->expected =
        gt_arena_printf(diagnostics->arena, "%s: NAME or %s: {type: NAME, ...}", what, what);
    return -1;
  }
  return gt_schema_choose(type, type->scalar, type->at, what, names, count, diagnostics);
}

int gt_typed_read(const gt_spec *node, const char *what, const gt_typed_choice *choices, int count,
                  const char *standard, const gt_schema *extra, void *extra_out, void **config,
                  gt_arena *arena, gt_diagnostics *diagnostics) {
  const bool is_map = node->kind == GT_SPEC_MAP;
  const gt_spec *type = is_map ? gt_spec_find(node, "type") : NULL;
  const char **names = GT_NEW_N(arena, const char *, count);
  for (int i = 0; i < count; i++) names[i] = choices[i].name;
  const int chosen = choose(node, what, names, count, standard, diagnostics);
  if (chosen < 0) return -1;
  const gt_typed_choice *choice = &choices[chosen];
  *config = gt_arena_alloc(arena, choice->config_size ? choice->config_size : 1);
  type_only ignored = {0};
  char where[128];
  snprintf(where, sizeof where, "in %s '%s'", what, choice->name);
  const bool fine =
      gt_schema_read(choice->schema, *config, extra ? extra : &type_schema, extra ? extra_out : &ignored,
                     is_map ? node : NULL, type ? type->at : node->at, where, arena, diagnostics);
  return fine ? chosen : -1;
}
