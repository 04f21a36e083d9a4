/* A model as functions of its inputs, for losses that use their derivatives: the value of a name such as x, u
 * or u_xy at some points. Names of inputs and outputs are letters and digits; a derivative is written as an
 * output's name, '_' and the names of the inputs it is taken with respect to, in any order. Internal to
 * loss/. */
#ifndef GT_LOSS_PDE_FIELD_H
#define GT_LOSS_PDE_FIELD_H
#include "loss/loss.h"
#include "op/tangent.h"

enum { GT_PDE_MAX_AXES = 16, GT_PDE_MAX_OUTPUTS = 16, GT_PDE_MAX_ORDER = 4, GT_PDE_MAX_NAMES = 128 };

typedef struct gt_pde_derivative {
  int output, order;
  int axis[GT_PDE_MAX_ORDER]; /* ascending */
} gt_pde_derivative;

typedef struct gt_pde_names {
  int axes, outputs, count;
  const char *name[GT_PDE_MAX_NAMES];             /* names of inputs, outputs, then the derivatives in use */
  gt_pde_derivative derivative[GT_PDE_MAX_NAMES]; /* meaning of the names that are derivatives */
} gt_pde_names;

/* True if the text is a derivative of an output by inputs. If its order is too high, order is
 * GT_PDE_MAX_ORDER + 1. */
bool gt_pde_read_derivative(const gt_pde_names *names, const char *text, size_t length,
                            gt_pde_derivative *out);

typedef struct gt_pde_field {
  gt_graph *graph;
  const gt_pde_names *names;
  gt_id points, output; /* [rows, axes], [rows, outputs] */
  gt_tangents *along[GT_PDE_MAX_AXES];
  gt_id failed; /* a node that has no such derivative */
} gt_pde_field;

/* output: in any shape whose first axis is the rows. */
void gt_pde_field_init(gt_pde_field *field, gt_graph *graph, const gt_pde_names *names, gt_id points,
                       gt_id output);
void gt_pde_field_finish(gt_pde_field *field);
/* The values of a name at `count` points from `first` on: [count]; GT_NONE after failing. */
gt_id gt_pde_value(gt_pde_field *field, int name, int64_t first, int64_t count);
#endif
