/* Depthwise convolution (groups = channels). A line is one output position; the taps under its window have
 * the geometry of im2col (op/matmul/patches.h).
 *
 * Kernel depthwise: y [lines, channels] = epilogue(sum over taps of image * w), w [channels, taps].
 *
 * Kernel depthwise_weight: partial[part, channels, taps] = sum of g * image over the lines of a part, g
 * [lines, channels] being the gradient of the output. Kernel matmul_finish adds the parts. */
#include "lib/args.h"
#include "op/matmul/patches.h"
GT_ARGS(gt_depthwise_args) {
  GT_FLOATS image, other; /* other: w or g */
  GT_FLOATS partial;
  GT_FLOATS x[4]; /* epilogue inputs */
  GT_FLOATS y[2];
  GT_WORDS clock;
  GT_WORDS geometry;
  uint lines, channels, taps, parts, lines_per_part;
};
