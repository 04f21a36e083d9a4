/* Derivatives of values along a direction of one node, forwards through the graph, as nodes that can be
 * derived again: by it and, like all others, by parameters. */
#ifndef GT_OP_TANGENT_H
#define GT_OP_TANGENT_H
#include "graph/graph.h"

/* Of one node and one direction, kept from call to call; lives on the heap. */
typedef struct gt_tangents gt_tangents;
/* direction: a node of the shape of `at`, which must not depend on it. */
gt_tangents *gt_tangents_create(gt_graph *graph, gt_id at, gt_id direction);
void gt_tangents_destroy(gt_tangents *tangents);
/* What the value changes by where `at` moves along the direction, per unit, of its shape; GT_NONE: by
 * nothing, or after failing: *failed is then the node whose op has no such derivative. The value may hold
 * such derivatives itself. */
gt_id gt_tangent(gt_tangents *tangents, gt_id value, gt_id *failed);

/* The first node between `at` and the value that has fewer than `orders` continuous derivatives; GT_NONE: all
 * have them. */
gt_id gt_tangent_kink(const gt_graph *graph, gt_id at, gt_id value, int orders);
/* The first node between them that mixes rows of `at`: its size is no multiple of their number. Which axis
 * the rows are does not matter, as a pack of two inputs puts an axis before them. GT_NONE: there is none. */
gt_id gt_tangent_mixture(const gt_graph *graph, gt_id at, gt_id value);
#endif
