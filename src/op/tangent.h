/* Directional derivatives (forward mode, JVP) of values with respect to one node, as nodes of the graph that
 * can be differentiated again, in either mode. */
#ifndef GT_OP_TANGENT_H
#define GT_OP_TANGENT_H
#include "graph/graph.h"

/* The derivatives along one direction of node `wrt` that were emitted so far; heap memory. */
typedef struct gt_tangents gt_tangents;
/* direction: a node of the shape of `wrt` that must not depend on `wrt`. column: if `wrt` is [rows, columns],
 * the only column in which the direction is not 0, so that a shrink of others has no tangent; else -1. */
gt_tangents *gt_tangents_create(gt_graph *graph, gt_id wrt, gt_id direction, int column);
void gt_tangents_destroy(gt_tangents *tangents);
/* The derivative of the value along the direction, with the shape of the value. GT_NONE if it is zero, and on
 * failure: then *failed is the node whose op has no such derivative, otherwise GT_NONE. The value may itself
 * depend on such derivatives. */
gt_id gt_tangent(gt_tangents *tangents, gt_id value, gt_id *failed);

/* The first node between `wrt` and the value with fewer than `orders` continuous derivatives, or GT_NONE. */
gt_id gt_tangent_kink(const gt_graph *graph, gt_id wrt, gt_id value, int orders);
/* The first node between `wrt` and the value that mixes rows of `wrt`: its size is not a multiple of the
 * number of rows. Any axis may be that of the rows, because a pack may add one before it. GT_NONE: there is
 * none. */
gt_id gt_tangent_first_mixing(const gt_graph *graph, gt_id wrt, gt_id value);
#endif
