/* Draws the random augmentation parameters of each sample of a batch, one record each: y [batch, words]
 * (augment/drawn.h).
 *
 * `table` begins with the stages, GT_AUGMENT_STAGE_WORDS words each: the kind of augmentation, its settings
 * (the functions in augment/rules.h list them), and last the size of the images at this stage. The quantile
 * tables of distributions follow, GT_AUGMENT_QUANTILES rows each. */
#include "lib/args.h"
#include "op/augment/drawn.h"
#define GT_AUGMENT_STAGE_WORDS    16u
#define GT_AUGMENT_STAGE_HEIGHT   14u
#define GT_AUGMENT_STAGE_WIDTH    15u
#define GT_AUGMENT_QUANTILE_BITS  12u
#define GT_AUGMENT_QUANTILES      (1u << GT_AUGMENT_QUANTILE_BITS)
#define GT_AUGMENT_ATTEMPTS       10u /* at drawing a rectangle that fits into the image */
#define GT_AUGMENT_BLOCKS         16u /* blocks of four random words per stage and sample */
#define GT_AUGMENT_AFFINE_COLUMNS 5u  /* cosine, sine, 1/scale, tangents of the shears along x and y */
#define GT_AUGMENT_MIX_COLUMNS    3u  /* weight for mixup, for CutMix; half its box's side, as a fraction */
GT_ARGS(gt_augment_draw_args) {
  GT_WORDS clock, table;
  GT_FLOATS y;
  uint batch, stages, boxes, tones;
};
