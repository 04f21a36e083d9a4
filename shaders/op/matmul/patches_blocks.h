/* Scales (range.h) of an im2col operand from the amax of blocks of the images, instead of reading each
 * element once per tap. Kernel patches_blocks writes the amax of each block (the bits of a float). Then
 * kernel patches_range, which has the arguments of a GEMM and the blocks in `partial`, computes each root
 * from the blocks that its row or column touches.
 *
 * If K runs over the elements of a patch, a block is `channels` neighboring channels of one pixel (a place).
 * If K runs over positions, a block is one channel at GT_RANGE_PLACES neighboring pixels; blocks that extend
 * beyond a scale block of K only make its scale larger. */
#include "lib/args.h"
#include "op/matmul/range.h"
#define GT_BLOCKS_SPEC_ALONG 3  /* 1: a block is one channel at GT_RANGE_PLACES pixels */
#define GT_BLOCKS_SHARES     8u /* invocations that read a block of channels */
#define GT_BLOCKS_GROUP      256u
GT_ARGS(gt_patches_blocks_args) {
  GT_FLOATS image; /* [places, all_channels] */
  /* [places, all_channels / channels]; with ALONG [places / GT_RANGE_PLACES, all_channels] */
  GT_WORDS blocks;
  uint places, all_channels, channels; /* channels: of a block */
};
