/* Metrics: named values computed from sums over some steps, as rows that a run writes to its sinks
 * (train/sink.h). */
#ifndef GT_TRAIN_METRICS_H
#define GT_TRAIN_METRICS_H
#include "base/error.h"
#include <stdbool.h>
#include <stdint.h>

/* Sums over the samples of some steps, in double precision and in step order. In rows, results, --fail-if and
 * early stopping, "loss" and "accuracy" are those of the hard form if the model has one (logic gates); those
 * of the soft form, which is trained, are "soft_loss" and "soft_accuracy". "rmse" is the distance of
 * predictions from targets, for losses that do not measure it (loss 'pde'). */
typedef struct gt_sums {
  double loss, weight, correct;
  int64_t steps;
  double divisor;                 /* of the loss; 0: the weight, which is the number of samples */
  double hard_loss, hard_correct; /* of the same samples, in evaluations of a model with a hard form */
  bool hard;                      /* these two are valid */
  double error;                   /* sum of squared errors, in evaluations */
  bool judged;                    /* error is valid */
  bool soft;                      /* loss and correct belong to the soft form of such a model */
} gt_sums;

typedef struct gt_metric {
  const char *name;
  double value;
} gt_metric;
enum { GT_METRICS = 5 };

/* A metric for early stopping and --fail-if. */
typedef struct gt_metric_kind {
  const char *name, *help;
  double (*value)(const gt_sums *sums);
  bool accuracy; /* larger is better; needs a loss that counts correct predictions */
  bool judges;   /* it needs a loss that uses targets only for this metric */
  bool of_soft;  /* of the soft form */
  bool of_hard;  /* of the hard form, if the model has one: the same as the plain name */
} gt_metric_kind;
/* Finds a metric by its name in gt_metric_names (NULL-terminated, for schemas); NULL if there is none. */
const gt_metric_kind *gt_metric_find(const char *name);
extern const char *const gt_metric_names[];
const gt_metric_kind *gt_metric_at(int index); /* in that order; NULL after the last */
/* The metrics of the sums; returns how many. accuracy: the loss counts correct predictions. */
int gt_sums_metrics(const gt_sums *sums, bool accuracy, gt_metric out[GT_METRICS]);

typedef struct gt_metric_row {
  int64_t step, epoch;
  const char *split;
  gt_sums sums;
  bool accuracy;        /* the loss counts correct predictions */
  double lr, grad_norm; /* NAN: unknown */
} gt_metric_row;

typedef struct gt_timing {
  int64_t step;
  double elapsed, rate; /* seconds since the process started; samples per second since the last evaluation */
} gt_timing;

static inline double gt_loss_divisor(const gt_sums *s) { return s->divisor > 0 ? s->divisor : s->weight; }
static inline double gt_mean_loss(const gt_sums *sums) { return sums->loss / gt_loss_divisor(sums); }
static inline double gt_accuracy(const gt_sums *sums) { return sums->correct / sums->weight; }
static inline double gt_hard_loss(const gt_sums *sums) { return sums->hard_loss / gt_loss_divisor(sums); }
static inline double gt_hard_accuracy(const gt_sums *sums) { return sums->hard_correct / sums->weight; }
/* "loss" and "accuracy" of an evaluation. */
static inline double gt_result_loss(const gt_sums *s) { return s->hard ? gt_hard_loss(s) : gt_mean_loss(s); }
static inline double gt_result_accuracy(const gt_sums *s) {
  return s->hard ? gt_hard_accuracy(s) : gt_accuracy(s);
}
/* Root of the mean squared difference from the targets. */
double gt_rmse(const gt_sums *sums);
static inline void gt_sums_add(gt_sums *sums, const gt_sums *more) {
  sums->loss += more->loss;
  sums->weight += more->weight;
  sums->correct += more->correct;
  sums->steps += more->steps;
  sums->divisor += more->divisor;
}

/* Adds the metrics to a JSON object. */
struct json_t;
void gt_json_add_result(struct json_t *object, const gt_sums *sums, bool accuracy);
struct json_t *gt_json_real(double value); /* null if it is not finite */
/* A number as JSON: nine digits, which represent a float exactly; null if it is not finite. */
const char *gt_json_number(double value, char buffer[32]);
#endif
