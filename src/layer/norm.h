/* Shared by the normalization layers. */
#ifndef GT_LAYER_NORM_H
#define GT_LAYER_NORM_H
#include "layer/layer.h"

/* Mean and variance of x over `axes` (bit d: axis d), which are kept with length 1. count: number of values
 * in each mean, a scalar node. The variance is biased; the mean is subtracted before squaring. */
typedef struct gt_moments {
  gt_id mean, variance;
  gt_id centered; /* x - mean */
} gt_moments;
gt_moments gt_norm_moments(gt_graph *graph, gt_id x, uint32_t axes, gt_id count);
/* x with row i multiplied by weight[i], F32 [B]; x itself if weight is GT_NONE. */
gt_id gt_norm_weighted(gt_graph *graph, gt_id x, gt_id weight);
/* 1 / sqrt(square + eps); square: a variance or mean square. */
gt_id gt_norm_rsqrt(gt_graph *graph, gt_id square, double eps);
/* x / sqrt(square + eps); square is broadcast. */
gt_id gt_norm_scale(gt_graph *graph, gt_id x, gt_id square, double eps);
/* x * weight + bias, with new parameters "weight" (ones) and "bias" (zeros) of that shape, which are
 * broadcast; weight, bias: whether the layer has them. */
gt_id gt_norm_affine(gt_build *build, gt_id x, gt_shape shape, bool weight, bool bias);
/* Normalizes rows, x's last axes: (x - mean) / sqrt(variance + eps) * weight + bias, where weight and bias
 * have the shape of a row and may be GT_NONE; if not centered, the mean is not subtracted and the mean square
 * replaces the variance. The gradient is written by hand, so that it is one kernel, like the forward pass. */
typedef struct gt_norm_form {
  uint32_t axes;
  bool centered;
  double eps;
  gt_id weight, bias;
} gt_norm_form;
gt_id gt_norm_rows(gt_build *build, gt_id x, const gt_norm_form *form);
/* The running averages of mean and variance of a layer: F32 [channels], and the number of batches, F32
 * [1]. */
typedef struct gt_norm_running {
  gt_id mean, variance, batches;
} gt_norm_running;
gt_norm_running gt_norm_read_running(gt_build *build, int64_t channels);
/* gt_layer_type.axes of all normalization layers. */
extern const gt_slot_axes gt_norm_axes[];
/* True if the layer normalizes by the statistics of its input, false if by its running averages: in
 * evaluation, and in the training of a frozen layer. tracks: it has running averages. */
bool gt_norm_uses_batch(const gt_build *build, bool tracks);
/* Updates the running mean to before.mean + share * (mean - before.mean), and likewise the variance. */
void gt_norm_update_running(gt_build *build, gt_norm_running before, gt_id mean, gt_id variance, gt_id share);
/* False after reporting that padding would be included: the layer normalizes over axis 1 (axes: bits), along
 * which the samples have different lengths. */
bool gt_norm_check_padding(gt_build *build, const gt_id *input, uint32_t axes);
/* Number of values along these axes. */
int64_t gt_norm_count(gt_shape shape, uint32_t axes);
#endif
