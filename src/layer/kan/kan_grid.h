/* Grids with separate knots per input, on the host, in double. */
#ifndef GT_LAYER_KAN_GRID_H
#define GT_LAYER_KAN_GRID_H
#include "op/kan/kan.h"

/* Fills in the knots beyond the grid, `degree` on either side, spaced by the mean width of a cell. */
void gt_kan_extend(double *knot, uint32_t cells, uint32_t degree);

/* Converts one input from one set of knots to another. */
typedef struct gt_kan_turn {
  const gt_kan_attribute *from, *to; /* both with the same block and base */
  const double *before, *now;        /* knots */
  int64_t input, outputs;
} gt_kan_turn;
/* Converts its coefficients from `old` to `out`, arrays for all inputs, which may be the same. */
void gt_kan_turn_input(const gt_kan_turn *turn, const float *old, float *out);
#endif
