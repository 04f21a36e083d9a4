/* Column reductions that a kernel computes of its output matrix in addition to it, one partial result per
 * tile of rows: floats [tiles, values per column, columns]. Shared by C and GLSL. */
#ifndef GT_COLUMNS_H
#define GT_COLUMNS_H
#define GT_COLUMNS_SUM     1
#define GT_COLUMNS_MOMENTS 2 /* the mean, and the sum of squared deviations from it */
#define GT_COLUMNS_SUMS    3 /* sums of two matrices, one after the other: floats [2, tiles, columns] */
#define GT_COLUMNS_PASSING \
  4 /* flag bit: the reduced matrix itself is not stored, because nothing else reads it */
/* Flag bit: one tile covers all rows, so the sums are final and go directly to their destinations: the first
 * is stored as the second output, the second as the first output, which is not stored itself
 * (GT_COLUMNS_PASSING). If the sums are checked for finite values, the flag takes the place of the last
 * input, GT_COLUMNS_WHOLE_FLAG. */
#define GT_COLUMNS_WHOLE      8
#define GT_COLUMNS_WHOLE_FLAG 3
#endif
