#include "train/config/results.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *gt_json_number(double value, char buffer[32]) {
  if (isfinite(value))
    snprintf(buffer, 32, "%.9g", value);
  else
    snprintf(buffer, 32, "null");
  return buffer;
}

json_t *gt_json_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

void gt_sums_add(gt_sums *sums, const gt_sums *more) {
  sums->steps += more->steps;
  for (int k = 0; k < GT_DATA_MAX_TARGETS; k++)
    for (int s = 0; s < GT_SUMS; s++) sums->sum[k][s] += more->sum[k][s];
}

static double mean_of(const double sum[GT_SUMS]) {
  return sum[GT_SUM_LOSS] / sum[sum[GT_SUM_DIVISOR] > 0 ? GT_SUM_DIVISOR : GT_SUM_WEIGHT];
}

/* With several targets, a target whose items have weight 0 adds nothing, as in the objective. */
double gt_mean_loss(const gt_sums *sums, const gt_result_form *form) {
  double mean = 0;
  if (form->data->targets == 1) return mean_of(sums->sum[0]);
  for (int k = 0; k < form->data->targets; k++)
    if (sums->sum[k][GT_SUM_WEIGHT] > 0) mean += form->target[k].factor * mean_of(sums->sum[k]);
  return mean;
}

void gt_result_add(gt_results *results, gt_result_id id, double value) {
  if (results->count < GT_MAX_METRIC_VALUES) results->item[results->count++] = (gt_result_item){id, value};
}

const gt_result_item *gt_result_find(const gt_results *results, gt_result_id id) {
  for (int i = 0; i < results->count; i++)
    if (gt_result_is_same(results->item[i].id, id)) return &results->item[i];
  return NULL;
}

double gt_result_value(const gt_results *results, gt_result_id id) {
  const gt_result_item *result = gt_result_find(results, id);
  return result ? result->value : NAN;
}

const char *gt_result_name(const gt_results *results, const gt_result_item *result, gt_arena *arena) {
  return gt_result_print(results->data, result->id, arena);
}

static gt_result_id loss_of(const gt_dataset *data, int target, int model_form) {
  return (gt_result_id){
      .kind = gt_metric_at(2 * model_form), .target = data->targets > 1 ? target : 0, .column = -1};
}

double gt_result_loss(const gt_results *results, int model_form) {
  return results->count ? gt_result_value(results, loss_of(results->data, -1, model_form)) : NAN;
}

void gt_result_add_sums(gt_results *results, const gt_sums *sums, const gt_result_form *form,
                        int model_form) {
  results->data = form->data;
  if (form->data->targets > 1)
    gt_result_add(results, loss_of(form->data, -1, model_form), gt_mean_loss(sums, form));
  for (int k = 0; k < form->data->targets; k++) {
    const double *sum = sums->sum[k], weight = sum[GT_SUM_WEIGHT];
    gt_result_id id = loss_of(form->data, k, model_form);
    gt_result_add(results, id, mean_of(sum));
    id.kind = gt_metric_at(2 * model_form + 1);
    if (form->target[k].correct) gt_result_add(results, id, sum[GT_SUM_CORRECT] / weight);
    if (weight > results->items) results->items = weight;
  }
}

gt_results gt_training_result(const gt_sums *sums, const gt_result_form *form, bool soft) {
  gt_results results = {.steps = sums->steps};
  gt_result_add_sums(&results, sums, form, soft ? GT_SOFT : GT_PLAIN);
  return results;
}

void gt_json_add_results(json_t *object, const gt_results *results) {
  gt_arena arena;
  gt_arena_init(&arena);
  for (int i = 0; i < results->count; i++)
    json_object_set_new(object, gt_result_name(results, &results->item[i], &arena),
                        gt_json_real(results->item[i].value));
  gt_arena_finish(&arena);
}
