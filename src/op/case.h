/* Test cases of ops, for `gtrain selftest` and `make check`. A file tests/op/NAME.c (or
 * tests/op/FAMILY/NAME.c) has one line GT_REGISTER(opcase, NAME) and exports `const gt_case_family
 * gt_opcase_NAME`: rules (how to build the op, its reference in double precision, its tolerance) and cases (a
 * rule and the shapes to try, one line each). The harness (src/selftest) checks every case: the CPU against
 * the reference, gradients (and gradients of derivatives) against finite differences of the reference, the
 * device against the CPU, guard words around all buffers, fused and unfused plans, and equal bits for
 * repeated runs and for any number of threads. */
#ifndef GT_OP_CASE_H
#define GT_OP_CASE_H
#include "base/register.h"
#include "graph/graph.h"

/* A case sets only the fields that it needs; the others are zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum { GT_CASE_INPUTS = 8, GT_CASE_PARAMETERS = 24 };

typedef struct gt_case {
  const struct gt_case_rule *rule;
  /* Shapes of the inputs, separated by spaces: "3,4 4,5"; "-" is a scalar. A letter before a shape: none,
   * float32; i, int32 in [0, v); c, int32 from the rule's fill(); u, uint8; g, float32 that are multiples of
   * 1/2 (so there are ties). These inputs are parts of variables, with guard words around them; the following
   * are whole variables: v, float32; w, the words p[0], p[1], …; m, float32 that the op changes; n, int32 in
   * [0, v). */
  const char *inputs;
  int64_t p[GT_CASE_PARAMETERS]; /* parameters for the rule's functions */
  double v;                      /* a parameter that is not an integer; also the bound of letters i and n */
  double low, high;              /* range of float inputs; both 0: that of the rule, or [-2, 2) */
  bool more; /* not in `selftest --brief`: slow to compile on software devices and rarely useful */
} gt_case;

/* A case with its inputs parsed, for builders and references. */
typedef struct gt_case_view {
  const gt_case *c;
  int inputs;
  gt_shape shape[GT_CASE_INPUTS];
  gt_dtype dtype[GT_CASE_INPUTS];
  uint32_t variable[GT_CASE_INPUTS]; /* the variable of each input */
} gt_case_view;

/* Several threads call these functions at once: they change nothing but their arguments. */
typedef struct gt_case_rule {
  const char *name;
  gt_id (*build)(gt_graph *graph, const gt_case_view *view, const gt_id *input);
  /* Fills y (row-major) from inputs given as doubles and returns its shape; y NULL: only returns the shape.
   * Simple code that shares nothing with the op. */
  gt_shape (*reference)(const gt_case_view *view, const double *const *x, double *y);
  /* Fills an input with letter c, from the inputs before it. */
  void (*fill)(const gt_case_view *view, int input, const double *const *x, int32_t *out);
  uint32_t wrt; /* bit k: differentiable in input k */
  bool flat;    /* the value may not depend on some of these inputs: their gradient may be 0 */
  /* Order up to which derivatives along directions of these inputs, and their gradients, are also checked,
   * for small cases; 0: GT_ORDERS (selftest/prepare.h); -1: none. */
  int orders;
  /* Largest |got - expected| / scale; scale is |expected|, at least `floor`, or the tensor's mean |expected|
   * if floor is 0. A tolerance of 0 requires equality. For gradients: gradient_tolerance, or 4 tolerances and
   * at least 4e-6; the scale is the sum of the absolute contributions, to allow for cancellation. */
  double tolerance, floor, gradient_tolerance, device_tolerance; /* device_tolerance 0: as on the CPU */
  const char *reason;                                            /* the reason for this tolerance */
  /* On a device with matrix units (with GTRAIN_DEBUG=matrix on any device) the case also runs on them, with
   * operands rounded to 16 bits: each has a relative error of 2^-11 (bfloat16: 2^-8). `magnitude` fills y,
   * like the reference, with the resulting error of the value, in units of twice that relative error: the sum
   * of the absolute products, times the derivative of the value with respect to the sum. NULL: the op
   * contains no GEMM. half_gradient: the same for gradients, relative to the sum of their absolute
   * contributions. */
  gt_shape (*magnitude)(const gt_case_view *view, const double *const *x, double *y);
  double half_gradient;
  double low, high; /* default range of float inputs */
  int result; /* k + 1: the result is the content of variable[k] after the run; 0: the value of the node */
  int times;  /* consecutive runs, 0 = 1 */
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
