#include "selftest/reference.h"

void gt_reference_unravel(gt_shape shape, int64_t index, int64_t at[GT_MAX_RANK]) {
  for (int d = shape.rank - 1; d >= 0; d--) {
    at[d] = index % shape.dim[d];
    index /= shape.dim[d];
  }
}

int64_t gt_reference_ravel(gt_shape shape, const int64_t at[GT_MAX_RANK]) {
  int64_t index = 0;
  for (int d = 0; d < shape.rank; d++) index = index * shape.dim[d] + at[d];
  return index;
}

int64_t gt_reference_broadcast(gt_shape to, gt_shape from, int64_t index) {
  int64_t at[GT_MAX_RANK], from_at[GT_MAX_RANK];
  gt_reference_unravel(to, index, at);
  for (int d = 0; d < from.rank; d++) from_at[d] = from.dim[d] == 1 ? 0 : at[d + to.rank - from.rank];
  return gt_reference_ravel(from, from_at);
}

gt_shape gt_reference_broadcast_shape(gt_shape a, gt_shape b) {
  gt_shape out = a.rank >= b.rank ? a : b;
  const gt_shape other = a.rank >= b.rank ? b : a;
  for (int d = 0; d < other.rank; d++) {
    int64_t *dim = &out.dim[out.rank - other.rank + d];
    if (*dim == 1) *dim = other.dim[d];
  }
  return out;
}
