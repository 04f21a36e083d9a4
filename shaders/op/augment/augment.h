/* Augments a batch of images x [batch, height, width, channels] with the random parameters `drawn`
 * [batch, words] (augment/drawn.h).
 *
 * Kernel augment writes y [batch, out_height, out_width, channels]. table: one value per channel for pixels
 * outside the image, then one per channel for each erased box, then the tone curves, GT_AUGMENT_LEVELS values
 * each. grey [batch]: the mean gray level of each sample, for contrast. scaling [3, period]: center, scale
 * and shift; element i of a sample is scaled with those at i modulo `period`.
 *
 * Kernel augment_grey writes y [batch], the mean gray level of each sample. */
#include "lib/args.h"
#define GT_AUGMENT_SPEC_NEAREST 3 /* 1: the nearest pixel; 0: bilinear interpolation */
/* augment_grey also has GT_SPEC_PER_LANE. */
#define GT_AUGMENT_SPEC_LIGHTS    5  /* 1: there are color changes (brightness, contrast, saturation, hue) */
#define GT_AUGMENT_SPEC_CONTRASTS 6  /* 1: the contrast changes */
#define GT_AUGMENT_SPEC_SATURATES 7  /* 1: the saturation changes */
#define GT_AUGMENT_SPEC_SCALED    8  /* 1: there is a scaling */
#define GT_AUGMENT_SPEC_MIXES     9  /* 1: samples are mixed (mixup, CutMix) */
#define GT_AUGMENT_SPEC_BORDER    10 /* values outside the image: one of GT_AUGMENT_FILL, … below */
#define GT_AUGMENT_SPEC_HUES      11 /* 1: the hue changes */
#define GT_AUGMENT_SPEC_TONES     12 /* number of tone curves that are applied to each pixel */
#define GT_AUGMENT_FILL           0u /* a constant value */
#define GT_AUGMENT_EDGE           1u /* the nearest pixel of the border */
#define GT_AUGMENT_REFLECT        2u /* reflection without repeating the last pixels */
#define GT_AUGMENT_SYMMETRIC      3u /* reflection that repeats the last pixels */
GT_ARGS(gt_augment_args) {
  GT_FLOATS x, drawn, grey, scaling, table, y;
  uint batch, height, width, channels, out_height, out_width; /* out_…: of y */
  uint words, boxes, period; /* words: length of a record in `drawn`; boxes: number of erased boxes */
  float white, level;        /* white: value of a white pixel; level: (GT_AUGMENT_LEVELS - 1) / white */
};
