/* Geometry of im2col: which image element a row and a column of the implicit operand stand for.
 *
 * Images are [batch, axes…, channels]. A line of the operand has what one position of the window reads: tap
 * by tap, for each tap the channels of one group. Elements outside the image are 0. The batch of the GEMM is
 * the groups. Axes are numbered from the innermost, 0.
 *
 * An element is inside the image if, along each axis, the sum of the line's `place` and the tap's `place` is
 * from 0 to the image's extent - 1, and both have the same phase. Phases are for the gradient of a
 * convolution with strides. There the positions are those of the convolution's input, the images are
 * gradients of its output, and the phase of a position (the remainder of position + padding by the stride)
 * tells which taps reach it.
 *
 * Such a gradient can also be divided into one GEMM per phase, with the taps that reach this phase. Then the
 * other operand, the weights, has a line for each element of a patch, and a list names the lines of these
 * taps (GT_FACTOR_TAPS). The row of the result for position o is stored at place o * apart + first along each
 * axis (GT_RESULT_PLACED).
 *
 * The geometry is the words below, followed by a table of what taps add to a line's spot (load_patches.glsl):
 * an entry for each quad of a line, or for each element if the channels of a group are not a multiple of 4.
 * An entry has GT_PATCHES_ENTRY words: offset, three places, phases. */
#ifndef GT_OP_PATCHES_H
#define GT_OP_PATCHES_H
#include "op/matmul/factor.h"
#define GT_PATCHES_SPEC_RANK  GT_FACTOR_SPEC_OWN       /* axes */
#define GT_PATCHES_SPEC_QUADS (GT_FACTOR_SPEC_OWN + 1) /* 1: entries are quads */
#define GT_PATCHES_SPEC_HOLES (GT_FACTOR_SPEC_OWN + 2) /* 1: an axis has holes > 1, so phases differ */

#define GT_PATCHES_AXES     3
#define GT_PATCHES_ZEROS    0  /* eight zeros, read in place of elements outside the image */
#define GT_PATCHES_ENTRIES  8  /* entries of the table, at least 1 */
#define GT_PATCHES_IMAGE    9  /* elements of one image */
#define GT_PATCHES_CHANNELS 10 /* of a group */
#define GT_PATCHES_RUN      11 /* r: what taps r * i to r * i + r - 1 read is adjacent in memory, for every i */
#define GT_PATCHES_LIST     12 /* index of the list of lines */
#define GT_PATCHES_LISTED   13 /* its length, at least 1 */
#define GT_PATCHES_ROWS     14 /* rows of the result per image */
#define GT_PATCHES_SLACK    15 /* the most pixels by which a later position can be before an earlier one */
/* The words of axis a begin at GT_PATCHES_AXIS + a * GT_PATCHES_OF_AXIS. */
#define GT_PATCHES_AXIS    16
#define GT_PATCHES_OF_AXIS 12
#define GT_PATCHES_TABLE   (GT_PATCHES_AXIS + GT_PATCHES_AXES * GT_PATCHES_OF_AXIS)
#define GT_PATCHES_ENTRY   5

/* Words of an axis. The place of position o is floor((o * each + lift) / holes) - low. */
#define GT_PATCHES_SIZE      0 /* the image's extent */
#define GT_PATCHES_STEP      1 /* elements from one place to the next */
#define GT_PATCHES_POSITIONS 2 /* number of positions; i / positions = (2 i * magic >> 32) >> shift */
#define GT_PATCHES_MAGIC     3
#define GT_PATCHES_SHIFT     4
#define GT_PATCHES_EACH      5 /* fprop: the stride; dgrad: 1 */
#define GT_PATCHES_LIFT      6 /* dgrad: padding; with one GEMM per phase: (padding + first) / stride */
#define GT_PATCHES_LOW       7 /* fprop: the padding before the image; dgrad: 0 */
#define GT_PATCHES_HOLES     8 /* dgrad: the stride; fprop, and with one GEMM per phase: 1 */
#define GT_PATCHES_APART     9 /* the place of position o in the result is o * apart + first */
#define GT_PATCHES_FIRST     10
#define GT_PATCHES_ROW       11 /* rows of the result from one place to the next */
#define GT_PATCHES_PHASE     10 /* bits per axis in a word of phases; holes < 2^10 */
#endif
