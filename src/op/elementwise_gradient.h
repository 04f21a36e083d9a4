/* Gradients of the elementwise ops, the last column of the table in src/op/elementwise.c. */
#ifndef GT_OP_ELEMENTWISE_GRADIENT_H
#define GT_OP_ELEMENTWISE_GRADIENT_H
#include "graph/graph.h"

#define GT_GRADIENT(name)                                                                  \
  void gt_gradient_##name(gt_graph *graph, gt_id node, gt_id gradient, const bool *wanted, \
                          gt_id *input_gradient)
GT_GRADIENT(add);
GT_GRADIENT(sub);
GT_GRADIENT(mul);
GT_GRADIENT(div);
GT_GRADIENT(max);
GT_GRADIENT(min);
GT_GRADIENT(mod);
GT_GRADIENT(pow);
GT_GRADIENT(where);
GT_GRADIENT(neg);
GT_GRADIENT(exp);
GT_GRADIENT(log);
GT_GRADIENT(exp2);
GT_GRADIENT(log2);
GT_GRADIENT(sin);
GT_GRADIENT(cos);
GT_GRADIENT(sqrt);
GT_GRADIENT(reciprocal);
GT_GRADIENT(abs);
GT_GRADIENT(relu);
GT_GRADIENT(leaky_relu);
GT_GRADIENT(sigmoid);
GT_GRADIENT(tanh);
GT_GRADIENT(erf);
GT_GRADIENT(gelu);
GT_GRADIENT(silu);
GT_GRADIENT(softplus);

double gt_leaky_relu_slope(const gt_node *node);
#endif
