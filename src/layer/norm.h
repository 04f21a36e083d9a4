/* What the layers that normalise have in common. */
#ifndef GT_LAYER_NORM_H
#define GT_LAYER_NORM_H
#include "layer/layer.h"

/* Mean and variance of x over `axes` (bit d: axis d), which stay as 1, of `count` values each, a scalar node.
 * The variance is the biased one, of two passes: the mean is subtracted before anything is squared. */
typedef struct gt_moments {
  gt_id mean, variance;
  gt_id centered; /* x - mean */
} gt_moments;
gt_moments gt_norm_moments(gt_graph *graph, gt_id x, uint32_t axes, gt_id count);
/* Each row of x times its weight, F32 [B]; GT_NONE: as it is. */
gt_id gt_norm_weighted(gt_graph *graph, gt_id x, gt_id weight);
/* 1 / sqrt(square + eps). */
gt_id gt_norm_inverse(gt_graph *graph, gt_id square, double eps);
/* x / sqrt(square + eps), which broadcasts. */
gt_id gt_norm_scale(gt_graph *graph, gt_id x, gt_id square, double eps);
/* x * weight + bias, parameters "weight" (ones) and "bias" (zeros) of that shape, which broadcast; either may
 * be left out. */
gt_id gt_norm_affine(gt_build *build, gt_id x, gt_shape shape, bool weight, bool bias);
/* Rows, x's last axes, each by its mean and variance: (x - mean) / sqrt(variance + eps) * weight + bias,
 * where weight and bias, of a row's shape, may be GT_NONE; or, not centred, by its mean square alone. Its
 * gradient is put together by hand: one kernel there, as it is here. */
typedef struct gt_norm_form {
  uint32_t axes;
  bool centered;
  double eps;
  gt_id weight, bias;
} gt_norm_form;
gt_id gt_norm_rows(gt_build *build, gt_id x, const gt_norm_form *form);
/* What layers that keep running averages of mean and variance read: F32 [channels], and how many batches, F32
 * [1]. */
typedef struct gt_norm_running {
  gt_id mean, variance, batches;
} gt_norm_running;
gt_norm_running gt_norm_read_running(gt_build *build, int64_t channels);
/* They move by `share` of the way to mean and variance, of as many values. */
void gt_norm_move(gt_build *build, gt_norm_running before, gt_id mean, gt_id variance, gt_id share);
/* How many values lie along these axes. */
int64_t gt_norm_count(gt_shape shape, uint32_t axes);
#endif
