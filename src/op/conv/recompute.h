/* Less memory for a little more time: where a convolution reads what a rectifier made of a normalised image,
 * the gradient has that made again, in one pass over the image that normalisation needs anyway, and it need
 * not be kept until then. The same bits. */
#ifndef GT_OP_CONV_RECOMPUTE_H
#define GT_OP_CONV_RECOMPUTE_H
#include "graph/graph.h"

/* y: what gt_conv gave, before anything is differentiated. */
void gt_conv_recompute(gt_graph *graph, gt_id y);
#endif
