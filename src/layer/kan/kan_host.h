/* Helpers for code that reads a trained KAN layer from its tensors and the attribute of its basis (`form` of
 * its slot `coefficients`). Its tensors: coefficients [blocks, functions, inputs of a block, outputs],
 * spline_scale and mask [blocks, 1, inputs of a block, outputs], base_weight [inputs, outputs] (if the base
 * is not one of the functions), bias [outputs]; and the positions of functions, [rows, inputs]: knots, or
 * learned centers and scales, or frequencies. */
#ifndef GT_LAYER_KAN_HOST_H
#define GT_LAYER_KAN_HOST_H
#include "op/kan/kan.h"

typedef struct gt_kan_branch_settings { /* settings of a layer that neither its tensors nor the attribute
                                           contain */
  const char *norm, *base;              /* input_norm and base, as in a config */
  double width;                         /* of rbf, rswaf and wavelet; 0: the distance between centers */
} gt_kan_branch_settings;
gt_kan_branch_settings gt_kan_branch_settings_of(const void *config); /* config: a layer's settings */
/* Evaluates all functions of one input at x, without the base: splines in double, others as precisely as the
 * kernels do. positions: knots, centers, … of this input, gt_kan_parameter_rows(attribute) values; NULL if
 * there are none. */
void gt_kan_functions(const gt_kan_attribute *attribute, const double *positions, double x, double *values);

/* --- grids with separate knots per input, on the host, in double (kan_grid.c) --- */

/* Fills in the knots outside the grid, `degree` on either side, spaced by the mean width of a cell. */
void gt_kan_extend_knots(double *knot, uint32_t cells, uint32_t degree);

/* Conversion of one input's coefficients from one set of knots to another. */
typedef struct gt_kan_conversion {
  const gt_kan_attribute *from, *to; /* both with the same block and base */
  const double *before, *now;        /* knots of `from` and of `to` */
  int64_t input, outputs;            /* index of the input; number of outputs */
} gt_kan_conversion;
/* Converts the coefficients of conversion->input. old, out: the coefficients of all inputs; may be the same
 * array. */
void gt_kan_convert_input(const gt_kan_conversion *conversion, const float *old, float *out);
#endif
