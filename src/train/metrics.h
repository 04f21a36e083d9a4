/* Results of training steps or of an evaluation: named values, which a run writes to its sinks (train/sink.h)
 * and compares in early stopping and --fail-if. */
#ifndef GT_TRAIN_METRICS_H
#define GT_TRAIN_METRICS_H
#include "base/error.h"
#include "metric/metric.h"
#include <stdbool.h>
#include <stdint.h>

/* Sums of the losses over the items of some steps, in double precision and in step order. */
typedef struct gt_target_sums {
  double loss, weight, correct;
  double divisor; /* of the loss; 0: the weight, which is the number of items unless samples have weights */
} gt_target_sums;
typedef struct gt_sums {
  int64_t steps;
  gt_target_sums target[GT_DATA_MAX_TARGETS];
} gt_sums;
void gt_sums_add(gt_sums *sums, const gt_sums *more);

/* How sums become results. With several targets, `loss` is the sum of their mean losses, each with its
 * factor, and the results of a target have its name: "kind.loss". */
enum { GT_PLAIN, GT_SOFT, GT_FORMS }; /* soft: of mixtures of gates, where there is also a hard form */
typedef struct gt_result_target {
  double factor;
  bool correct; /* the loss counts correct predictions */
  const char *loss[GT_FORMS], *accuracy[GT_FORMS];
} gt_result_target;
typedef struct gt_result_form {
  int targets;
  gt_result_target target[GT_DATA_MAX_TARGETS];
} gt_result_form;
double gt_mean_loss(const gt_sums *sums, const gt_result_form *form);

/* A name that results can have. "loss" and "accuracy" are those of the hard form if the model has one (logic
 * gates); those of the soft form, which is trained, are "soft_loss" and "soft_accuracy". */
typedef struct gt_metric_kind {
  const char *name;
  const char *help;           /* NULL: that of the type */
  bool larger;                /* is better; or that of the type */
  bool correct;               /* needs a loss that counts correct predictions */
  bool of_soft;               /* of the soft form */
  bool of_hard;               /* of the hard form, if the model has one: the same as the plain name */
  const gt_metric_type *type; /* NULL: computed by the loss */
} gt_metric_kind;
/* Finds a kind by its name in gt_metric_names (NULL-terminated, for schemas); NULL if there is none. */
const gt_metric_kind *gt_metric_find(const char *name);
/* The kind of a result, whose name may begin with that of a target: "kind.accuracy". NULL: of none. */
const gt_metric_kind *gt_metric_of_result(const char *name);
const char *gt_metric_help(const gt_metric_kind *kind);
bool gt_metric_is_larger_better(const gt_metric_kind *kind);
extern const char *const gt_metric_names[];
const gt_metric_kind *gt_metric_at(int index); /* in that order; NULL after the last */

typedef struct gt_metric {
  const char *name; /* static, or in the arena of the config */
  double value;
} gt_metric;
/* All metrics, each with a value per output and per column of a series, which has at least two outputs, and
 * the mean; and those of the loss. */
enum { GT_MAX_METRIC_VALUES = GT_METRIC_MAX * (GT_METRIC_MAX_OUTPUTS * 3 / 2 + 1) + 4 };

typedef struct gt_results {
  int64_t steps;   /* of training; else 0 */
  int64_t samples; /* of the evaluated split; else 0 */
  double items;    /* sum of the weights of the items; 0: there is no result */
  int count;
  gt_metric metric[GT_MAX_METRIC_VALUES]; /* in the order in which they are shown */
} gt_results;

void gt_result_add(gt_results *result, const char *name, double value);
/* The value of a name or of another name for it ("hard_loss"); NAN if the result has none. */
double gt_result_value(const gt_results *result, const char *name);
bool gt_result_has(const gt_results *result, const char *name);
int gt_result_index(const gt_results *result, const char *name); /* of the value; -1: there is none */
double gt_result_loss(const gt_results *result);
/* Adds losses and accuracies; kind: GT_PLAIN or GT_SOFT. */
void gt_result_add_sums(gt_results *result, const gt_sums *sums, const gt_result_form *form, int kind);
/* The results of training steps. soft: the model also has a hard form. */
gt_results gt_training_result(const gt_sums *sums, const gt_result_form *form, bool soft);

typedef struct gt_metric_row {
  int64_t step, epoch;
  const char *split;
  gt_results result;
  double lr, grad_norm; /* NAN: unknown */
} gt_metric_row;

typedef struct gt_timing {
  int64_t step;
  double elapsed, rate; /* seconds since the process started; samples per second since the last evaluation */
} gt_timing;

/* Adds the values to a JSON object. */
struct json_t;
void gt_json_add_result(struct json_t *object, const gt_results *result);
struct json_t *gt_json_real(double value); /* null if it is not finite */
/* A number as JSON: nine digits, which represent a float exactly; null if it is not finite. */
const char *gt_json_number(double value, char buffer[32]);
#endif
