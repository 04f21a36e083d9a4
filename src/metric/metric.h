/* gt_metric_type: one constant row per metric (GT_DEFINE(metric, NAME) = {…}); a file src/metric/NAME.c adds
 * one, nothing else is edited. A metric is a number computed from the predictions for a split and its
 * targets, in evaluations only. Names and values are those of scikit-learn, with its defaults.
 *
 * There are three kinds, by what a value is computed from:
 *   of_sums    up to GT_METRIC_MAX_SUMS sums over items, added on the device; in double over the batches
 *   of_counts  a confusion matrix, which all metrics of an evaluation share
 *   of_scores  all predictions, which the host collects: at most GT_METRIC_MAX_SCORES values
 * With several outputs that are numbers or bits, there is a value for each output, and their mean
 * (scikit-learn's uniform_average). Of a time series, a column has an output for each step ahead: the value
 * of a column is computed from the items of all its steps, and the mean is that over the columns. */
#ifndef GT_METRIC_METRIC_H
#define GT_METRIC_METRIC_H
#include "loss/loss.h"

enum {
  GT_METRIC_MAX_SUMS = 4,
  GT_METRIC_MAX_OUTPUTS = 16, /* with more outputs, only the mean over them is reported */
  GT_METRIC_MAX_CLASSES = 4096,
  GT_METRIC_MAX_SCORES = 1 << 26,
  GT_METRIC_MAX = 24 /* metrics of an evaluation */
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
} gt_metric_counts;

/* The targets of a split, of one output or of all steps of a column. */
typedef struct gt_metric_targets {
  double weight;   /* sum of the weights of all items that count */
  double variance; /* mean squared difference of targets from their mean; if a metric has `varies` */
  /* If a metric has `forecast`: mean absolute error, of these items, of the naive forecast: the last value or
   * that of one season before, whichever has the smaller error over all steps of the column. */
  double naive;
} gt_metric_targets;

/* Outputs whose items count as those of one: `steps` outputs, `apart` from each other. */
typedef struct gt_metric_outputs_of {
  int first, steps, apart;
  const gt_metric_targets *targets; /* of all these items */
} gt_metric_outputs_of;

/* All items of a split that count. For classes, a score is a logit; for bits and numbers, outputs is 1. */
typedef struct gt_metric_scores {
  int64_t items, outputs;
  const float *score;   /* [items][outputs] */
  const int32_t *label; /* classes: [items] */
  const float *target;  /* bits, numbers: [items] */
} gt_metric_scores;

typedef struct gt_metric_type {
  const char *name, *help;
  unsigned tasks;     /* bits gt_metric_task: the tasks that it is defined for */
  bool larger;        /* true if larger values are better */
  bool varies;        /* true if it needs gt_metric_targets.variance */
  bool forecast;      /* true if it needs a time series, for gt_metric_targets.naive */
  bool of_characters; /* true if it needs targets that are the characters or bytes of a text */
  /* Emits the terms of its sums for each item: for classes F32 [N], else F32 [N, outputs]. */
  int sums;
  void (*emit)(gt_graph *graph, const gt_loss_items *items, gt_metric_task task, gt_id *term);
  double (*of_sums)(const double *sum, const gt_metric_targets *targets); /* NULL: the mean of the term */
  double (*of_counts)(const gt_metric_counts *counts);
  double (*of_scores)(const gt_metric_scores *scores);
} gt_metric_type;

/* Why the metric is not defined for this loss with this number of outputs per item, for a message: "needs
 * class labels". NULL if it is defined. */
const char *gt_metric_lacks(const gt_metric_type *type, const gt_loss *loss, int64_t outputs);

/* The metrics of an evaluation, and the places of their sums in one row of sums: a metric has
 * gt_metric_outputs sums for each of its terms. */
typedef struct gt_metric_set {
  gt_metric_task task;
  int64_t outputs; /* classes: of the logits */
  int count;
  const gt_metric_type *type[GT_METRIC_MAX];
  int first[GT_METRIC_MAX]; /* index of the metric's first sum, if it has `emit` */
  /* For bits, the index of the first of the sums that of_counts is computed from: the numbers of true
   * positives of each output, then of predicted positives, then of actual ones. -1: no metric needs them. */
  int hits;
  int columns;         /* number of all sums */
  bool counts, scores; /* some metric has of_counts, of_scores */
} gt_metric_set;

/* Number of values that a metric has besides their mean: one per output. */
static inline int gt_metric_outputs(const gt_metric_set *set) {
  return set->task == GT_METRIC_CLASSES ? 1 : (int)set->outputs;
}

/* Emits the sums of a batch as one vector F32 [columns], and sets their places in the set; GT_NONE if there
 * are no sums. */
gt_id gt_metrics_emit(gt_metric_set *set, gt_graph *graph, const gt_loss_items *items);

/* The results of an evaluation from which metrics are computed. */
typedef struct gt_metric_totals {
  const double *sum;       /* [columns] */
  gt_metric_counts counts; /* of classes */
  gt_metric_scores scores; /* of all outputs: [items][outputs] */
} gt_metric_totals;
/* The value of metric set->type[index] for these outputs; for classes, the only one. */
double gt_metric_value(const gt_metric_set *set, int index, const gt_metric_outputs_of *of,
                       const gt_metric_totals *totals);
#endif
