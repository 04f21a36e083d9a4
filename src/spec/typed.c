#include "spec/typed.h"
#include <stdio.h>

typedef struct type_only {
  const char *type;
} type_only;

static const gt_field type_fields[] = {
    GT_ROW(type_only, type, GT_FIELD_STRING, .help = "which one"),
    {.name = NULL},
};
static const gt_schema type_schema = {.name = "typed", .help = "which one", .fields = type_fields};

int gt_typed_read(const gt_spec *node, const char *what, const gt_typed_choice *choices, int count,
                  const gt_schema *extra, void *extra_out, void **config, gt_arena *arena,
                  gt_diagnostics *diagnostics) {
  const gt_spec *type = node;
  if (node->kind == GT_SPEC_MAP) {
    type = gt_spec_find(node, "type");
    if (!type) {
      gt_diagnostic *d = gt_error_at(diagnostics, node->at, "%s without a type", what);
      d->expected = gt_arena_printf(arena, "%s: NAME or %s: {type: NAME, ...}", what, what);
      return -1;
    }
  }
  if (type->kind != GT_SPEC_SCALAR) {
    gt_diagnostic *d = gt_error_at(diagnostics, type->at, "the type of %s must be a name", what);
    d->expected = gt_arena_printf(arena, "%s: NAME or %s: {type: NAME, ...}", what, what);
    return -1;
  }
  const char **names = GT_NEW_N(arena, const char *, count);
  for (int i = 0; i < count; i++) names[i] = choices[i].name;
  const int chosen = gt_schema_choose(type, type->scalar, type->at, what, names, count, diagnostics);
  if (chosen < 0) return -1;
  const gt_typed_choice *choice = &choices[chosen];
  *config = gt_arena_alloc(arena, choice->config_size ? choice->config_size : 1);
  type_only ignored = {0};
  char where[128];
  snprintf(where, sizeof where, "in %s '%s'", what, choice->name);
  const bool fine =
      gt_schema_read(choice->schema, *config, extra ? extra : &type_schema, extra ? extra_out : &ignored,
                     node->kind == GT_SPEC_MAP ? node : NULL, type->at, where, arena, diagnostics);
  return fine ? chosen : -1;
}
