/* Grids with separate knots per input, on the host, in double. */
#ifndef GT_LAYER_KAN_GRID_H
#define GT_LAYER_KAN_GRID_H
#include "op/kan/kan.h"

/* Fills in the knots beyond the grid, `degree` on either side, spaced by the mean width of a cell. */
void gt_kan_extend(double *knot, uint32_t cells, uint32_t degree);

/* The conversion of one input's coefficients from one set of knots to another. */
typedef struct gt_kan_turn {
  const gt_kan_attribute *from, *to; /* both with the same block and base */
  const double *before, *now;        /* knots of `from` and of `to` */
  int64_t input, outputs;            /* which input; number of outputs */
} gt_kan_turn;
/* Converts the coefficients of turn->input. old, out: the coefficients of all inputs; may be the same
 * array. */
void gt_kan_turn_input(const gt_kan_turn *turn, const float *old, float *out);
#endif
