/* What readers of a trained KAN layer need beside its tensors and the attribute of its basis, which is the
 * form of its slot `coefficients`. Its tensors: coefficients [blocks, functions, inputs of a block, outputs],
 * spline_scale and mask [blocks, 1, inputs of a block, outputs], base_weight [inputs, outputs] (where the
 * base is not one of the functions), bias [outputs]. */
#ifndef GT_LAYER_KAN_HOST_H
#define GT_LAYER_KAN_HOST_H
#include "op/kan/kan.h"

typedef struct gt_kan_beside {
  const char *norm, *base; /* input_norm and base, as a config has them */
} gt_kan_beside;
gt_kan_beside gt_kan_beside_of(const void *config); /* of a layer's settings */
/* A function at x: splines in double, all others as near as the kernels are. */
double gt_kan_function(const gt_kan_attribute *attribute, uint32_t term, double x);
#endif
