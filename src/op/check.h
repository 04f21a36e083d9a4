/* Checks shared by the shape inference of most ops (src/op/op.c). Failures are errors of the user:
 * GT_ERR_CONFIG. */
#ifndef GT_OP_CHECK_H
#define GT_OP_CHECK_H
#include "graph/graph.h"

/* Kernels count elements in 32 bits: rejects shapes with more than 2^31 - 1 elements, and with empty or
 * negative axes. */
bool gt_check_size(const char *op, gt_shape shape, gt_error *error);
bool gt_check_f32(const char *op, const gt_node *input, gt_error *error);
/* True for F32 and I32, which ops that only move values (src/op/move.c) copy as 32-bit words. */
bool gt_check_words(const char *op, const gt_node *input, gt_error *error);
/* True if the input is I32 with `count` elements, in any shape. */
bool gt_is_i32(const gt_node *input, int64_t count);
#endif
