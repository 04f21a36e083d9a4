/* Layers of a Kolmogorov-Arnold network (src/op/kan/kan.c): each input by way of basis functions, y = B(x) C,
 * x [batch…, inputs], y [batch…, outputs]. B(x) has a column for each input and function, in the order of
 * shaders/op/kan/basis.h, and is never stored. */
#ifndef GT_OP_KAN_H
#define GT_OP_KAN_H
#include "graph/graph.h"
#include "shaders/op/kan/basis.h"

typedef struct gt_kan_attribute {
  uint32_t basis;                    /* GT_BASIS_… */
  uint32_t terms;                    /* functions of an input, without the base */
  uint32_t base;                     /* 1: silu(x) is one more, behind them */
  uint32_t apart;                    /* 1: that base reads other lines than the functions do */
  uint32_t degree;                   /* of B-splines */
  uint32_t block;                    /* neighbouring inputs that stand together: a divisor of the inputs */
  uint32_t order;                    /* of the derivative: 0 */
  uint32_t placed;                   /* 1: functions have a centre and a scale of their own at each input */
  float low, inverse, first, second; /* shaders/op/kan/basis.h */
} gt_kan_attribute;

/* Where the base is apart, x is [2, batch…, inputs], what the functions read and what the base does, and the
 * coefficients of the base are the last rows of all; functions stand where they do by themselves, and nothing
 * has scales.
 * coefficients: [inputs * (terms + base), outputs], in any shape that ends in the outputs. scales, unless
 * GT_NONE: a factor on all functions of each pair of input and output, [inputs, outputs] likewise, the base
 * not among them; or, where there is a base, also one on that, [blocks, 2, block, outputs]. */
gt_id gt_kan(gt_graph *graph, gt_id x, gt_id coefficients, gt_id scales, const gt_kan_attribute *attribute);
/* The gradient of the coefficients, [inputs * (terms + base), outputs], given that of y. */
gt_id gt_kan_coefficients(gt_graph *graph, gt_id x, gt_id g, const gt_kan_attribute *attribute);
/* The gradient of x, where attribute->order is one more than that of y. Its own gradients by g
 * and coefficients write the basis to memory. */
gt_id gt_kan_input(gt_graph *graph, gt_id x, gt_id g, gt_id coefficients, gt_id scales,
                   const gt_kan_attribute *attribute);
/* Coefficients times scales, in memory and in the shape of coefficients: for what needs them themselves. */
gt_id gt_kan_scaled(gt_graph *graph, gt_id coefficients, gt_id scales, const gt_kan_attribute *attribute);
/* What the gradient of coefficients times scales, [inputs * (terms + base), outputs], makes of both: that of
 * coefficients and, result 1, that of scales. */
gt_id gt_kan_scale(gt_graph *graph, gt_id gradient, gt_id coefficients, gt_id scales,
                   const gt_kan_attribute *attribute);

/* The columns of B(x), [lines, inputs * (terms + base)]: for what needs them themselves. */
gt_id gt_kan_basis(gt_graph *graph, gt_id x, const gt_kan_attribute *attribute);

/* Where functions stand by numbers of each input, x is [lines + rows, inputs], of which the last rows are
 * these numbers (shaders/op/kan/basis.h): so many; 0: none. Knots have no gradient. */
uint32_t gt_kan_behind(const gt_kan_attribute *attribute);

/* The row of C of function `term` of an input. */
uint32_t gt_kan_row(const gt_kan_attribute *attribute, uint32_t input, uint32_t term);

/* Attributes over [low, high], all inputs in one block: B-splines and straight lines on a grid of cells, or
 * splines over knots behind x;
 * bumps around points, as many as the grid has, `width` apart or as wide as is said (0: as they are apart);
 * cosines and sines of so many frequencies; polynomials of degrees 0 to `degree`. */
gt_kan_attribute gt_kan_bspline(double low, double high, uint32_t grid, uint32_t degree);
gt_kan_attribute gt_kan_knots(uint32_t grid, uint32_t degree);
gt_kan_attribute gt_kan_lines(double low, double high, uint32_t grid);
gt_kan_attribute gt_kan_bumps(uint32_t basis, double low, double high, uint32_t grid, double width);
gt_kan_attribute gt_kan_waves(uint32_t frequencies);
gt_kan_attribute gt_kan_polynomials(uint32_t basis, uint32_t degree, double a, double b);
#endif
