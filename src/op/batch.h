/* Batches from a dataset (src/op/batch.c), which lies there whole or comes through a window. With n samples
 * and batch B an epoch has ceil(n/B) steps, or as many more as are asked for; step s is batch s % steps of
 * epoch s / steps, both counted from the first step and epoch that are given; row r is sample
 * gt_shuffle_index (base/philox.h, keyed by seed and epoch), or sample index itself when sequential. Rows
 * past the end of the data repeat sample 0 and have weight 0.
 *
 * A window is a ring of batches, F of them, whose rows somebody has put there in just this order
 * (gt_batch_samples) before the step: that of step s of the clock, all rows of it, at batch s % F. */
#ifndef GT_OP_BATCH_H
#define GT_OP_BATCH_H
#include "graph/op.h"
typedef struct gt_batch_attribute {
  int64_t batch, samples;
  uint32_t sequential;
  uint32_t steps;                   /* in an epoch; 0: ceil(samples / batch), the fewest */
  uint32_t first_step, first_epoch; /* step first_step of the clock is the first of epoch first_epoch */
  uint32_t window;                  /* batches that the data holds; 0: it holds all samples */
  float even;         /* gt_op.even of what is drawn, as far as who knows data and scaling can tell; or 0 */
  gt_byte_form bytes; /* what bytes stand for, if all are scaled alike, as far as he can tell; scale 0: not */
} gt_batch_attribute;
/* Steps of an epoch. */
int64_t gt_batch_steps(const gt_batch_attribute *attribute);
/* The samples of rows `first` … first + rows - 1 of the clock's step; GT_NONE past the end of the data. */
void gt_batch_samples(const gt_batch_attribute *attribute, uint64_t seed, uint32_t step, uint32_t first,
                      uint32_t rows, uint32_t *sample);
/* data [n, ...] (of a window [F*B, ...]) U8 or F32 -> F32 [B, ...]: (value - center) * scale + shift, each of
 * these three a row of `scaling`, F32 [3, period], at f % period, f = index within the sample; GT_NONE for
 * the plain value. A center near the values is what keeps the digits in which they differ. data I32 -> I32
 * (no scaling). */
gt_id gt_batch(gt_graph *graph, gt_id data, gt_id clock, gt_id scaling, gt_batch_attribute attribute);
/* gt_op.even of bytes that are scaled so, whichever they are; values: as rows of `scaling`. */
float gt_batch_even_bytes(const float *values, int64_t period);
/* The form of bytes that are scaled by these three; scale 0: there is none. */
gt_byte_form gt_batch_byte_form(float center, float scale, float shift);
gt_id gt_batch_weight(gt_graph *graph, gt_id clock, gt_batch_attribute attribute); /* F32 [B]: 1 or 0 */
#endif
