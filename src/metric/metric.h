/* gt_metric_type: one constant row per metric (GT_DEFINE(metric, NAME) = {…}); a file src/metric/NAME.c adds
 * one; no other file changes. A metric is a number computed from the predictions for a split and its targets,
 * in evaluations only. Names and values are those of scikit-learn, with its defaults.
 *
 * There are three kinds, by what a value is computed from:
 *   of_sums    up to GT_METRIC_MAX_SUMS sums over items: on the device within a batch, in double over batches
 *   of_counts  a confusion matrix, which all metrics of an evaluation share
 *   of_scores  all predictions, which the host collects: at most GT_METRIC_MAX_SCORES values
 * If several outputs are numbers or bits, each output has a value, and the metric is their mean
 * (scikit-learn's uniform_average). In a forecast of a time series, a column has one output per step ahead:
 * the value of a column is computed from the items of all its steps, and the metric is the mean over the
 * columns. */
#ifndef GT_METRIC_METRIC_H
#define GT_METRIC_METRIC_H
#include "loss/loss.h"

enum {
  GT_METRIC_MAX_SUMS = 4,
  GT_METRIC_MAX_OUTPUTS = 16,     /* for more outputs, only the mean over them is reported */
  GT_METRIC_MAX_CLASSES = 4096,   /* of a confusion matrix */
  GT_METRIC_MAX_SCORES = 1 << 26, /* predictions that the host collects: 256 MiB */
  GT_METRIC_MAX = 24              /* metrics of an evaluation */
};

typedef enum gt_metric_task {
  GT_METRIC_CLASSES = 1, /* the loss has class labels and logits */
  GT_METRIC_BITS = 2,    /* targets from 0 to 1 and logits of a sigmoid */
  GT_METRIC_NUMBERS = 4  /* regression */
} gt_metric_task;
gt_metric_task gt_metric_task_of(const gt_loss *loss);

/* A confusion matrix; for bits, the classes are 0 and 1. */
typedef struct gt_metric_counts {
  int64_t classes;
  const double *count; /* [label][prediction]: sum of the items' weights */
  int positive;        /* of two classes, the one that a metric of one class is about: 0 or 1 */
} gt_metric_counts;

/* Statistics of a split's targets, for one output or for all steps of a column. */
typedef struct gt_metric_targets {
  double weight;   /* sum of the weights of all items that count */
  double variance; /* mean squared difference of targets from their mean; if a metric has needs_variance */
  /* If a metric has needs_series: mean absolute error of the naive forecast for these items: the last value
   * or the value one season before, whichever has the smaller error over all steps of the column. */
  double naive;
} gt_metric_targets;

/* Outputs whose items are counted together: first, first + stride, …, `steps` of them. */
typedef struct gt_metric_output_group {
  int first, steps, stride;
  const gt_metric_targets *targets; /* of all these items */
} gt_metric_output_group;

/* All items of a split that count. For classes, a score is a logit; for bits and numbers, outputs is 1. */
typedef struct gt_metric_scores {
  int64_t items, outputs;
  const float *score;   /* [items][outputs] */
  const int32_t *label; /* classes: [items] */
  const float *target;  /* bits, numbers: [items] */
  int positive;         /* of two classes: as in gt_metric_counts */
} gt_metric_scores;

typedef struct gt_metric_type {
  const char *name, *help;
  unsigned tasks;      /* bits gt_metric_task: the tasks that it is defined for */
  bool larger;         /* true if larger values are better */
  bool of_positive;    /* of two classes, it is the metric of the positive one */
  bool needs_variance; /* it uses gt_metric_targets.variance */
  bool needs_series;   /* the targets must be a time series: it uses gt_metric_targets.naive */
  bool needs_text;     /* the targets must be the characters or bytes of a text */
  /* emit: the terms of its `sums` sums for each item: F32 [N] for classes, otherwise F32 [N, outputs]. */
  int sums;
  void (*emit)(gt_graph *graph, const gt_loss_items *items, gt_metric_task task, gt_id *term);
  double (*of_sums)(const double *sum, const gt_metric_targets *targets); /* NULL: the mean of the term */
  double (*of_counts)(const gt_metric_counts *counts);
  double (*of_scores)(const gt_metric_scores *scores);
} gt_metric_type;

/* Terms that several metrics sum: |x - t|; (x - t)²; cross-entropy without label smoothing and class weights.
 */
void gt_emit_absolute_error(gt_graph *graph, const gt_loss_items *items, gt_metric_task task, gt_id *term);
void gt_emit_squared_error(gt_graph *graph, const gt_loss_items *items, gt_metric_task task, gt_id *term);
void gt_emit_cross_entropy(gt_graph *graph, const gt_loss_items *items, gt_metric_task task, gt_id *term);

/* Why the metric is not defined for this loss with this number of outputs per item, for a message, such as
 * "needs targets that are numbers". NULL if it is defined. */
const char *gt_metric_unmet_requirement(const gt_metric_type *type, const gt_loss *loss, int64_t outputs);

/* The metrics of an evaluation, and the positions of their sums in one vector: each term of a metric has
 * gt_metric_outputs(set) sums. */
typedef struct gt_metric_set {
  gt_metric_task task;
  int64_t outputs; /* values per item of the prediction; for classes, the number of logits */
  int positive;    /* as in gt_metric_counts */
  int count;
  const gt_metric_type *type[GT_METRIC_MAX];
  int first[GT_METRIC_MAX]; /* index of each metric's first sum, if it has `emit` */
  /* For bits: the index of the first sum that of_counts uses. For each output there is the number of true
   * positives; then, again for each, of predicted positives, then of actual ones. -1: not needed. */
  int bit_counts;
  int sum_count;       /* the length of the vector */
  bool counts, scores; /* true if some metric has of_counts, of_scores */
} gt_metric_set;

/* Number of values of a metric, whose mean is reported: one for classes, otherwise one per output. */
static inline int gt_metric_outputs(const gt_metric_set *set) {
  return set->task == GT_METRIC_CLASSES ? 1 : (int)set->outputs;
}

/* Emits the sums of a batch as one vector F32 [sum_count], and sets their positions in the set; GT_NONE if
 * there are no sums. */
gt_id gt_metrics_emit(gt_metric_set *set, gt_graph *graph, const gt_loss_items *items);

/* The results of an evaluation from which metrics are computed. */
typedef struct gt_metric_totals {
  const double *sum;       /* [sum_count] */
  gt_metric_counts counts; /* of classes */
  gt_metric_scores scores; /* of all outputs: [items][outputs] */
} gt_metric_totals;
/* The value of metric set->type[index] for a group of outputs. For classes, the group has one output. */
double gt_metric_value(const gt_metric_set *set, int index, const gt_metric_output_group *group,
                       const gt_metric_totals *totals);
#endif
