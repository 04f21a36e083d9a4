/* Products in segments of few elements: shaders/op/matmul/product_edges.h. */
#ifndef GT_OP_MATMUL_EDGES_H
#define GT_OP_MATMUL_EDGES_H
#include "op/matmul/matmul_matrix.h"

enum { GT_MATMUL_EDGES_WAYS = 1 };
/* The way to make the product with that kernel: none where it is not of that kind. */
void gt_matmul_offer_edges(const gt_matmul_shape *shape, const gt_target *target, gt_matmul_offer *offer,
                           void *context);
gt_matmul_cut gt_matmul_cut_edges(const gt_matmul_config *config, const gt_matmul_shape *shape);
#endif
