/* Products of patches with few elements in a line: shaders/op/matmul/product_shallow.h. */
#ifndef GT_OP_MATMUL_SHALLOW_H
#define GT_OP_MATMUL_SHALLOW_H
#include "op/matmul/matmul_matrix.h"

enum { GT_MATMUL_SHALLOW_WAYS = 4 * 3 * 4 }; /* at most */
/* The ways to make the product with that kernel: none where it is not of that kind. */
void gt_matmul_offer_shallow(const gt_matmul_shape *shape, const gt_target *target, gt_matmul_offer *offer,
                             void *context);
gt_matmul_cut gt_matmul_cut_shallow(const gt_matmul_config *config, const gt_matmul_shape *shape);
#endif
