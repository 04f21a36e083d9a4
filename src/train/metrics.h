/* Metrics: what the sums over some steps come to, under which names, as rows that a run tells its sinks
 * (train/sink.h). */
#ifndef GT_TRAIN_METRICS_H
#define GT_TRAIN_METRICS_H
#include "base/error.h"
#include <stdbool.h>
#include <stdint.h>

/* Sums over the samples of some steps, in double and in step order. Everywhere (rows, results, --fail-if,
 * what early stopping watches) "loss" and "accuracy" are those of what the model stands for: where it has a
 * hard form, that one's. Those of its soft form, which training works on, are "soft_loss" and
 * "soft_accuracy". "rmse" is how far predictions are from targets, of losses that do not tell (loss 'pde').
 */
typedef struct gt_sums {
  double loss, weight, correct;
  int64_t steps;
  double divisor;                 /* of loss; 0: the weight, which is the number of samples */
  double hard_loss, hard_correct; /* of the same samples, in an evaluation of a model that has a hard form */
  bool hard;                      /* they are there */
  double error;                   /* squared, in an evaluation */
  bool judged;                    /* it is there */
  bool soft;                      /* loss and correct are of the soft form of such a model */
} gt_sums;

typedef struct gt_metric {
  const char *name;
  double value;
} gt_metric;
enum { GT_METRICS = 5 };

/* What an evaluation can be judged by (early stopping, --fail-if). */
typedef struct gt_metric_kind {
  const char *name, *help;
  double (*value)(const gt_sums *sums);
  bool accuracy; /* more is better, and there is one only if the loss counts correct answers; else less is */
  bool judges;   /* there is one only if the targets do no more than judge */
  bool of_soft;  /* of the soft form … */
  bool of_hard;  /* … of the hard form of a model that has one: the same as the plain name */
} gt_metric_kind;
/* Of the names in gt_metric_names (NULL-terminated, for schemas); NULL if there is none of it. */
const gt_metric_kind *gt_metric_find(const char *name);
extern const char *const gt_metric_names[];
const gt_metric_kind *gt_metric_at(int index); /* in that order; NULL after the last */
/* What the sums come to, by those names; returns how many. accuracy: the loss counts correct answers. */
int gt_sums_metrics(const gt_sums *sums, bool accuracy, gt_metric out[GT_METRICS]);

typedef struct gt_metric_row {
  int64_t step, epoch;
  const char *split;
  gt_sums sums;
  bool accuracy;        /* the loss counts correct answers */
  double lr, grad_norm; /* NAN: not known */
} gt_metric_row;

typedef struct gt_timing {
  int64_t step;
  double elapsed, rate; /* seconds since this process began; samples a second, since the evaluation before */
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

/* The metrics added to an object. */
struct json_t;
void gt_json_add_result(struct json_t *object, const gt_sums *sums, bool accuracy);
struct json_t *gt_json_real(double value); /* null if it is not finite */
/* JSON for a number: nine digits, which hold a float exactly; null if it is not finite. */
const char *gt_json_number(double value, char buffer[32]);
#endif
