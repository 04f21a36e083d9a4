/* Batches of windows of one long sequence of integers, which is stored only once: sample s is the `width`
 * integers from s * stride + begin on. Several ops may read the same data with different `begin`: the targets
 * of a language model begin one integer later than its inputs.
 *
 * The order of the samples is that of gt_batch (op/batch.h). In a ring buffer (order.window) the rows
 * themselves are stored, each `stored` integers long, in place of the sequence. */
#ifndef GT_OP_WINDOW_H
#define GT_OP_WINDOW_H
#include "op/batch.h"

typedef struct gt_window_attribute {
  gt_batch_attribute order;
  int64_t width, stride, begin;
} gt_window_attribute;

/* data: U8 or I32 [n], or in a ring [order.window * order.batch, stored] with stored >= begin + width. -> I32
 * [order.batch, width]. members: for balanced order (op/batch.h), else GT_NONE. */
gt_id gt_window(gt_graph *graph, gt_id data, gt_id clock, gt_id members, gt_window_attribute attribute);
#endif
