/* Reads settings with a type: `optimizer: adam` or `optimizer: {type: adam, lr: 1.0e-3}`, the name of a
 * registered row and that row's settings. For losses, optimizers, schedules and initializers. */
#ifndef GT_SPEC_TYPED_H
#define GT_SPEC_TYPED_H
#include "spec/schema.h"

typedef struct gt_typed_choice { /* one of the rows to choose from */
  const char *name;
  const gt_schema *schema;
  size_t config_size;
} gt_typed_choice;

/* Reads the settings into a new struct *config of the chosen row's config_size. Returns the index of the
 * choice, or -1 after reporting all errors. what: the kind: "optimizer". standard: the choice for a map
 * without a type; NULL: a type is required. extra: a schema that all choices share, which fills *extra_out
 * and must have a row `type`; or NULL. */
int gt_typed_read(const gt_spec *node, const char *what, const gt_typed_choice *choices, int count,
                  const char *standard, const gt_schema *extra, void *extra_out, void **config,
                  gt_arena *arena, gt_diagnostics *diagnostics);
#endif
