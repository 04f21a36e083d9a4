/* The operands of a convolution as a GEMM (shaders/op/matmul/patches.h): their geometry, and their CPU
 * loaders. */
#ifndef GT_OP_MATMUL_PATCHES_H
#define GT_OP_MATMUL_PATCHES_H
#include "op/matmul/factor.h"
#include "shaders/op/matmul/patches.h"

typedef struct gt_patches_axis {
  uint32_t size;                             /* of the image */
  uint32_t positions;                        /* of the window */
  uint32_t kernel, stride, dilation, before; /* of the convolution; before: padding before the image */
  uint32_t phase;                            /* with by_phase: the first position, 0 to stride - 1 */
} gt_patches_axis;

typedef struct gt_patches {
  uint32_t rank, channels, groups;       /* channels: of the image */
  gt_patches_axis axis[GT_PATCHES_AXES]; /* innermost first */
  /* For dgrad: the image is the output of the convolution (or its gradient), and positions are those of its
   * input; `size` and `positions` of the axes refer to these. */
  bool back;
  /* Only every stride-th of these positions, from `phase` on, with the taps that hit that phase. */
  bool by_phase;
} gt_patches;

/* Length of a line, and number of lines of an image. Both may be 0 with by_phase. */
uint32_t gt_patches_length(const gt_patches *patches);
uint32_t gt_patches_lines(const gt_patches *patches);
/* Returns the geometry, *words words, to be freed. own[i] receives specialization constant
 * GT_FACTOR_SPEC_OWN + i. */
uint32_t *gt_patches_geometry(const gt_patches *patches, size_t *words, uint32_t *own);
/* Of the im2col operand (GT_FACTOR_PATCHES), and of the weights' lines that a list names (GT_FACTOR_TAPS). */
gt_factor_maker gt_patches_make, gt_taps_make;
/* Rows of a result with GT_RESULT_PLACED: of at most `lines` lines from `line` on, returns how many of the
 * first ones have evenly spaced rows, from *row on, *apart rows from one to the next. */
uint32_t gt_patches_rows(const uint32_t *geometry, uint32_t rank, uint32_t line, uint32_t lines,
                         uint32_t *row, uint32_t *apart);
#endif
