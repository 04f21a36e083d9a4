/* Batches from a dataset (src/op/batch.c) that is resident in device memory or streamed through a ring buffer
 * ("window"). With n samples and batch size B, an epoch has ceil(n/B) steps, or attribute.steps if that is
 * larger; step s is batch s % steps of epoch s / steps, both counted from first_step and first_epoch. Row r
 * of batch b has index i = b * B + r and is sample gt_shuffle_index(i) (base/philox.h, keyed by seed and
 * epoch), or sample i if sequential. Rows past the end of the data repeat sample 0 and have weight 0.
 *
 * Balanced order, for `classes` K > 0: each row draws one of K classes, then one of its samples, all equally
 * likely and with replacement, from Philox words keyed by seed and epoch, at element batch * B + r.
 * `members`, I32 [K + 1 + n], contains the start of each class and the end of the last (K + 1 numbers, from
 * 0), then the samples, sorted by class; elements at the end may be unused.
 *
 * A window is a ring of F batches. Before step s of the clock runs, the host has written the whole batch of
 * that step, in the order of gt_batch_samples, to batch s % F of the ring. */
#ifndef GT_OP_BATCH_H
#define GT_OP_BATCH_H
#include "graph/op.h"
typedef struct gt_batch_attribute {
  int64_t batch, samples;
  uint32_t sequential;
  uint32_t steps;                   /* per epoch; 0: ceil(samples / batch), the minimum */
  uint32_t first_step, first_epoch; /* step first_step of the clock is the first of epoch first_epoch */
  uint32_t window;                  /* batches in the ring; 0: the data has all samples */
  uint32_t classes;                 /* number of classes in balanced order; 0: each sample once per epoch */
  float even; /* gt_op.even of the batch, if the caller can derive it from data and scaling; else 0 */
  gt_byte_form
      bytes; /* how bytes represent numbers, if all features have the same scaling; scale 0: unknown */
} gt_batch_attribute;
/* Steps per epoch. */
int64_t gt_batch_steps(const gt_batch_attribute *attribute);
/* Number of elements of `members`. */
static inline int64_t gt_batch_member_count(const gt_batch_attribute *attribute) {
  return attribute->classes + 1 + attribute->samples;
}
/* Writes the samples of rows `first` … first + rows - 1 of the clock's step; GT_NONE past the end of the
 * data. members: for balanced order, else NULL. */
void gt_batch_samples(const gt_batch_attribute *attribute, const int32_t *members, uint64_t seed,
                      uint32_t step, uint32_t first, uint32_t rows, uint32_t *sample);
/* data [n, ...] (for a window [F*B, ...]) U8 or F32 -> F32 [B, ...]: (value - center) * scale + shift. These
 * three are the rows of `scaling`, F32 [3, period], at f % period, where f is the index within the sample;
 * GT_NONE for no scaling. Subtracting a center close to the values first avoids cancellation. data I32 -> I32
 * (no scaling). */
gt_id gt_batch(gt_graph *graph, gt_id data, gt_id clock, gt_id scaling, gt_batch_attribute attribute);
/* The same in balanced order, from all samples or, if `members` is GT_NONE, from a window. */
gt_id gt_batch_balanced(gt_graph *graph, gt_id data, gt_id clock, gt_id scaling, gt_id members,
                        gt_batch_attribute attribute);
/* A value of gt_op.even that is valid for any bytes with this scaling; values: the three rows of
 * `scaling`. */
float gt_batch_even_bytes(const float *values, int64_t period);
/* The byte format (gt_byte_form) for this scaling; scale 0 if there is none. */
gt_byte_form gt_batch_byte_form(float center, float scale, float shift);
gt_id gt_batch_weight(gt_graph *graph, gt_id clock, gt_batch_attribute attribute); /* F32 [B]: 1 or 0 */
#endif
