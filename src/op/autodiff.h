/* Autodiff: emits the nodes of a gradient, through the gradient functions of the ops (graph/op.h). */
#ifndef GT_OP_AUTODIFF_H
#define GT_OP_AUTODIFF_H
#include "graph/graph.h"

/* Reverse-mode differentiation (Griewank and Walther, "Evaluating Derivatives", 2008, ch. 3): for each wrt[i]
 * writes to gradient[i] the node of d(sum(loss))/d(wrt[i]), with the shape of wrt[i], or GT_NONE if the loss
 * does not depend on it. loss is usually a scalar. Only emits nodes; contributions of several consumers are
 * added in a fixed order. */
bool gt_autodiff(gt_graph *graph, gt_id loss, const gt_id *wrt, int count, gt_id *gradient, gt_error *error);

/* The same for any value, from output_gradient, the gradient of the loss with respect to it, a node of its
 * shape (the vector-Jacobian product). Errors are stored in the graph. */
void gt_pull_back(gt_graph *graph, gt_id value, gt_id output_gradient, const gt_id *wrt, int count,
                  gt_id *gradient);
#endif
