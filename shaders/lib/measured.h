/* Bits that say of which vectors of its output matrix (rows, columns or both) a kernel also computes the
 * amax: the largest magnitude in each block of neighboring elements. GEMMs on matrix units that read the
 * matrix derive scales from it (shaders/op/matmul/range.h). Shared by C and GLSL. */
#ifndef GT_MEASURED_H
#define GT_MEASURED_H
#define GT_MEASURED_ROWS    1
#define GT_MEASURED_COLUMNS 2
#endif
