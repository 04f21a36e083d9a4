/* Layers of gates compute with the batch innermost. Private to this room. */
#ifndef GT_LAYER_FEATURE_MAJOR_H
#define GT_LAYER_FEATURE_MAJOR_H
#include "graph/graph.h"

/* Permutes a value [batch, …] to [features, batch]; the output of another layer of gates, even reshaped, is
 * not copied. */
gt_id gt_feature_major(gt_graph *graph, gt_id x);
/* The reverse: permutes a value […, batch] to [batch, features]. */
gt_id gt_batch_major(gt_graph *graph, gt_id x);
#endif
