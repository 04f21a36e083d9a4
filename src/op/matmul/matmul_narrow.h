/* Products with few columns that are patches: shaders/op/matmul/product_narrow.h. */
#ifndef GT_OP_MATMUL_NARROW_H
#define GT_OP_MATMUL_NARROW_H
#include "op/matmul/matmul_matrix.h"

enum { GT_MATMUL_NARROW_WAYS = 3 * 3 * 8 }; /* at most */
/* The ways to make the product with that kernel: none where it is not of that kind. */
void gt_matmul_offer_narrow(const gt_matmul_shape *shape, const gt_target *target, gt_matmul_offer *offer,
                            void *context);
gt_matmul_cut gt_matmul_cut_narrow(const gt_matmul_config *config, const gt_matmul_shape *shape);
#endif
