/* Operand of a fused embedding: rows of a table [COUNT, WIDTH], gathered on load. A line has EACH rows one
 * after another. The argument `geometry` (matmul.h) has their indices [lines, EACH]. If an index is out of
 * range, the row is NaN, as in op/gather.h. */
#ifndef GT_OP_TABLE_ROWS_H
#define GT_OP_TABLE_ROWS_H
#include "op/matmul/factor.h"
/* Patches have the same ids: a GEMM has operands of at most one of the two kinds. */
#define GT_TABLE_ROWS_SPEC_WIDTH GT_FACTOR_SPEC_OWN /* on a GPU a multiple of four */
#define GT_TABLE_ROWS_SPEC_EACH  (GT_FACTOR_SPEC_OWN + 1)
#define GT_TABLE_ROWS_SPEC_COUNT (GT_FACTOR_SPEC_OWN + 2)
#endif
