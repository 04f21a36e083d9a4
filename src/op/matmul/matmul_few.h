/* Products whose results have few columns: shaders/op/matmul/product_few.h. */
#ifndef GT_OP_MATMUL_FEW_H
#define GT_OP_MATMUL_FEW_H
#include "op/matmul/matmul_matrix.h"

enum { GT_MATMUL_FEW_WAYS = 16 };
/* The ways to make the product with that kernel: none where it is not of that kind. */
void gt_matmul_offer_few(const gt_matmul_shape *shape, const gt_target *target, gt_matmul_offer *offer,
                         void *context);
gt_matmul_cut gt_matmul_cut_few(const gt_matmul_config *config, const gt_matmul_shape *shape);
#endif
