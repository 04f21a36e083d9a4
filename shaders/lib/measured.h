/* What a kernel finds of the lines of a matrix that it writes, beside that: how large their elements are,
 * along so many neighbours at a time, for products on matrix units that read it (shaders/op/matmul/range.h).
 * Bits. */
#ifndef GT_MEASURED_H
#define GT_MEASURED_H
#define GT_MEASURED_ROWS    1
#define GT_MEASURED_COLUMNS 2
#endif
