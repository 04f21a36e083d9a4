/* Which reductions over the columns of its output matrix a kernel also computes. It writes one partial result
 * per tile of rows: floats [tiles, values per column, columns]. Shared by C and GLSL. */
#ifndef GT_COLUMNS_H
#define GT_COLUMNS_H
#define GT_COLUMNS_SUM     1
#define GT_COLUMNS_MOMENTS 2 /* the mean, and the sum of squared deviations from it */
#define GT_COLUMNS_SUMS    3 /* sums of two matrices, one after the other: floats [2, tiles, columns] */
/* Flag bit: the reduced matrix itself is not stored, because nothing else reads it. */
#define GT_COLUMNS_PASSING 4
/* Flag bit: one tile covers all rows, so the sums are complete and are stored as outputs of the kernel. The
 * first sum is output 1. The second, if there is one, is output 0, which is free because the matrix itself is
 * not stored then (GT_COLUMNS_PASSING). If the sums are checked for finite values, the word that the check
 * clears is the last input, GT_COLUMNS_WHOLE_FLAG. */
#define GT_COLUMNS_WHOLE      8
#define GT_COLUMNS_WHOLE_FLAG 3
#endif
