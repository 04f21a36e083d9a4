/* The kinds of stages, with their settings as value[0], value[1], … of a gt_augment_stage. Those up to AFFINE
 * are maps. An X-list, in C and GLSL. */
#ifndef GT_AUGMENT_KINDS_H
#define GT_AUGMENT_KINDS_H
/* CROP: most that it moves along x and y, in pixels
 * HORIZONTAL_FLIP, VERTICAL_FLIP: probability
 * RESIZED_CROP: least and most of the area, 1 is all; of width/height, uniform in its logarithm
 * AFFINE: least and most degrees, clockwise; most that it moves along x and y, in pixels; least and most
 * scale; degrees of shear along x, along y COLOR: least and most factor of brightness, of contrast, of
 * saturation; turn of hues, 1 is once around CUTOUT: probability; width and height ERASE: probability; area
 * and width/height as in RESIZED_CROP MIX: alpha of mixup and of cutmix, 0: not; probability of each
 * GRAYSCALE: probability that saturation is 0 */
#define GT_AUGMENT_KINDS(X)      \
  X(GT_DRAW_CROP, 0u)            \
  X(GT_DRAW_HORIZONTAL_FLIP, 1u) \
  X(GT_DRAW_VERTICAL_FLIP, 2u)   \
  X(GT_DRAW_RESIZED_CROP, 3u)    \
  X(GT_DRAW_AFFINE, 4u)          \
  X(GT_DRAW_COLOR, 5u)           \
  X(GT_DRAW_CUTOUT, 6u)          \
  X(GT_DRAW_ERASE, 7u)           \
  X(GT_DRAW_MIX, 8u)             \
  X(GT_DRAW_GRAYSCALE, 9u)
#endif
