#include "layer/sequence.h"
#include "layer/review.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/move.h"
#include "op/reduce.h"
#include "op/step_count.h"
#include "op/step_weights.h"
#include <math.h>

gt_id gt_build_lengths(const gt_build *build, int k) { return build->lengths ? build->lengths[k] : GT_NONE; }

enum { MAX_TOKENS = 1 << 20 }; /* of the shortest sample in a message */
enum { MAX_CHANGES = 32 };     /* layers in a row that change the number of steps */

typedef struct change_list { /* the last one first */
  const gt_step_change *item[MAX_CHANGES];
  int count;
} change_list;

static change_list changes_before(const gt_graph *graph, gt_id lengths) {
  change_list list = {0};
  const gt_step_change *change;
  while (list.count < MAX_CHANGES && (change = gt_step_change_of(graph, lengths, &lengths)))
    list.item[list.count++] = change;
  return list;
}

/* The number of steps of a sample after all changes but the last `left_out`. */
static int64_t steps_after(const change_list *list, int left_out, int64_t length) {
  for (int i = list->count - 1; i >= left_out; i--) length = gt_changed_steps(list->item[i], length);
  return length;
}

int64_t gt_sequence_count_lost(const gt_graph *graph, const int32_t *length, int64_t samples) {
  int64_t most = 0;
  for (uint32_t id = 0; id < graph->count; id++) {
    const change_list list = changes_before(graph, (gt_id)id);
    int64_t lost = 0;
    for (int64_t i = 0; i < samples && list.count; i++)
      lost += length[i] > 0 && !steps_after(&list, 0, length[i]);
    if (lost > most) most = lost;
  }
  return most;
}

/* Warns of training samples of which this layer leaves no step: its output is the same for all of them. */
static void review_short(gt_build *build) {
  gt_review *review = build->review;
  if (!review || !review->samples || review->has_short || build->output_lengths == GT_NONE) return;
  const change_list list = changes_before(build->graph, build->output_lengths);
  int64_t count = 0, least = 1;
  for (int64_t i = 0; i < review->samples; i++)
    count += steps_after(&list, 1, review->length[i]) > 0 && !steps_after(&list, 0, review->length[i]);
  if (!count) return;
  while (least < MAX_TOKENS && !steps_after(&list, 0, least)) least++;
  review->has_short = true;
  gt_review_add_finding(
      build, GT_FINDING_short_series, NULL,
      "leaves nothing of %lld of %lld training samples, which are shorter than %lld tokens: its "
      "output is the same for all of them",
      (long long)count, (long long)review->samples, (long long)least)
      ->help = "`padding: same` in a convolution keeps the number of tokens; or a smaller kernel_size";
}

void gt_build_set_lengths(gt_build *build, int64_t multiplier, int64_t offset, int64_t divisor,
                          int64_t steps) {
  const gt_id lengths = gt_build_lengths(build, 0);
  if (lengths == GT_NONE) return;
  const gt_step_change change = {(int32_t)multiplier, (int32_t)offset, (int32_t)divisor, (int32_t)steps};
  const bool is_same = multiplier == 1 && offset == 0 && divisor == 1 && steps == build->steps;
  build->output_lengths = is_same ? lengths : gt_step_count(build->graph, lengths, change);
  if (!is_same) review_short(build);
}

gt_id gt_sequence_mask(gt_graph *graph, gt_id x, gt_id lengths, double value) {
  if (lengths == GT_NONE) return x;
  gt_shape column = gt_node_at(graph, x)->shape;
  for (int d = 2; d < column.rank; d++) column.dim[d] = 1;
  const gt_id counted = gt_step_weights(graph, lengths, column.dim[1], GT_STEPS_COUNTED, false);
  return gt_where(graph, gt_reshape(graph, counted, column), x, gt_constant(graph, value));
}

bool gt_sequence_check_lengths(gt_build *build, const gt_id *input) {
  if (!build->lengths_end) return true;
  gt_error_at(build->diagnostics, build->at,
              "layer '%s' would read the padding of %s: its samples had lengths of their own, which end at "
              "layer '%s'",
              build->name, gt_build_input_text(build, input, 0), build->lengths_end)
      ->expected = gt_arena_printf(build->arena,
                                   "no '%s' before it: lengths follow through convolutions, pad, shrink and "
                                   "layers that keep the steps",
                                   build->lengths_end);
  build->errors++;
  return false;
}

bool gt_sequence_refuse_padding(gt_build *build, const gt_id *input, const char *expected) {
  if (gt_build_lengths(build, 0) == GT_NONE) return true;
  gt_error_at(build->diagnostics, build->at,
              "layer '%s' would count the padding of %s, whose samples have lengths of their own",
              build->name, gt_build_input_text(build, input, 0))
      ->expected = expected;
  build->errors++;
  return false;
}

bool gt_sequence_check(gt_build *build, const gt_id *input) {
  const gt_shape shape = gt_node_at(build->graph, input[0])->shape;
  if (shape.rank == 3) return gt_sequence_check_lengths(build, input);
  gt_error_at(build->diagnostics, build->at,
              "layer '%s' needs a sequence [batch, steps, features]; its input is %s", build->name,
              gt_build_input_text(build, input, 0))
      ->expected =
      "steps: `return: sequence` in a recurrent layer before it, no flatten of a sequence, an embedding of "
      "integers, or for example `reshape: [28, 28]` for 28 steps of 28 features";
  build->errors++;
  return false;
}

/* The given step of x, without the time axis: [B, F]. */
static gt_id step_of(gt_graph *graph, gt_id x, int64_t step, bool time_major) {
  const gt_shape shape = gt_node_at(graph, x)->shape;
  const gt_shape step_shape = {2, {shape.dim[time_major ? 1 : 0], shape.dim[2]}};
  if (time_major) return gt_view(graph, x, step * step_shape.dim[0] * step_shape.dim[1], step_shape);
  const int64_t start[] = {0, step, 0}, stop[] = {shape.dim[0], step + 1, shape.dim[2]};
  return gt_reshape(graph, gt_shrink(graph, x, start, stop), step_shape);
}

gt_id gt_sequence_pool(gt_graph *graph, gt_id x, gt_id lengths, gt_sequence_pooling pooling,
                       bool time_major) {
  if (x == GT_NONE) return GT_NONE;
  const gt_shape shape = gt_node_at(graph, x)->shape;
  const int64_t steps = shape.dim[time_major ? 0 : 1];
  const uint32_t axes = time_major ? 1 : 2;
  const gt_id zero = gt_constant(graph, 0);
  if (lengths == GT_NONE)
    return pooling == GT_SEQUENCE_MEAN  ? gt_mean(graph, x, axes, false)
           : pooling == GT_SEQUENCE_MAX ? gt_reduce_max(graph, x, axes, false)
                                        : step_of(graph, x, steps - 1, time_major);
  const gt_step_weight kind = pooling == GT_SEQUENCE_MEAN  ? GT_STEPS_MEAN
                              : pooling == GT_SEQUENCE_MAX ? GT_STEPS_COUNTED
                                                           : GT_STEPS_LAST;
  const gt_shape column = {3, {shape.dim[0], shape.dim[1], 1}};
  const gt_id weight = gt_reshape(graph, gt_step_weights(graph, lengths, steps, kind, time_major), column);
  if (pooling == GT_SEQUENCE_LAST) return gt_sum(graph, gt_where(graph, weight, x, zero), axes, false);
  if (pooling == GT_SEQUENCE_MEAN)
    return gt_sum(graph, gt_where(graph, weight, gt_mul(graph, x, weight), zero), axes, false);
  const gt_id largest =
      gt_reduce_max(graph, gt_where(graph, weight, x, gt_constant(graph, -INFINITY)), axes, false);
  return gt_where(graph, step_of(graph, weight, 0, time_major), largest, zero);
}
