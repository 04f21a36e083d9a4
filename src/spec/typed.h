/* Typed things: `optimizer: adam` or `optimizer: {type: adam, lr: 1.0e-3}`: a name of a registered row, with
 * that row's settings beside it. Losses, optimizers, schedules and initializers use it. */
#ifndef GT_SPEC_TYPED_H
#define GT_SPEC_TYPED_H
#include "spec/schema.h"

typedef struct gt_typed_choice { /* one of the rows to choose from */
  const char *name;
  const gt_schema *schema;
  size_t config_size;
} gt_typed_choice;

/* Reads the choice into a new struct *config of config_size bytes. `extra` (may be NULL) is a schema that
 * all choices share, filling *extra_out; it must have a row `type`, which is implicit without extra. Returns
 * the index of the choice, or -1 after reporting all errors. `what` is the kind of thing: "optimizer".
 * standard: the choice for a map without a type; NULL: a type is required. */
int gt_typed_read(const gt_spec *node, const char *what, const gt_typed_choice *choices, int count,
                  const char *standard, const gt_schema *extra, void *extra_out, void **config,
                  gt_arena *arena, gt_diagnostics *diagnostics);
#endif
