/* Helpers of layers over sequences [B, T, features], whose samples may have lengths of their own. Steps after
 * the end of a sample are padding: a layer that reads them (a convolution at the end of a sample, a pool)
 * must know the lengths. */
#ifndef GT_LAYER_SEQUENCE_H
#define GT_LAYER_SEQUENCE_H
#include "layer/layer.h"

typedef enum gt_sequence_pooling { GT_SEQUENCE_MEAN, GT_SEQUENCE_MAX, GT_SEQUENCE_LAST } gt_sequence_pooling;

/* Pools x [B, T, F], or [T, B, F] if time_major, over the steps of each sample: [B, F]; 0 for a sample of
 * length 0. lengths: I32 [B]; GT_NONE: T for all. Values of x after the end of a sample are not used. */
gt_id gt_sequence_pool(gt_graph *graph, gt_id x, gt_id lengths, gt_sequence_pooling pooling, bool time_major);
/* The lengths of the samples of input k, I32 [B]; GT_NONE: all have the length of axis 1. */
gt_id gt_build_lengths(const gt_build *build, int k);
/* Sets the lengths of the output, for a layer that makes (length · multiplier + offset) / divisor steps of
 * `length` steps, as it makes the axis of its output from that of input 0 (op/step_count.h). No effect if
 * input 0 has no lengths. steps: of the output. */
void gt_build_set_lengths(gt_build *build, int64_t multiplier, int64_t offset, int64_t divisor,
                          int64_t steps);
/* The number of samples, of those with a step, of which a layer in the graph leaves no step; the largest of
 * all layers. length: [samples]. */
int64_t gt_sequence_count_lost(const gt_graph *graph, const int32_t *length, int64_t samples);
/* x with `value` in place of all steps after the end of a sample; x itself without lengths. */
gt_id gt_sequence_mask(gt_graph *graph, gt_id x, gt_id lengths, double value);
/* False after reporting that the input is not [B, T, features], or as gt_sequence_check_lengths. */
bool gt_sequence_check(gt_build *build, const gt_id *input);
/* For a layer that stops at the end of each sample: false after reporting that the lengths have ended before
 * it, so that it would read padding. */
bool gt_sequence_check_lengths(gt_build *build, const gt_id *input);
/* For a layer that reads all steps alike: false after reporting that it would count the padding of input 0,
 * if its samples have lengths. expected: what to use instead. */
bool gt_sequence_refuse_padding(gt_build *build, const gt_id *input, const char *expected);
#endif
