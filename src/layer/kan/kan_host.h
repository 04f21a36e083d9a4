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
#endif
