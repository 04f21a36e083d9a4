/* What is seen of a batch of pictures x [batch, height, width, channels], as drawn [batch, words] has it
 * (augment/augment_draw.h).
 *
 * augment       y [batch, tall, wide, channels]. table: a value of each channel for what lies beyond the
 * border, then for each erased box. grey: what contrast is seen against, one number a sample.
 *
 * augment_grey  y [batch], the mean of each sample's greys */
#include "lib/args.h"
#define GT_AUGMENT_SPEC_NEAREST 3
/* Also GT_SPEC_PER_LANE, of augment_grey. */
#define GT_AUGMENT_SPEC_LIGHTS    5 /* factors are drawn */
#define GT_AUGMENT_SPEC_CONTRASTS 6
#define GT_AUGMENT_SPEC_SATURATES 7
#define GT_AUGMENT_SPEC_SCALED    8
#define GT_AUGMENT_SPEC_MIXES     9
#define GT_AUGMENT_SPEC_BORDER    10 /* what lies beyond the border */
#define GT_AUGMENT_SPEC_HUES      11
#define GT_AUGMENT_FILL           0u /* a constant value */
#define GT_AUGMENT_EDGE           1u /* the border's own */
#define GT_AUGMENT_REFLECT        2u /* the picture reflected at its last pixels */
#define GT_AUGMENT_SYMMETRIC      3u /* the picture reflected behind them */
GT_ARGS(gt_augment_args) {
  GT_FLOATS x, drawn, grey, scaling, table, y;
  uint batch, height, width, channels, tall, wide, words, boxes, period; /* words of a record */
  float white;
};
