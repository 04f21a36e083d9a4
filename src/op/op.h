/* The registry of ops (graph/op.h). A file src/op/NAME.c (or src/op/FAMILY/NAME.c) defines a family: its ops,
 * their shape inference, gradients and lowering, and the CPU kernels; GT_DEFINE(op, NAME) = {ops, count};
 * registers them. */
#ifndef GT_OP_OP_H
#define GT_OP_OP_H
#include "base/register.h"
#include "graph/op.h"

typedef struct gt_op_type { /* what one file registers: a family */
  const gt_op *ops;
  int count;
} gt_op_type;

const gt_op *gt_op_find(const char *name); /* NULL if there is none */
int gt_op_count(void);
const gt_op *gt_op_at(int index); /* all ops of all families, in a fixed order */

/* Adds a node by name: gt_apply(g, "exp", 1, x). The name must exist (asserted). */
gt_id gt_apply(gt_graph *graph, const char *op, int inputs, ...);
#endif
