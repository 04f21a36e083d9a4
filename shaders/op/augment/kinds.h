/* The kinds of augmentation (gt_augment_stage.kind). Kinds up to AFFINE are geometric maps. An X macro,
 * shared by C and GLSL. */
#ifndef GT_AUGMENT_KINDS_H
#define GT_AUGMENT_KINDS_H
/* The settings of each kind, gt_augment_stage.value[0], value[1], …:
 *
 * CROP: maximum shift along x and y, in pixels.
 *
 * HORIZONTAL_FLIP, VERTICAL_FLIP: probability.
 *
 * RESIZED_CROP: range of the area as a fraction of the image; range of width/height, log-uniform.
 *
 * AFFINE: range of the rotation in degrees, clockwise; maximum shift along x and y, in pixels; range of the
 * scale; ranges of the shear in degrees, along x and along y.
 *
 * COLOR: ranges of the factors of brightness, contrast and saturation; range of the hue rotation in
 * revolutions.
 *
 * CUTOUT: probability; width and height.
 *
 * ERASE: probability; area and width/height as in RESIZED_CROP.
 *
 * MIX: alpha of mixup and alpha of CutMix (0: not used); probability of each.
 *
 * GRAYSCALE: probability that the saturation becomes 0.
 *
 * TONE: probability; the first of its tone curves in the table of all stages' curves; number of its curves,
 * one of which is drawn. */
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
  X(GT_DRAW_GRAYSCALE, 9u)       \
  X(GT_DRAW_TONE, 10u)
#endif
