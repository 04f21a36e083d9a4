/* Trees of gates over an image, pooled (op/logic/logic_conv.h); x [height, width, CHANNELS, batch], y and g
 * [rows, COLUMNS, KERNELS, batch]; L: leaves per tree.
 *
 * logic_conv           y from x
 *
 * logic_conv_gradient  sums [chunks, KERNELS (L - 1), 4] = the sums over a chunk of d, d a, d b, d ab for
 * each gate with inputs a and b and gradient d. If `inputs`, also leaves [KERNELS, L, rows, COLUMNS, batch] =
 * the gradient of the value that each leaf read, and winner [KERNELS, rows, COLUMNS, batch] = the position in
 * the window of the maximum, one word per item (with four samples per item, one byte each). On the CPU a
 * chunk is a block of samples, the gradient of x is written to y directly, and leaves is scratch memory
 *
 * logic_conv_inputs    y = the gradient of x, gathered from leaves and winner. wiring has the inverse: words
 * [CHANNELS + 1], the offset of each channel's list, then pairs: kernel * L + leaf, and the position in the
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
