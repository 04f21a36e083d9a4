/* Depthwise convolution (groups = channels); a line is one output position, whose window has the geometry of
 * im2col (op/matmul/patches.h). depthwise: y = epilogue(sum over taps of image * w), w [channels, taps].
 * depthwise_weight: partial[part, channels, taps] = sum of g * image over the lines of a part; matmul_finish
 * adds the parts. */
#include "lib/args.h"
#include "op/matmul/patches.h"
GT_ARGS(gt_depthwise_args) {
  GT_FLOATS image, other; /* other: w or g */
  GT_FLOATS partial;
  GT_FLOATS x[4]; /* epilogue inputs */
  GT_FLOATS y[2];
  GT_WORDS clock;
  GT_WORDS geometry;
  uint lines, channels, taps, parts, chunk; /* chunk: lines per part */
};
