/* What a run writes down as it goes, one JSON object a line:
 *   metrics.jsonl  what was computed: {"step":469,"epoch":1,"split":"train","steps":469,"loss":…,
 *                  "accuracy":…,"lr":…,"grad_norm":…}. Nothing in it depends on the clock or the machine's
 *                  load: a run that was killed and resumed ends with the same bytes as one that was not. No
 *                  evaluation stands there twice: the split that is watched has a row of each, and a test
 *                  split besides has one row, the last, of the weights that model.bin gets.
 *   timing.jsonl   what it took: {"step":…,"elapsed_s":…,"samples_per_s":…}, and a row with the device at
 *                  each start.
 * "step" counts finished steps, "steps" tells over how many the row is a mean (rows of split "train"). On
 * resume metrics.jsonl is cut back to the length it had when the checkpoint was made. Owner: the run. */
#ifndef GT_TRAIN_METRICS_H
#define GT_TRAIN_METRICS_H
#include "base/error.h"
#include <stdbool.h>
#include <stdint.h>

/* Sums over the samples of some steps, in double and in step order. Everywhere (rows, results, --fail-if,
 * what early stopping watches) "loss" and "accuracy" are those of what the model stands for: where it has a
 * hard form, that one's. Those of its soft form, which training works on, are "soft_loss" and
 * "soft_accuracy". */
typedef struct gt_sums {
  double loss, weight, correct;
  int64_t steps;
  double hard_loss, hard_correct; /* of the same samples, in an evaluation of a model that has a hard form */
  bool hard;                      /* they are there */
  bool soft;                      /* loss and correct are of the soft form of such a model */
} gt_sums;

typedef struct gt_metric {
  const char *name;
  double value;
} gt_metric;
enum { GT_METRICS = 4 };

/* What an evaluation can be judged by (early stopping, --fail-if). */
typedef struct gt_metric_kind {
  const char *name;
  double (*value)(const gt_sums *sums);
  bool accuracy; /* more is better, and there is one only if the loss counts correct answers; else less is */
  bool of_soft;  /* of the soft form … */
  bool of_hard;  /* … of the hard form of a model that has one: the same as the plain name */
} gt_metric_kind;
/* Of the names in gt_metric_names (NULL-terminated, for schemas); NULL if there is none of it. */
const gt_metric_kind *gt_metric_find(const char *name);
extern const char *const gt_metric_names[];
/* What the sums come to, by those names; returns how many. accuracy: the loss counts correct answers. */
int gt_sums_metrics(const gt_sums *sums, bool accuracy, gt_metric out[GT_METRICS]);

typedef struct gt_metric_row {
  int64_t step, epoch;
  const char *split;
  gt_sums sums;
  bool accuracy;        /* the loss counts correct answers */
  double lr, grad_norm; /* NAN: not known */
} gt_metric_row;

typedef struct gt_metrics {
  int metrics, timing; /* file descriptors */
  int64_t bytes;       /* length of metrics.jsonl */
} gt_metrics;

static inline double gt_mean_loss(const gt_sums *sums) { return sums->loss / sums->weight; }
static inline double gt_accuracy(const gt_sums *sums) { return sums->correct / sums->weight; }
static inline double gt_hard_loss(const gt_sums *sums) { return sums->hard_loss / sums->weight; }
static inline double gt_hard_accuracy(const gt_sums *sums) { return sums->hard_correct / sums->weight; }
/* "loss" and "accuracy" of an evaluation. */
static inline double gt_result_loss(const gt_sums *s) { return s->hard ? gt_hard_loss(s) : gt_mean_loss(s); }
static inline double gt_result_accuracy(const gt_sums *s) {
  return s->hard ? gt_hard_accuracy(s) : gt_accuracy(s);
}
static inline void gt_sums_add(gt_sums *sums, const gt_sums *more) {
  sums->loss += more->loss;
  sums->weight += more->weight;
  sums->correct += more->correct;
  sums->steps += more->steps;
}

/* keep: bytes of metrics.jsonl to keep; 0 for a new run. A file shorter than that (lost in a power cut) is
 * kept as it is, with a warning. */
bool gt_metrics_open(gt_metrics *metrics, const char *directory, int64_t keep, gt_error *error);
bool gt_metrics_row(gt_metrics *metrics, const gt_metric_row *row, gt_error *error);
bool gt_metrics_timing(gt_metrics *metrics, int64_t step, double elapsed, double rate, gt_error *error);
bool gt_metrics_start(gt_metrics *metrics, int64_t step, const char *device, gt_error *error);
bool gt_metrics_sync(gt_metrics *metrics, gt_error *error); /* before a checkpoint refers to the length */
void gt_metrics_close(gt_metrics *metrics);                 /* accepts one that never opened (all zero) */
/* The metrics added to an object. */
struct json_t;
void gt_json_add_result(struct json_t *object, const gt_sums *sums, bool accuracy);
struct json_t *gt_json_real(double value); /* null if it is not finite */
/* JSON for a number: nine digits, which hold a float exactly; null if it is not finite. */
const char *gt_json_number(double value, char buffer[32]);
#endif
