/* Convolution with trees of logic gates on bits, pooled (src/op/logic/logic_conv_bits.h): x [height, width,
 * CHANNELS, words], y [rows, COLUMNS, KERNELS, words], codes [KERNELS (L - 1)] and wiring [KERNELS, L]. L:
 * leaves per tree. planes: scratch memory for the CPU, filled from x by its first step. */
#include "lib/args.h"
#include "op/logic/logic_conv_spec.h"
GT_ARGS(gt_logic_conv_bits_args) {
  GT_WORDS x, codes, wiring, y, planes;
  uint height, width, rows, padding, words;
};
