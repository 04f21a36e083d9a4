/* What readers of a trained KAN layer need beside its tensors and the attribute of its basis, which is the
 * form of its slot `coefficients`. Its tensors: coefficients [blocks, functions, inputs of a block, outputs],
 * spline_scale and mask [blocks, 1, inputs of a block, outputs], base_weight [inputs, outputs] (where the
 * base is not one of the functions), bias [outputs]; and what functions stand by, a row for each number:
 * knots, or centres and scales as far as they are learned, or frequencies, [rows, inputs]. */
#ifndef GT_LAYER_KAN_HOST_H
#define GT_LAYER_KAN_HOST_H
#include "op/kan/kan.h"

typedef struct gt_kan_beside {
  const char *norm, *base; /* input_norm and base, as a config has them */
  double width;            /* 0: as far as centres are apart */
} gt_kan_beside;
gt_kan_beside gt_kan_beside_of(const void *config); /* of a layer's settings */
/* All functions of one input at x, without the base: splines in double, all others as near as the kernels
 * are. behind: the numbers of this input that they stand by, gt_kan_behind of them; NULL where there are
 * none.
 */
void gt_kan_functions(const gt_kan_attribute *attribute, const double *behind, double x, double *values);
#endif
