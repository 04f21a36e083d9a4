/* CPU loader of the operand of a fused embedding (shaders/op/matmul/table_rows.h). */
#ifndef GT_OP_MATMUL_TABLE_ROWS_H
#define GT_OP_MATMUL_TABLE_ROWS_H
#include "op/matmul/factor.h"
#include "shaders/op/matmul/table_rows.h"
gt_factor_maker gt_table_rows_make;
#endif
