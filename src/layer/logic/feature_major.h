/* Layers of gates work with the batch innermost. Private to this room. */
#ifndef GT_LAYER_FEATURE_MAJOR_H
#define GT_LAYER_FEATURE_MAJOR_H
#include "graph/graph.h"

/* [features, batch] of a value [batch, …]; what a layer of gates gave, also under another shape, where it
 * lies. */
gt_id gt_feature_major(gt_graph *graph, gt_id x);
/* The way back: [batch, features] of a value […, batch]. */
gt_id gt_batch_major(gt_graph *graph, gt_id x);
#endif
