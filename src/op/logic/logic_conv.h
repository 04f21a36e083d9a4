/* Convolution with trees of logic gates, pooled by OR (src/op/logic/logic_conv.c): Petersen, Kuehne, Borgelt,
 * Welzel and Ermon, "Convolutional Differentiable Logic Gate Networks", NeurIPS 2024. A kernel is a complete
 * binary tree of L - 1 gates over L = 2^depth leaves; each leaf reads one position (row, column, channel) of
 * the receptive field, and the same tree is evaluated at every position of the image. A gate with
 * coefficients c computes c0 + c1 a + c2 b + c3 ab (op/logic/logic.h). OR over the positions of a pooling
 * window is their maximum, which is exact on bits and has a gradient at one position only, the first maximum.
 *
 * Gates of a tree are numbered level by level from the leaves: with the leaves as values 0 … L-1 and gate g
 * as value L + g, gate g reads values 2g and 2g + 1, and the last one is the result.
 *
 * Pooling is part of the op for speed: a window is reduced while its trees are in registers, so that neither
 * their values nor their gradients, pool^2 times as many as results, are ever written. The gradient
 * recomputes the trees and differentiates only the maximum of each window.
 *
 * The batch is innermost, as in the dense layers of gates: neighboring lanes process neighboring samples with
 * the same coefficients, and values between two layers of gates are never permuted. */
#ifndef GT_OP_LOGIC_CONV_H
#define GT_OP_LOGIC_CONV_H
#include "graph/graph.h"

enum { GT_LOGIC_CONV_DEPTH = 4 }; /* maximum depth, because the values of a tree stay in registers */

typedef struct gt_logic_conv_attribute {
  uint32_t field;   /* rows and columns of the receptive field */
  uint32_t stride;  /* distance of neighboring positions of the field */
  uint32_t padding; /* zeros around the image */
  uint32_t pool;    /* rows and columns of a window; windows do not overlap, a partial last one is dropped */
} gt_logic_conv_attribute;

/* Number of pooling windows along an axis of `size` values; 0 if the field or the window does not fit. */
int64_t gt_logic_conv_windows(const gt_logic_conv_attribute *attribute, int64_t size);

/* x F32 [height, width, channels, B]; coefficients F32 [K (L - 1), 4], tree by tree; wiring I32 [K, L]:
 * leaves as (row * field + column) * channels + channel, all in [0, field^2 channels). inverse: the result of
 * gt_logic_conv_inverse as I32 [gt_logic_conv_inverse_count], or GT_NONE if no gradient of x is needed.
 * Returns F32 [rows, columns, K, B]. */
gt_id gt_logic_conv(gt_graph *graph, gt_id x, gt_id coefficients, gt_id wiring, gt_id inverse,
                    const gt_logic_conv_attribute *attribute);

static inline int64_t gt_logic_conv_inverse_count(int64_t channels, int64_t leaves) {
  return channels + 1 + 2 * leaves;
}
/* Writes, for each channel, the leaves that read it, in ascending order: shaders/op/logic/logic_conv.h.
 * leaves: the number of leaves of all kernels. */
void gt_logic_conv_inverse(const int32_t *wiring, int64_t channels, int64_t leaves, int32_t *out);

/* --- also used by the op on bits (op/logic/logic_conv_bits.h) --- */

/* The number of gates of all trees; 0 if the shapes are invalid. */
int64_t gt_logic_conv_gates(gt_shape x, gt_shape wiring);
/* Sets *shape to that of the result; false if the field or a window does not fit. */
bool gt_logic_conv_shape(const char *op, const gt_logic_conv_attribute *attribute, gt_shape x,
                         gt_shape wiring, gt_shape *shape, gt_error *error);
void gt_logic_conv_print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size);
#endif
