/* Grids with knots of each input's own, on the host, in double. */
#ifndef GT_LAYER_KAN_GRID_H
#define GT_LAYER_KAN_GRID_H
#include "op/kan/kan.h"

/* Fills in the knots beyond the grid, `degree` on either side, a mean cell apart. */
void gt_kan_extend(double *knot, uint32_t cells, uint32_t degree);

/* One input from one set of knots to another. */
typedef struct gt_kan_turn {
  const gt_kan_attribute *from, *to; /* with the same block and base */
  const double *before, *now;        /* knots */
  int64_t input, outputs;
} gt_kan_turn;
/* Takes its coefficients over from those of all inputs `old` to those `out`, which may be the same. */
void gt_kan_turn_input(const gt_kan_turn *turn, const float *old, float *out);
#endif
