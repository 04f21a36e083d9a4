/* The factor of an embedding (shaders/op/matmul/table_rows.h): its elements on the CPU. */
#ifndef GT_OP_MATMUL_TABLE_ROWS_H
#define GT_OP_MATMUL_TABLE_ROWS_H
#include "op/matmul/factor.h"
#include "shaders/op/matmul/table_rows.h"
gt_factor_maker gt_table_rows_make;
#endif
