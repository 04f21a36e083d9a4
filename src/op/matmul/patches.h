/* The factor of a convolution (shaders/op/matmul/patches.h): its geometry, and its elements on the CPU. */
#ifndef GT_OP_MATMUL_PATCHES_H
#define GT_OP_MATMUL_PATCHES_H
#include "op/matmul/factor.h"
#include "shaders/op/matmul/patches.h"

typedef struct gt_patches_axis {
  uint32_t size;                             /* of the image */
  uint32_t positions;                        /* of the window */
  uint32_t kernel, stride, dilation, before; /* taps, and zeros before the image, of the convolution */
  uint32_t phase;
} gt_patches_axis;

typedef struct gt_patches {
  uint32_t rank, channels, groups;       /* channels: of the image */
  gt_patches_axis axis[GT_PATCHES_AXES]; /* from the innermost one on */
  /* The image is the convolution's value (or the value's gradient), a position one of its input; size and
   * positions are theirs. */
  bool back;
  /* Of those positions only every stride-th, from `phase` on, with the taps that hit it. */
  bool by_phase;
} gt_patches;

/* Length of a line, and lines of an image. Both may be 0 by phase. */
uint32_t gt_patches_length(const gt_patches *patches);
uint32_t gt_patches_lines(const gt_patches *patches);
/* The geometry, to be freed; *words of it. spec: the factor's own constants, from GT_FACTOR_SPEC_OWN on. */
uint32_t *gt_patches_geometry(const gt_patches *patches, size_t *words, uint32_t *spec);
gt_factor_maker gt_patches_make, gt_taps_make;
/* Rows of a result that is placed: how many of these lines' rows lie evenly, the first at *row, *apart. */
uint32_t gt_patches_rows(const uint32_t *geometry, uint32_t rank, uint32_t line, uint32_t lines,
                         uint32_t *row, uint32_t *apart);
#endif
