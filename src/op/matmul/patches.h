/* The factor of a convolution (shaders/op/matmul/patches.h): its geometry, and its elements on the CPU. */
#ifndef GT_OP_MATMUL_PATCHES_H
#define GT_OP_MATMUL_PATCHES_H
#include "op/matmul/factor.h"
#include "shaders/op/matmul/patches.h"

typedef struct gt_patches_axis {
  uint32_t size;                             /* of the image */
  uint32_t positions;                        /* of the window */
  uint32_t kernel, stride, dilation, before; /* taps, and zeros before the image, of the convolution */
} gt_patches_axis;

typedef struct gt_patches {
  uint32_t rank, channels, groups;       /* channels: of the image */
  gt_patches_axis axis[GT_PATCHES_AXES]; /* from the innermost one on */
  /* The image is the convolution's value (or the value's gradient), a position one of its input; size and
   * positions are theirs. */
  bool back;
} gt_patches;

/* Length of a line. */
uint32_t gt_patches_length(const gt_patches *patches);
/* The geometry, to be freed; *words of it. spec: the factor's own constants, from GT_FACTOR_SPEC_OWN on. */
uint32_t *gt_patches_geometry(const gt_patches *patches, size_t *words, uint32_t *spec);
gt_factor_maker gt_patches_make;
#endif
