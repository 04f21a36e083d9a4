/* Layers of gates compute with the batch innermost. Private to this room. */
#ifndef GT_LAYER_FEATURE_MAJOR_H
#define GT_LAYER_FEATURE_MAJOR_H
#include "graph/graph.h"

/* [features, batch] of a value [batch, …]; the output of another layer of gates, even reshaped, is used in
 * place. */
gt_id gt_feature_major(gt_graph *graph, gt_id x);
/* The reverse: [batch, features] of a value […, batch]. */
gt_id gt_batch_major(gt_graph *graph, gt_id x);
#endif
