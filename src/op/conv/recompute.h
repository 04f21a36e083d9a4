/* Activation recomputation, which saves memory and costs little time: if a convolution reads the relu of a
 * normalized image, the backward pass recomputes that relu, in a pass over the image that the normalization
 * needs anyway, so the relu is not stored until then. The result has the same bits. */
#ifndef GT_OP_CONV_RECOMPUTE_H
#define GT_OP_CONV_RECOMPUTE_H
#include "graph/graph.h"

/* y: the result of gt_conv. Called before differentiation. */
void gt_conv_recompute(gt_graph *graph, gt_id y);
#endif
