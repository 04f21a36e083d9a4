/* softmax and log-softmax over one axis (src/op/softmax.c), shifted by the maximum. axis may be negative. */
#ifndef GT_OP_SOFTMAX_H
#define GT_OP_SOFTMAX_H
#include "graph/graph.h"
gt_id gt_softmax(gt_graph *graph, gt_id x, int axis);
gt_id gt_log_softmax(gt_graph *graph, gt_id x, int axis);
#endif
