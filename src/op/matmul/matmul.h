/* Matrix product: [..., M, K] x [..., K, N] -> [..., M, N]; trans_a: a is [..., K, M]; trans_b: b is [..., N,
 * K]. Leading (batch) axes broadcast. If b has rank 2 and a a higher one, a's leading axes are rows. */
#ifndef GT_OP_MATMUL_H
#define GT_OP_MATMUL_H
#include "graph/graph.h"
typedef struct gt_matmul_attribute {
  uint32_t trans_a, trans_b;
} gt_matmul_attribute;
gt_id gt_matmul(gt_graph *graph, gt_id a, gt_id b, bool trans_a, bool trans_b);
#endif
