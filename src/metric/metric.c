#include "metric/metric.h"
#include "base/memory.h"
#include "op/core.h"
#include "op/cross_entropy.h"
#include "op/elementwise.h"
#include "op/reduce.h"
#include <stdlib.h>
#include <string.h>

enum { BIT_COUNTS = 3 /* sums per output for the confusion matrix of a bit (gt_metric_set.bit_counts) */ };

gt_metric_task gt_metric_task_of(const gt_loss *loss) {
  return loss->type->labels ? GT_METRIC_CLASSES : loss->type->applies ? GT_METRIC_BITS : GT_METRIC_NUMBERS;
}

const char *gt_metric_unmet_requirement(const gt_metric_type *type, const gt_loss *loss, int64_t outputs) {
  const gt_metric_task task = gt_metric_task_of(loss);
  if (!(type->tasks & task))
    return type->tasks & GT_METRIC_NUMBERS ? "needs targets that are numbers"
                                           : "needs targets that are classes";
  const bool too_many = task == GT_METRIC_CLASSES && outputs > GT_METRIC_MAX_CLASSES;
  return type->of_counts && too_many ? "needs at most 4096 classes" : NULL;
}

void gt_emit_absolute_error(gt_graph *graph, const gt_loss_items *items, gt_metric_task task, gt_id *term) {
  (void)task;
  term[0] = gt_abs(graph, gt_sub(graph, items->prediction, items->targets));
}

void gt_emit_squared_error(gt_graph *graph, const gt_loss_items *items, gt_metric_task task, gt_id *term) {
  (void)task;
  const gt_id error = gt_sub(graph, items->prediction, items->targets);
  term[0] = gt_mul(graph, error, error);
}

void gt_emit_cross_entropy(gt_graph *graph, const gt_loss_items *items, gt_metric_task task, gt_id *term) {
  term[0] = task == GT_METRIC_CLASSES ? gt_cross_entropy(graph, items->prediction, items->targets, 0, NULL)
                                      : gt_sub(graph, gt_softplus(graph, items->prediction),
                                               gt_mul(graph, items->targets, items->prediction));
}

/* Weighted sums of a term over the items: F32 [1] for [N], or [outputs] for [N, outputs]. */
static gt_id sum_items(gt_graph *graph, gt_id term, gt_id weight) {
  if (term == GT_NONE) return GT_NONE;
  const gt_shape shape = gt_node_at(graph, term)->shape;
  const int64_t items = shape.dim[0];
  if (gt_shape_count(shape) == items) {
    const gt_id column = gt_reshape(graph, term, gt_shape_1(items));
    return gt_reshape(graph, gt_sum(graph, gt_mul(graph, column, weight), 0, false), gt_shape_1(1));
  }
  return gt_sum(graph, gt_mul(graph, term, gt_reshape(graph, weight, gt_shape_2(items, 1))), 1u << 0, false);
}

/* Terms: true positives, predicted positives, actual positives. A logit above 0 predicts 1; a target above
 * 1/2 means 1. */
static void emit_bit_counts(gt_graph *graph, const gt_loss_items *items, gt_id term[BIT_COUNTS]) {
  term[1] = gt_less(graph, gt_constant(graph, 0), items->shifted);
  term[2] = gt_less(graph, gt_constant(graph, 0.5), items->targets);
  term[0] = gt_mul(graph, term[1], term[2]);
}

gt_id gt_metrics_emit(gt_metric_set *set, gt_graph *graph, const gt_loss_items *items) {
  gt_id sum[GT_METRIC_MAX * GT_METRIC_MAX_SUMS + BIT_COUNTS];
  const int outputs = gt_metric_outputs(set);
  int sums = 0;
  set->bit_counts = -1;
  for (int m = 0; m < set->count; m++) {
    const gt_metric_type *type = set->type[m];
    gt_id term[GT_METRIC_MAX_SUMS];
    set->first[m] = sums * outputs;
    if (type->emit) type->emit(graph, items, set->task, term);
    for (int k = 0; k < type->sums; k++) sum[sums++] = sum_items(graph, term[k], items->weight);
  }
  if (set->counts && set->task == GT_METRIC_BITS) {
    gt_id term[BIT_COUNTS];
    set->bit_counts = sums * outputs;
    emit_bit_counts(graph, items, term);
    for (int k = 0; k < BIT_COUNTS; k++) sum[sums++] = sum_items(graph, term[k], items->weight);
  }
  set->sum_count = sums * outputs;
  return sums ? gt_pack(graph, sum, sums) : GT_NONE;
}

/* The total over the group's outputs. column: index of the sum of output 0; the sums of the other outputs
 * follow it. */
static double sum_of(const gt_metric_output_group *group, const gt_metric_totals *totals, int column) {
  double sum = 0;
  for (int k = 0; k < group->steps; k++) sum += totals->sum[column + group->first + k * group->stride];
  return sum;
}

static double value_of_sums(const gt_metric_set *set, int index, const gt_metric_output_group *group,
                            const gt_metric_totals *totals) {
  const gt_metric_type *type = set->type[index];
  const int outputs = gt_metric_outputs(set);
  double sum[GT_METRIC_MAX_SUMS];
  for (int k = 0; k < type->sums; k++) sum[k] = sum_of(group, totals, set->first[index] + k * outputs);
  return type->of_sums ? type->of_sums(sum, group->targets) : sum[0] / group->targets->weight;
}

/* The value for outputs that are bits, computed from their confusion matrix. */
static double value_of_bit_counts(const gt_metric_set *set, const gt_metric_type *type,
                                  const gt_metric_output_group *group, const gt_metric_totals *totals) {
  const int outputs = (int)set->outputs;
  const double true_positives = sum_of(group, totals, set->bit_counts),
               predicted = sum_of(group, totals, set->bit_counts + outputs),
               positives = sum_of(group, totals, set->bit_counts + 2 * outputs);
  const double count[4] = {group->targets->weight - predicted - positives + true_positives,
                           predicted - true_positives, positives - true_positives, true_positives};
  return type->of_counts(&(gt_metric_counts){2, count, set->positive});
}

/* The value computed from the scores of the outputs' items. */
static double value_of_scores(const gt_metric_type *type, const gt_metric_output_group *group,
                              const gt_metric_scores *all) {
  const int64_t items = all->items * group->steps;
  float *score = gt_alloc(2 * (size_t)items * sizeof *score), *target = score + items;
  for (int64_t i = 0, n = 0; i < all->items; i++)
    for (int k = 0; k < group->steps; k++, n++) {
      score[n] = all->score[i * all->outputs + group->first + k * group->stride];
      target[n] = all->target[i * all->outputs + group->first + k * group->stride];
    }
  const double value =
      type->of_scores(&(gt_metric_scores){.items = items, .outputs = 1, .score = score, .target = target});
  free(score);
  return value;
}

double gt_metric_value(const gt_metric_set *set, int index, const gt_metric_output_group *group,
                       const gt_metric_totals *totals) {
  const gt_metric_type *type = set->type[index];
  const bool classes = set->task == GT_METRIC_CLASSES;
  if (type->emit) return value_of_sums(set, index, group, totals);
  if (type->of_counts)
    return classes ? type->of_counts(&totals->counts) : value_of_bit_counts(set, type, group, totals);
  return classes ? type->of_scores(&totals->scores) : value_of_scores(type, group, &totals->scores);
}
