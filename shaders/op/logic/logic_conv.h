/* Convolution with trees of logic gates, pooled (src/op/logic/logic_conv.h): x [height, width, CHANNELS,
 * batch], y and its gradient g [rows, COLUMNS, KERNELS, batch]. L: leaves per tree.
 *
 * Kernel logic_conv computes y from x.
 *
 * Kernel logic_conv_gradient: sums [chunks, KERNELS (L - 1), 4] = the sums over a chunk of d, d a, d b and d
 * ab for each gate, with inputs a and b and d the gradient of its output. With has_dx it also writes leaves
 * [KERNELS, L, rows, COLUMNS, batch], the gradient of the value that each leaf reads, and winner [KERNELS,
 * rows, COLUMNS, batch], the position of the maximum in each window: one word per item, which has a byte per
 * sample. On the CPU a chunk is a block of samples, the gradient of x is written to y directly, and leaves is
 * scratch memory.
 *
 * Kernel logic_conv_inputs: y = the gradient of x, gathered from leaves and winner. wiring is the inverse:
 * CHANNELS + 1 words, the offset of each channel's list, then pairs {kernel * L + leaf, position in the field
 * (row * field + column)}. */
#include "lib/args.h"
#include "op/logic/logic_conv_spec.h"
GT_ARGS(gt_logic_conv_args) {
  GT_FLOATS x, coefficients;
  GT_WORDS wiring;
  GT_FLOATS g, y, sums, leaves;
  GT_WORDS winner;
  uint height, width, rows, padding, batch;
  uint chunks; /* logic_conv_gradient: number of chunks; logic_conv on the CPU: kernels per tile */
  uint has_dx; /* 1: the gradient of x is computed */
};
