/* A model as functions of its inputs, for losses that use derivatives: the values of a name such as x, u or
 * u_xy at some points. Names of inputs and outputs are letters and digits; the name of a derivative is an
 * output's name, '_' and the names of the inputs with respect to which it is taken, in any order. Only for
 * loss/. */
#ifndef GT_LOSS_PDE_FIELD_H
#define GT_LOSS_PDE_FIELD_H
#include "loss/loss.h"
#include "op/tangent.h"

enum { GT_PDE_MAX_AXES = 16, GT_PDE_MAX_OUTPUTS = 16, GT_PDE_MAX_ORDER = 4, GT_PDE_MAX_NAMES = 128 };

typedef struct gt_pde_derivative {
  int output, order;
  int axis[GT_PDE_MAX_ORDER]; /* the inputs with respect to which it is taken, in ascending order */
} gt_pde_derivative;

typedef struct gt_pde_names {
  int axes, outputs, count;                       /* axes: number of inputs; count: number of all names */
  const char *name[GT_PDE_MAX_NAMES];             /* names of inputs, outputs, then the derivatives in use */
  gt_pde_derivative derivative[GT_PDE_MAX_NAMES]; /* for the names that are derivatives */
  gt_position at[GT_PDE_MAX_NAMES];               /* of their first use */
} gt_pde_names;

/* True if the text names a derivative. If its order is too high, out->order is GT_PDE_MAX_ORDER + 1. */
bool gt_pde_read_derivative(const gt_pde_names *names, const char *text, size_t length,
                            gt_pde_derivative *out);

/* Help for a name that formulas do not know: which names there are and which key gives others. unknown: it
 * and its length, or length 0. In the arena. */
const char *gt_pde_names_help(const gt_pde_names *names, const char *unknown, size_t length, gt_arena *arena);

typedef struct gt_pde_field {
  gt_graph *graph;
  const gt_pde_names *names;
  gt_id points, output;                /* [rows, axes], [rows, outputs] */
  gt_tangents *along[GT_PDE_MAX_AXES]; /* derivatives with respect to each input; NULL: not used so far */
  gt_id failed; /* the node without a derivative that made gt_pde_value fail, or GT_NONE */
} gt_pde_field;

/* output: any shape whose first axis has one entry per point. */
void gt_pde_field_init(gt_pde_field *field, gt_graph *graph, const gt_pde_names *names, gt_id points,
                       gt_id output);
void gt_pde_field_finish(gt_pde_field *field);
/* The values of a name at points first … first + count - 1, F32 [count]; GT_NONE if a node has no derivative:
 * field->failed. */
gt_id gt_pde_value(gt_pde_field *field, int name, int64_t first, int64_t count);
/* True if the derivative is 0 whatever the model's weights are. */
bool gt_pde_is_zero(gt_pde_field *field, const gt_pde_derivative *d);
#endif
