/* Bits: for which vectors (rows, columns) of its output matrix a kernel also computes the largest magnitude,
 * per block of neighboring elements. GEMMs on matrix units that read the matrix use these as scales
 * (shaders/op/matmul/range.h). */
#ifndef GT_MEASURED_H
#define GT_MEASURED_H
#define GT_MEASURED_ROWS    1
#define GT_MEASURED_COLUMNS 2
#endif
