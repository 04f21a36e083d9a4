/* Typed things: `optimizer: adam` or `optimizer: {type: adam, lr: 1.0e-3}`: a name chosen among registered
 * rows, and that row's own settings beside it. Losses, optimizers, schedules and initialisers are all written
 * so. */
#ifndef GT_SPEC_TYPED_H
#define GT_SPEC_TYPED_H
#include "spec/schema.h"

typedef struct gt_typed_choice { /* one of the things to choose from */
  const char *name;
  const gt_schema *schema;
  size_t config_size;
} gt_typed_choice;

/* Reads the choice into a fresh struct of config_size bytes, *config. `extra` (may be NULL) is a schema that
 * all of them share, filling *extra_out; it must have a row `type`, which without extra is understood.
 * Returns the index of the choice, or -1 after reporting every error. `what` names the kind of thing:
 * "optimizer". */
int gt_typed_read(const gt_spec *node, const char *what, const gt_typed_choice *choices, int count,
                  const gt_schema *extra, void *extra_out, void **config, gt_arena *arena,
                  gt_diagnostics *diagnostics);
#endif
