/* Augments a batch of images x [batch, height, width, channels] with the parameters drawn [batch, words]
 * (augment/augment_draw.h).
 *
 * augment       y [batch, tall, wide, channels]. table: a value per channel for pixels outside the image, and
 *               for each erased box; then the tone curves, GT_AUGMENT_LEVELS values each. grey: the mean gray
 *               level of each sample, for contrast.
 *
 * augment_grey  y [batch], the mean gray level of each sample */
#include "lib/args.h"
#define GT_AUGMENT_SPEC_NEAREST 3
/* augment_grey also has GT_SPEC_PER_LANE. */
#define GT_AUGMENT_SPEC_LIGHTS    5 /* 1: there are color changes */
#define GT_AUGMENT_SPEC_CONTRASTS 6
#define GT_AUGMENT_SPEC_SATURATES 7
#define GT_AUGMENT_SPEC_SCALED    8
#define GT_AUGMENT_SPEC_MIXES     9
#define GT_AUGMENT_SPEC_BORDER    10 /* values outside the image, one of: */
#define GT_AUGMENT_SPEC_HUES      11
#define GT_AUGMENT_SPEC_TONES     12 /* number of tone curves that are applied to each pixel */
#define GT_AUGMENT_FILL           0u /* a constant value */
#define GT_AUGMENT_EDGE           1u /* the nearest pixel of the border */
#define GT_AUGMENT_REFLECT        2u /* reflection without repeating the last pixels */
#define GT_AUGMENT_SYMMETRIC      3u /* reflection that repeats the last pixels */
GT_ARGS(gt_augment_args) {
  GT_FLOATS x, drawn, grey, scaling, table, y;
  uint batch, height, width, channels, tall, wide, words, boxes, period; /* words: length of a record */
  float white, level; /* level: (GT_AUGMENT_LEVELS - 1) / white */
};
