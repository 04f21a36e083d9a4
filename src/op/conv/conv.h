/* Convolutions (src/op/conv/conv.c) over one, two or three axes, channels last: x [batch, axes…, channels],
 * w [out, taps along each axis…, channels / groups], y [batch, positions along each axis…, out]. Groups are
 * blocks of consecutive input and output channels. Position o reads element o * stride + tap * dilation -
 * before of x, which is 0 outside of x. All three ops are linear in each input, and the gradients of each are
 * the other two. */
#ifndef GT_OP_CONV_H
#define GT_OP_CONV_H
#include "graph/graph.h"

enum { GT_CONV_AXES = 3, GT_CONV_MAX_STRIDE = 1023 };

typedef struct gt_conv_attribute { /* axes are in the order of shapes, the outermost first */
  uint32_t rank, groups;
  uint32_t kernel[GT_CONV_AXES], stride[GT_CONV_AXES], dilation[GT_CONV_AXES], before[GT_CONV_AXES];
  uint32_t in[GT_CONV_AXES], out[GT_CONV_AXES]; /* sizes of x and of y */
} gt_conv_attribute;

gt_id gt_conv(gt_graph *graph, gt_id x, gt_id w, const gt_conv_attribute *attribute);
/* [batch, in…, channels]: the gradient of x, given that of y; also the transposed convolution of g. */
gt_id gt_conv_input(gt_graph *graph, gt_id g, gt_id w, const gt_conv_attribute *attribute);
/* The gradient of w, given g, that of y. */
gt_id gt_conv_weight(gt_graph *graph, gt_id g, gt_id x, const gt_conv_attribute *attribute);

/* Activation recomputation, which saves memory and costs little time: if a convolution reads the relu of a
 * normalized image, the backward pass recomputes that relu, in a pass over the image that the normalization
 * needs anyway, so the relu is not stored until then. The result has the same bits.
 * y: the result of gt_conv. Called before differentiation. */
void gt_conv_recompute(gt_graph *graph, gt_id y);
#endif
