/* A convolution of as many groups as channels, on images [lines, channels] as a factor of patches sees them
 * (op/matmul/patches.h): depthwise: y = epilogue(sum over taps of image * w), w [channels, taps].
 * depthwise_weight: partial[part, channels, taps] = sums over a part's lines of g * image; matmul_finish adds
 * the parts. */
#include "lib/args.h"
#include "op/matmul/patches.h"
GT_ARGS(gt_depthwise_args) {
  GT_FLOATS image, other; /* other: w or g */
  GT_FLOATS partial;
  GT_FLOATS x[4]; /* epilogue inputs */
  GT_FLOATS y[2];
  GT_WORDS clock;
  GT_WORDS geometry;
  uint lines, channels, taps, parts, chunk; /* chunk: lines of a part */
};
