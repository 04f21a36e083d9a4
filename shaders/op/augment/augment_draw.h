/* What is drawn for each sample of a batch, a record each: y [batch, words] (augment/drawn.h).
 *
 * table holds the stages, GT_AUGMENT_STAGE_WORDS each: the kind, then its settings, as augment/rules.h reads
 * them, last the size of the samples where it works; behind them the tables of what is drawn from a
 * distribution, GT_AUGMENT_QUANTILES lines each. */
#include "lib/args.h"
#include "op/augment/drawn.h"
#define GT_AUGMENT_STAGE_WORDS    16u
#define GT_AUGMENT_STAGE_HEIGHT   14u
#define GT_AUGMENT_STAGE_WIDTH    15u
#define GT_AUGMENT_QUANTILE_BITS  12u
#define GT_AUGMENT_QUANTILES      (1u << GT_AUGMENT_QUANTILE_BITS)
#define GT_AUGMENT_ATTEMPTS       10u /* to find a rectangle that fits */
#define GT_AUGMENT_BLOCKS         16u /* of random words that a stage may use */
#define GT_AUGMENT_AFFINE_COLUMNS 5u  /* cosine, sine, 1/scale, tangents of the shears along x and y */
#define GT_AUGMENT_MIX_COLUMNS    3u  /* share for mixup, share for cutmix, half the side of its box */
GT_ARGS(gt_augment_draw_args) {
  GT_WORDS clock, table;
  GT_FLOATS y;
  uint batch, stages, boxes;
};
