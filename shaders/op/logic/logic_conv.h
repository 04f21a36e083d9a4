/* Trees of gates over an image, pooled (op/logic/logic_conv.h); x [height, width, CHANNELS, batch], y and g
 * [rows, COLUMNS, KERNELS, batch]; L leaves a tree.
 *
 * logic_conv           y from x
 *
 * logic_conv_gradient  sums [chunks, KERNELS (L - 1), 4] = a chunk's sums of d, d a, d b, d ab for each gate
 * with inputs a and b and gradient d; and if `inputs`: leaves [KERNELS, L, rows, COLUMNS, batch] = the
 * gradient of what each leaf read, and winner [KERNELS, rows, COLUMNS, batch] = at which position of the
 * window, a word an item (four bytes where samples are taken in fours). On the CPU a chunk is a block of
 * samples, the gradient of x goes to y at once, and leaves is work memory
 *
 * logic_conv_inputs    y = the gradient of x, gathered from leaves and winner. wiring holds the inverse:
 * words [CHANNELS + 1] where each channel's list begins, then pairs: kernel * L + leaf, and the place in the
 * field, row * field + column */
#include "lib/args.h"
#include "op/logic/logic_conv_spec.h"
GT_ARGS(gt_logic_conv_args) {
  GT_FLOATS x, coefficients;
  GT_WORDS wiring;
  GT_FLOATS g, y, sums, leaves;
  GT_WORDS winner;
  uint height, width, rows, padding, batch, chunks, inputs;
};
