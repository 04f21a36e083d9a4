/* Index arithmetic for the references in tests/op: simple and slow, shared with no op. */
#ifndef GT_SELFTEST_REFERENCE_H
#define GT_SELFTEST_REFERENCE_H
#include "graph/graph.h"

/* Converts a row-major index to coordinates. */
void gt_reference_unravel(gt_shape shape, int64_t index, int64_t at[GT_MAX_RANK]);
int64_t gt_reference_ravel(gt_shape shape, const int64_t at[GT_MAX_RANK]); /* the inverse */
/* The index of the element of shape `from` that NumPy broadcasting to shape `to` copies to `index`. */
int64_t gt_reference_broadcast(gt_shape to, gt_shape from, int64_t index);
gt_shape gt_reference_broadcast_shape(gt_shape a, gt_shape b);
#endif
