/* Checks that the shape inference of most ops shares (src/op/op.c). Failures are the user's: GT_ERR_CONFIG.
 * */
#ifndef GT_OP_CHECK_H
#define GT_OP_CHECK_H
#include "graph/graph.h"

/* Kernels count elements in 32 bits: refuses shapes of more than 2^31 - 1 elements, and empty or negative
 * axes. */
bool gt_check_size(const char *op, gt_shape shape, gt_error *error);
bool gt_check_f32(const char *op, const gt_node *input, gt_error *error);
/* F32 or I32: what movement can carry, word by word. */
bool gt_check_words(const char *op, const gt_node *input, gt_error *error);
/* True if it holds so many values of I32, in any shape. */
bool gt_is_words(const gt_node *input, int64_t count);
#endif
