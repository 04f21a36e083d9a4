/* Cases: what `gtrain selftest` and `make check` try of each op. A file tests/op/NAME.c (or
 * tests/op/FAMILY/NAME.c) has one line GT_REGISTER(opcase, NAME) and exports `const gt_case_family
 * gt_opcase_NAME`: rules (how to build the op, what it means in double precision, how exact it must be) and
 * cases (a rule and the shapes to try, one line each). The harness (src/selftest) does the rest for every
 * case: the CPU against the reference, gradients (and gradients of derivatives) against finite differences of
 * the reference, the device against the CPU, guard words around all buffers, fused and unfused plans, equal
 * bits for repeated runs and for any number of threads. */
#ifndef GT_OP_CASE_H
#define GT_OP_CASE_H
#include "base/register.h"
#include "graph/graph.h"

/* A case names what it needs and leaves the rest zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum { GT_CASE_INPUTS = 8, GT_CASE_PARAMETERS = 24 };

typedef struct gt_case {
  const struct gt_case_rule *rule;
  /* Shapes of the inputs, separated by spaces: "3,4 4,5"; "-" is a scalar. A letter before a shape: i int32
   * in [0, v), c int32 from the rule's fill(), u uint8, g float32 on a grid of halves (makes ties), v a whole
   * variable (no guards; float32), w the same holding the words p[0], p[1], …, m a whole variable that the op
   * itself changes, n one of int32 in [0, v). */
  const char *inputs;
  int64_t p[GT_CASE_PARAMETERS]; /* for the rule's functions */
  double v;                      /* a number for them */
  double low, high;              /* range of float inputs; both 0: the rule's, or [-2, 2) */
  bool more; /* says little beside others, and takes software devices long to compile: `selftest --brief` */
} gt_case;

/* A case with its inputs read: what builders and references see. */
typedef struct gt_case_view {
  const gt_case *c;
  int inputs;
  gt_shape shape[GT_CASE_INPUTS];
  gt_dtype dtype[GT_CASE_INPUTS];
  uint32_t variable[GT_CASE_INPUTS]; /* that holds the input */
} gt_case_view;

typedef struct gt_case_rule {
  const char *name;
  gt_id (*build)(gt_graph *graph, const gt_case_view *view, const gt_id *input);
  /* Fills y (row-major) from inputs given as doubles; y NULL: only the shape is wanted. Returns the shape.
   * Written plainly, sharing no code with the op. */
  gt_shape (*reference)(const gt_case_view *view, const double *const *x, double *y);
  /* Fills an input marked c from the inputs before it. */
  void (*fill)(const gt_case_view *view, int input, const double *const *x, int32_t *out);
  uint32_t wrt; /* bit k: differentiable in input k */
  bool flat;    /* it may not depend on some of these: their gradients are 0 */
  /* Derivatives along directions of these inputs, so many orders, and their gradients are checked, too, for
   * small cases; 0: GT_ORDERS (selftest/orders.h); -1: none. */
  int orders;
  /* Largest |got - expected| / scale; scale is |expected|, at least `floor`, or the tensor's mean |expected|
   * where floor is 0. 0 demands equality. For gradients: gradient_tolerance, or 4 tolerances and at least
   * 4e-6; the scale is the sum of the absolute contributions, so that cancellation is allowed for. */
  double tolerance, floor, gradient_tolerance, device_tolerance; /* device: 0 = as on the CPU */
  const char *reason;                                            /* why this tolerance */
  /* Where a device has matrix units (GTRAIN_DEBUG=matrix: where it has none, too), the case runs on them as
   * well, with factors of products rounded to 16 bits, by 2^-11 (2^-8 of bfloat16) each. magnitude fills y,
   * as the reference does, with what a value may change by, in units of twice that: the sum of the absolute
   * products it is made of, times the slope of what follows. half_gradient: the same of gradients, relative
   * to the sum of their absolute contributions. NULL: there is no product in it. */
  gt_shape (*magnitude)(const gt_case_view *view, const double *const *x, double *y);
  double half_gradient;
  double low, high; /* default range of float inputs */
  int result;       /* k + 1: the result is what variable[k] holds after the run; 0: the built node's value */
  int times;        /* runs in a row, 0 = 1 */
} gt_case_rule;

typedef struct gt_case_family {
  const char *name;
  const gt_case *cases;
  int count;
} gt_case_family;

#define GT_CASES(name, table)            \
  const gt_case_family gt_opcase_##name; \
  const gt_case_family gt_opcase_##name = {#name, table, (int)(sizeof(table) / sizeof *(table))}
#endif
