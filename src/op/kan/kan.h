/* Layers of a Kolmogorov-Arnold network (KAN, src/op/kan/kan.c): y = B(x) C, x [batch…, inputs], y [batch…,
 * outputs]. B(x) has a column for each input and basis function, in the order of shaders/op/kan/basis.h, and
 * is not stored. */
#ifndef GT_OP_KAN_H
#define GT_OP_KAN_H
#include "graph/graph.h"
#include "shaders/op/kan/basis.h"

typedef struct gt_kan_attribute {
  uint32_t basis;  /* GT_BASIS_… */
  uint32_t terms;  /* functions of an input, without the base */
  uint32_t base;   /* 1: each input has a further, last function, silu(x) */
  uint32_t apart;  /* 1: the base reads inputs of its own */
  uint32_t degree; /* of B-splines */
  uint32_t block;  /* columns of B(x) are grouped by blocks of this many inputs, a divisor of the inputs */
  uint32_t order;  /* of the derivative; 0: the function itself */
  uint32_t placed; /* 1: each function has a centre and a scale at each input */
  float low, inverse, first, second; /* shaders/op/kan/basis.h */
} gt_kan_attribute;

/* coefficients: [inputs * (terms + base), outputs], in any shape that ends in the outputs. scales, unless
 * GT_NONE: [inputs, outputs] likewise, a factor on all functions of an input and output, but not on the base;
 * or with a base [blocks, 2, block, outputs], of which the second is a factor on the base. apart: x is [2,
 * batch…, inputs], the inputs of the functions and those of the base, and the coefficients of the base are
 * the last rows. There are no scales then, and no parameters after x (gt_kan_parameter_rows). */
gt_id gt_kan(gt_graph *graph, gt_id x, gt_id coefficients, gt_id scales, const gt_kan_attribute *attribute);
/* The gradient of the coefficients, [inputs * (terms + base), outputs]; g: the gradient of y. */
gt_id gt_kan_coefficients(gt_graph *graph, gt_id x, gt_id g, const gt_kan_attribute *attribute);
/* The gradient of x; attribute->order is one more than that of y. The gradients of this op by g and by the
 * coefficients store the basis in memory. */
gt_id gt_kan_input(gt_graph *graph, gt_id x, gt_id g, gt_id coefficients, gt_id scales,
                   const gt_kan_attribute *attribute);
/* Coefficients times scales as a value in memory, in the shape of coefficients. */
gt_id gt_kan_scaled(gt_graph *graph, gt_id coefficients, gt_id scales, const gt_kan_attribute *attribute);
/* The gradient of coefficients and, as result 1, that of scales, from the gradient of their product, [inputs
 * * (terms + base), outputs]. */
gt_id gt_kan_scale(gt_graph *graph, gt_id gradient, gt_id coefficients, gt_id scales,
                   const gt_kan_attribute *attribute);

/* B(x) as a value in memory, [lines, inputs * (terms + base)]. */
gt_id gt_kan_basis(gt_graph *graph, gt_id x, const gt_kan_attribute *attribute);

/* Number of rows with parameters of the functions at each input (knots, or centres and scales) that follow
 * the lines of x, which is [lines + rows, inputs] then (shaders/op/kan/basis.h); 0: none. Knots have no
 * gradient. */
uint32_t gt_kan_parameter_rows(const gt_kan_attribute *attribute);

/* The row of the coefficients for function `term` of an input. */
uint32_t gt_kan_row(const gt_kan_attribute *attribute, uint32_t input, uint32_t term);

/* Attributes of functions over [low, high]; the caller sets `block` and, if needed, base, apart, placed and
 * order. bspline: B-splines on `grid` cells; knots: over knots that follow x; lines: piecewise linear
 * functions on `grid` cells; bumps: functions around `grid` points, of this width (0: the distance of the
 * points); waves: cosines and sines of this many frequencies; polynomials: of degrees 0 to `degree`, with
 * parameters a and b. */
gt_kan_attribute gt_kan_bspline(double low, double high, uint32_t grid, uint32_t degree);
gt_kan_attribute gt_kan_knots(uint32_t grid, uint32_t degree);
gt_kan_attribute gt_kan_piecewise_linear(double low, double high, uint32_t grid);
gt_kan_attribute gt_kan_bumps(uint32_t basis, double low, double high, uint32_t grid, double width);
gt_kan_attribute gt_kan_waves(uint32_t frequencies);
gt_kan_attribute gt_kan_polynomials(uint32_t basis, uint32_t degree, double a, double b);
#endif
