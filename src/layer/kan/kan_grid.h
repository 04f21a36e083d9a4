/* Grids with separate knots per input, on the host, in double. */
#ifndef GT_LAYER_KAN_GRID_H
#define GT_LAYER_KAN_GRID_H
#include "op/kan/kan.h"

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
