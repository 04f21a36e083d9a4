/* Geometry of im2col: which image element row and column of the implicit operand stand for.
 *
 * The factor of a convolution: images [batch, axes…, channels], of which each line holds what one position of
 * a window sees, tap by tap, all channels of a group together; what lies outside an image is 0. The batch of
 * the product is that of the groups. Axes count from the innermost one, 0.
 *
 * An element of a line is in an image if along each axis `place` of the line and that of the element's tap
 * add up to less than the image's extent, and both have the same phase. For the gradient of a convolution
 * with strides, positions lie in the image and images in the windows' positions: phases tell which are hit.
 *
 * Or such a gradient is cut into products of one phase each, with the taps that hit it: then the other
 * factor, the weights, has a line for each element of a patch, of which only those of the taps are taken, by
 * a list; and a row of the result, that of the line's position o, goes to place o * apart + first along each
 * axis.
 *
 * Words of the geometry, then a table of what the taps add: an entry for each quad of a line, or for each
 * element where a group's channels are no multiple of 4. An entry is GT_PATCHES_ENTRY words: offset, three
 * places, phases. */
#ifndef GT_OP_PATCHES_H
#define GT_OP_PATCHES_H
#include "op/matmul/factor.h"
#define GT_PATCHES_SPEC_RANK  GT_FACTOR_SPEC_OWN       /* axes */
#define GT_PATCHES_SPEC_QUADS (GT_FACTOR_SPEC_OWN + 1) /* 1: entries are quads */
#define GT_PATCHES_SPEC_HOLES (GT_FACTOR_SPEC_OWN + 2) /* 1: phases count */

#define GT_PATCHES_AXES     3
#define GT_PATCHES_ZEROS    0  /* eight, to be read as elements outside of an image */
#define GT_PATCHES_ENTRIES  8  /* of the table, at least one */
#define GT_PATCHES_IMAGE    9  /* elements of one image */
#define GT_PATCHES_CHANNELS 10 /* of a group */
#define GT_PATCHES_RUN                                                                \
  11 /* so many taps, from each multiple of that on, lie one behind another in memory \
      */
#define GT_PATCHES_LIST   12 /* where the list of lines begins … */
#define GT_PATCHES_LISTED 13 /* … and of how many words it is, at least one */
#define GT_PATCHES_ROWS   14 /* of the result, for each image */
#define GT_PATCHES_SLACK \
  15 /* so many places of the image at most do later positions lie before earlier ones */
#define GT_PATCHES_AXIS    16 /* of axis a from GT_PATCHES_AXIS + a * GT_PATCHES_OF_AXIS on: */
#define GT_PATCHES_OF_AXIS 12
#define GT_PATCHES_TABLE   (GT_PATCHES_AXIS + GT_PATCHES_AXES * GT_PATCHES_OF_AXIS)
#define GT_PATCHES_ENTRY   5

/* Position o of a window stands at ((o * each + lift) / holes, rounded down) - low. */
#define GT_PATCHES_SIZE      0 /* the image's extent */
#define GT_PATCHES_STEP      1 /* elements from one to the next */
#define GT_PATCHES_POSITIONS 2 /* of a window, and how to divide by that: (2 n * magic >> 32) >> shift */
#define GT_PATCHES_MAGIC     3
#define GT_PATCHES_SHIFT     4
#define GT_PATCHES_EACH      5
#define GT_PATCHES_LIFT      6
#define GT_PATCHES_LOW       7
#define GT_PATCHES_HOLES     8
#define GT_PATCHES_APART     9 /* of the result, as above, and how many rows a place is */
#define GT_PATCHES_FIRST     10
#define GT_PATCHES_ROW       11
#define GT_PATCHES_PHASE     10 /* bits of an axis' phase; holes are fewer than that many */
#endif
