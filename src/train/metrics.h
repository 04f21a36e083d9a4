/* What a run writes down as it goes, one JSON object a line:
 *   metrics.jsonl  what was computed: {"step":469,"epoch":1,"split":"train","steps":469,"loss":…,
 *                  "accuracy":…,"hard_loss":…,"hard_accuracy":…,"lr":…,"grad_norm":…}. Nothing in it
 *                  depends on the clock or the machine's load: a run that was killed and resumed ends with
 *                  the same bytes as one that was not.
 *   timing.jsonl   what it took: {"step":…,"elapsed_s":…,"samples_per_s":…}, and a row with the device at
 *                  each start.
 * "step" counts finished steps, "steps" tells over how many the row is a mean (rows of split "train"). On
 * resume metrics.jsonl is cut back to the length it had when the checkpoint was made. Owner: the run. */
#ifndef GT_TRAIN_METRICS_H
#define GT_TRAIN_METRICS_H
#include "base/error.h"
#include <stdbool.h>
#include <stdint.h>

/* Sums over the samples of some steps, in double and in step order. */
typedef struct gt_sums {
  double loss, weight, correct;
  int64_t steps;
  double hard_loss, hard_correct; /* of the same samples, in an evaluation of a model that has a hard form */
  bool hard;                      /* they are there */
} gt_sums;

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
/* What a result is called by: where a model has a hard form, that is what will be used, so it gives the name.
 */
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
/* {"loss":…,"accuracy":…} added to an object; where there is a hard form these are its, and "soft_loss" and
 * "soft_accuracy" stand beside them. */
struct json_t;
void gt_json_add_result(struct json_t *object, const gt_sums *sums, bool accuracy);
struct json_t *gt_json_real(double value); /* null if it is not finite */
/* JSON for a number: nine digits, which hold a float exactly; null if it is not finite. */
const char *gt_json_number(double value, char buffer[32]);
#endif
