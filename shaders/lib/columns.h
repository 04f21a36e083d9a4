/* What a kernel joins of the columns of a matrix that it makes, beside that, and each tile of rows by
 * itself: a by-product, floats [tiles, values a column, columns]. Shared by C and GLSL. */
#ifndef GT_COLUMNS_H
#define GT_COLUMNS_H
#define GT_COLUMNS_SUM     1
#define GT_COLUMNS_MOMENTS 2 /* the mean, and the sum of the squares about it */
#define GT_COLUMNS_SUMS    3 /* sums of two matrices, one behind the other: floats [2, tiles, columns] */
#define GT_COLUMNS_PASSING 4 /* a bit: what is joined is not written, as nobody else reads it */
/* Another: the sums are whole, as a tile has all rows, and go to where they are wanted, the first one to
 * where the second output would, the other to where the first would, which passes. If they are checked, the
 * flag stands in the place of the last input. */
#define GT_COLUMNS_WHOLE      8
#define GT_COLUMNS_WHOLE_FLAG 3
#endif
