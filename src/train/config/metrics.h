/* Results of training steps or of an evaluation: named values, which a run writes to its sinks
 * (train/run/sink.h) and compares in early stopping and --fail-if. */
#ifndef GT_TRAIN_METRICS_H
#define GT_TRAIN_METRICS_H
#include "base/error.h"
#include "metric/metric.h"
#include <stdbool.h>
#include <stdint.h>

/* Sums over the items of some steps, added in double precision and in step order. */
typedef struct gt_target_sums {
  double loss, weight, correct; /* weight: the number of items, unless samples have weights */
  double divisor;               /* of the loss; 0: the weight */
} gt_target_sums;
typedef struct gt_sums {
  int64_t steps;
  gt_target_sums target[GT_DATA_MAX_TARGETS];
} gt_sums;
void gt_sums_add(gt_sums *sums, const gt_sums *more);

/* How results are computed from sums, and their names. With several targets, `loss` is the sum of their mean
 * losses, times their factors, and the results of a target have its name: "kind.loss". */
enum { GT_PLAIN, GT_SOFT, GT_FORMS }; /* GT_SOFT: of mixtures of gates, if the model also has a hard form */
typedef struct gt_result_target {
  double factor;
  bool correct;                                    /* the loss counts correct predictions */
  const char *loss[GT_FORMS], *accuracy[GT_FORMS]; /* names of the results */
} gt_result_target;
typedef struct gt_result_form {
  int targets;
  gt_result_target target[GT_DATA_MAX_TARGETS];
} gt_result_form;
double gt_mean_loss(const gt_sums *sums, const gt_result_form *form);

/* A name that results can have. If the model has a hard form (logic gates), "loss" and "accuracy" are results
 * of this form; the results of the soft form, which is trained, are "soft_loss" and "soft_accuracy". */
typedef struct gt_metric_kind {
  const char *name;
  const char *help;           /* NULL: type->help */
  bool larger;                /* larger values are better; not used if there is a type */
  bool correct;               /* it needs a loss that counts correct predictions */
  bool of_soft;               /* it is a result of the soft form */
  bool of_hard;               /* another name for a result of the hard form, if the model has one */
  const gt_metric_type *type; /* NULL: the loss computes it */
} gt_metric_kind;
/* Finds a kind by its name in gt_metric_names (NULL-terminated, for schemas); NULL if there is none. */
const gt_metric_kind *gt_metric_find(const char *name);
/* The kind of a result, whose name may contain a target or a column: "kind.accuracy", "mae.price". NULL: the
 * name has no metric. */
const gt_metric_kind *gt_metric_of_result(const char *name);
const char *gt_metric_help(const gt_metric_kind *kind);
bool gt_metric_is_larger_better(const gt_metric_kind *kind);
extern const char *const gt_metric_names[];
const gt_metric_kind *gt_metric_at(int index); /* in the order of gt_metric_names; NULL after the last */

typedef struct gt_metric {
  const char *name; /* static, or in the arena of the config */
  double value;
} gt_metric;
/* Each metric has a value per output, a value per column of a series (a column has at least two outputs) and
 * their mean; the loss has up to 4 results. */
enum { GT_MAX_METRIC_VALUES = GT_METRIC_MAX * (GT_METRIC_MAX_OUTPUTS * 3 / 2 + 1) + 4 };

typedef struct gt_results {
  int64_t steps;   /* number of training steps; 0: of an evaluation */
  int64_t samples; /* number of samples of the evaluated split; 0: of training */
  double items;    /* sum of the items' weights; 0: there is no result */
  int count;
  gt_metric metric[GT_MAX_METRIC_VALUES]; /* in the order in which they are shown */
} gt_results;

void gt_result_add(gt_results *result, const char *name, double value);
/* The value of this name, or of "loss" for "hard_loss"; NAN if there is none. */
double gt_result_value(const gt_results *result, const char *name);
bool gt_result_has(const gt_results *result, const char *name);
int gt_result_index(const gt_results *result, const char *name); /* index of the value; -1: there is none */
double gt_result_loss(const gt_results *result);
/* Adds losses and accuracies. model_form: GT_PLAIN or GT_SOFT, which determines their names. */
void gt_result_add_sums(gt_results *result, const gt_sums *sums, const gt_result_form *form, int model_form);
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
  double elapsed, rate; /* seconds since the start of the run; samples per second since the last evaluation */
} gt_timing;

/* Adds the values to a JSON object. */
struct json_t;
void gt_json_add_result(struct json_t *object, const gt_results *result);
struct json_t *gt_json_real(double value); /* null if it is not finite */
/* A number as JSON, with the nine digits that represent any float exactly; null if it is not finite. */
const char *gt_json_number(double value, char buffer[32]);
#endif
