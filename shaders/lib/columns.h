/* Column reductions of its output matrix that a kernel computes in addition to the matrix, one partial result
 * per tile of rows: floats [tiles, values per column, columns]. Shared by C and GLSL. */
#ifndef GT_COLUMNS_H
#define GT_COLUMNS_H
#define GT_COLUMNS_SUM     1
#define GT_COLUMNS_MOMENTS 2 /* the mean, and the sum of squared deviations from it */
#define GT_COLUMNS_SUMS    3 /* sums of two matrices, one after the other: floats [2, tiles, columns] */
#define GT_COLUMNS_PASSING \
  4 /* flag bit: the reduced matrix itself is not stored, because nothing else reads it */
/* Flag bit: one tile covers all rows, so the sums are complete and are stored as the kernel's outputs: the
 * first as output 1, the second as output 0, as the matrix itself is not stored (GT_COLUMNS_PASSING). If the
 * sums are checked for finite values, the flag is input GT_COLUMNS_WHOLE_FLAG, the last one. */
#define GT_COLUMNS_WHOLE      8
#define GT_COLUMNS_WHOLE_FLAG 3
#endif
