/* Operand of a fused embedding: rows of a table, gathered while they are multiplied.
 *
 * The factor of an embedding, whose rows are gathered as they are multiplied: a line holds, one after
 * another, EACH rows of a table [COUNT, WIDTH]. Their numbers are the geometry, EACH of a line behind those
 * of the line before. A row that the table has not is NaN, as in op/gather.h. */
#ifndef GT_OP_TABLE_ROWS_H
#define GT_OP_TABLE_ROWS_H
#include "op/matmul/factor.h"
/* Numbers that patches have, too: a product has factors of one of the two at most. */
#define GT_TABLE_ROWS_SPEC_WIDTH GT_FACTOR_SPEC_OWN /* on devices a multiple of four */
#define GT_TABLE_ROWS_SPEC_EACH  (GT_FACTOR_SPEC_OWN + 1)
#define GT_TABLE_ROWS_SPEC_COUNT (GT_FACTOR_SPEC_OWN + 2)
#endif
