/* Helpers of layers over sequences [B, T, features]. */
#ifndef GT_LAYER_SEQUENCE_H
#define GT_LAYER_SEQUENCE_H
#include "layer/layer.h"

typedef enum gt_sequence_pooling { GT_SEQUENCE_MEAN, GT_SEQUENCE_MAX, GT_SEQUENCE_LAST } gt_sequence_pooling;

/* Pools x [B, T, F], or [T, B, F] if time_major, over the steps of each sample: [B, F]; 0 for a sample of
 * length 0. lengths: I32 [B]; GT_NONE: T for all. Values of x after the end of a sample are not used. */
gt_id gt_sequence_pool(gt_graph *graph, gt_id x, gt_id lengths, gt_sequence_pooling pooling, bool time_major);
/* The lengths of the samples of input k, I32 [B]; GT_NONE: all have the length of axis 1. */
gt_id gt_build_lengths(const gt_build *build, int k);
/* False after reporting that the input is not [B, T, features]. */
bool gt_sequence_check(gt_build *build, const gt_id *input);
#endif
