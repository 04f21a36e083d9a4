/* Scales of an im2col operand from the amax of image blocks, instead of reading each element once for every
 * filter tap.
 *
 * The powers of range.h for a factor of patches, without reading each element once for every tap: first the
 * largest absolute values of blocks of the images, then of the blocks that a line touches. Kernel
 * patches_blocks writes the bits of the former, kernel patches_range, with the arguments of a product and the
 * blocks in `partial`, the powers.
 *
 * Where lines of the product hold patches, a block is `channels` neighbouring channels of one place. Where
 * they hold what one tap sees all along, it is one channel at GT_RANGE_PLACES neighbouring places; blocks
 * that begin before or end behind a depth of k only make its power larger. */
#include "lib/args.h"
#include "op/matmul/range.h"
#define GT_BLOCKS_SPEC_ALONG 3  /* 1: of places */
#define GT_BLOCKS_SHARES     8u /* invocations that read a block of channels */
#define GT_BLOCKS_GROUP      256u
GT_ARGS(gt_patches_blocks_args) {
  GT_FLOATS image; /* [places, all_channels] */
  GT_WORDS
  blocks; /* [places, all_channels / channels], along places [places / GT_RANGE_PLACES, all_channels] */
  uint places, all_channels, channels;
};
