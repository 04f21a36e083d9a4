/* What a kernel joins of the columns of a matrix that it writes, beside that, and each tile of rows by
 * itself: a by-product, floats [tiles, values a column, columns]. Shared by C and GLSL. */
#ifndef GT_COLUMNS_H
#define GT_COLUMNS_H
#define GT_COLUMNS_SUM     1
#define GT_COLUMNS_MOMENTS 2 /* the mean, and the sum of the squares about it */
#endif
