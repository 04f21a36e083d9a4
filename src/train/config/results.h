/* Results of training steps or of an evaluation, which a run writes to its sinks (train/run/sink.h) and
 * compares in early stopping and --fail-if. */
#ifndef GT_TRAIN_RESULTS_H
#define GT_TRAIN_RESULTS_H
#include "train/config/result.h"

/* Sums over the items of some steps, added in double precision and in step order. */
typedef struct gt_sums {
  int64_t steps;
  double sum[GT_DATA_MAX_TARGETS][GT_SUMS]; /* by gt_sum_kind; 0: absent */
} gt_sums;
void gt_sums_add(gt_sums *sums, const gt_sums *more);

/* How results are computed from sums. With several targets, the objective is the sum of their mean losses,
 * times their factors. */
typedef struct gt_result_form {
  const gt_dataset *data;
  struct {
    double factor;
    bool correct; /* the loss counts correct predictions */
  } target[GT_DATA_MAX_TARGETS];
} gt_result_form;
double gt_mean_loss(const gt_sums *sums, const gt_result_form *form);

typedef struct gt_result_item {
  gt_result_id id;
  double value;
} gt_result_item;
/* Each metric has a value per output, a value per column of a series (a column has at least two outputs) and
 * their mean; the loss has up to 4 results. */
enum { GT_MAX_METRIC_VALUES = GT_METRIC_MAX * (GT_METRIC_MAX_OUTPUTS * 3 / 2 + 1) + 4 };

typedef struct gt_results {
  const gt_dataset *data; /* whose targets and columns the ids count */
  int64_t steps;          /* number of training steps; 0: of an evaluation */
  int64_t samples;        /* number of samples of the evaluated split; 0: of training */
  double items;           /* sum of the items' weights; 0: there is no result */
  int count;
  gt_result_item item[GT_MAX_METRIC_VALUES]; /* in the order in which they are shown */
} gt_results;

void gt_result_add(gt_results *results, gt_result_id id, double value);
const gt_result_item *gt_result_find(const gt_results *results, gt_result_id id); /* NULL: there is none */
double gt_result_value(const gt_results *results, gt_result_id id);               /* NAN: there is none */
/* The objective, of GT_PLAIN or GT_SOFT; NAN if there is none. */
double gt_result_loss(const gt_results *results, int model_form);
/* The name of a result, in the arena. */
const char *gt_result_name(const gt_results *results, const gt_result_item *result, gt_arena *arena);
/* Adds losses and accuracies, of GT_PLAIN or GT_SOFT. */
void gt_result_add_sums(gt_results *results, const gt_sums *sums, const gt_result_form *form, int model_form);
/* The results of training steps. soft: the model also has a hard form. */
gt_results gt_training_result(const gt_sums *sums, const gt_result_form *form, bool soft);

typedef struct gt_metric_row {
  int64_t step, epoch;
  const char *split;
  const gt_results *result;
  double lr, grad_norm; /* NAN: unknown */
} gt_metric_row;

typedef struct gt_timing {
  int64_t step;
  double elapsed, rate; /* seconds since the start of the run; samples per second since the last evaluation */
} gt_timing;

/* Adds the values to a JSON object. */
struct json_t;
void gt_json_add_results(struct json_t *object, const gt_results *results);
struct json_t *gt_json_real(double value); /* null if it is not finite */
/* A number as JSON, with the nine digits that represent any float exactly; null if it is not finite. */
const char *gt_json_number(double value, char buffer[32]);
#endif
