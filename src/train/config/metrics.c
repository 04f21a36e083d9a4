#include "train/config/metrics.h"
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
  for (int k = 0; k < GT_DATA_MAX_TARGETS; k++) {
    gt_target_sums *to = &sums->target[k];
    const gt_target_sums *from = &more->target[k];
    to->loss += from->loss;
    to->weight += from->weight;
    to->correct += from->correct;
    to->divisor += from->divisor;
  }
}

static double mean_of(const gt_target_sums *s) { return s->loss / (s->divisor > 0 ? s->divisor : s->weight); }

/* With several targets, a target whose items have weight 0 adds nothing, as in the objective. */
double gt_mean_loss(const gt_sums *sums, const gt_result_form *form) {
  double mean = 0;
  if (form->targets == 1) return mean_of(&sums->target[0]);
  for (int k = 0; k < form->targets; k++)
    if (sums->target[k].weight > 0) mean += form->target[k].factor * mean_of(&sums->target[k]);
  return mean;
}

/* --- names --- */

#define X(name) extern const gt_metric_type gt_metric_##name;
#include "registry/metric.inc"
#undef X
const char *const gt_metric_names[] = {"loss",      "accuracy",      "soft_loss", "soft_accuracy",
                                       "hard_loss", "hard_accuracy",
#define X(name) #name,
#include "registry/metric.inc"
#undef X
                                       NULL};

static const gt_metric_kind kinds[] = {
    {"loss", "mean loss; for logic gates, that of the circuit"},
    {"accuracy", "fraction of correct predictions; for logic gates, that of the circuit", .larger = true,
     .correct = true},
    {"soft_loss", "loss of the relaxed gates that are trained", .of_soft = true},
    {"soft_accuracy", "accuracy of the relaxed gates that are trained", .larger = true, .correct = true,
     .of_soft = true},
    {"hard_loss", "loss of the circuit: another name for 'loss'", .of_hard = true},
    {"hard_accuracy", "accuracy of the circuit: another name for 'accuracy'", .larger = true, .correct = true,
     .of_hard = true},
#define X(name) {#name, .type = &gt_metric_##name},
#include "registry/metric.inc"
#undef X
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const gt_metric_kind *gt_metric_at(int index) { return index < KINDS ? &kinds[index] : NULL; }

const gt_metric_kind *gt_metric_find(const char *name) {
  for (int i = 0; i < KINDS; i++)
    if (!strcmp(kinds[i].name, name)) return &kinds[i];
  return NULL;
}

/* The metric at the start of a name such as "mae.price"; NULL: there is none. */
static const gt_metric_kind *find_first(const char *name) {
  const char *dot = strchr(name, '.');
  for (int i = 0; i < KINDS && dot; i++)
    if (strlen(kinds[i].name) == (size_t)(dot - name) && !memcmp(kinds[i].name, name, (size_t)(dot - name)))
      return &kinds[i];
  return NULL;
}

const gt_metric_kind *gt_metric_of_result(const char *name) {
  const char *dot = strchr(name, '.');
  const gt_metric_kind *kind = gt_metric_find(name);
  if (!kind && dot) kind = gt_metric_find(dot + 1);
  if (!kind) kind = find_first(name);
  return kind || !dot ? kind : find_first(dot + 1);
}

const char *gt_metric_help(const gt_metric_kind *kind) { return kind->type ? kind->type->help : kind->help; }

bool gt_metric_is_larger_better(const gt_metric_kind *kind) {
  return kind->type ? kind->type->larger : kind->larger;
}

/* --- results --- */

void gt_result_add(gt_results *result, const char *name, double value) {
  if (result->count < GT_MAX_METRIC_VALUES) result->metric[result->count++] = (gt_metric){name, value};
}

static const gt_metric *find(const gt_results *result, const char *name) {
  static const char hard[] = "hard_";
  const char *dot = strchr(name, '.'), *metric = dot ? dot + 1 : name;
  const size_t target = (size_t)(metric - name);
  const char *plain = metric + (strncmp(metric, hard, sizeof hard - 1) ? 0 : sizeof hard - 1);
  for (int i = 0; i < result->count; i++) {
    const char *found = result->metric[i].name;
    if (!strcmp(found, name) || (!strncmp(found, name, target) && !strcmp(found + target, plain)))
      return &result->metric[i];
  }
  return NULL;
}

bool gt_result_has(const gt_results *result, const char *name) { return find(result, name) != NULL; }

int gt_result_index(const gt_results *result, const char *name) {
  const gt_metric *metric = find(result, name);
  return metric ? (int)(metric - result->metric) : -1;
}

double gt_result_value(const gt_results *result, const char *name) {
  const gt_metric *metric = find(result, name);
  return metric ? metric->value : NAN;
}

double gt_result_loss(const gt_results *result) { return gt_result_value(result, "loss"); }

void gt_result_add_sums(gt_results *result, const gt_sums *sums, const gt_result_form *form, int model_form) {
  if (form->targets > 1)
    gt_result_add(result, model_form == GT_SOFT ? "soft_loss" : "loss", gt_mean_loss(sums, form));
  for (int k = 0; k < form->targets; k++) {
    const gt_result_target *target = &form->target[k];
    const gt_target_sums *s = &sums->target[k];
    gt_result_add(result, target->loss[model_form], mean_of(s));
    if (target->correct) gt_result_add(result, target->accuracy[model_form], s->correct / s->weight);
    if (s->weight > result->items) result->items = s->weight;
  }
}

gt_results gt_training_result(const gt_sums *sums, const gt_result_form *form, bool soft) {
  gt_results result = {.steps = sums->steps};
  gt_result_add_sums(&result, sums, form, soft ? GT_SOFT : GT_PLAIN);
  return result;
}

void gt_json_add_result(json_t *object, const gt_results *result) {
  for (int i = 0; i < result->count; i++)
    json_object_set_new(object, result->metric[i].name, gt_json_real(result->metric[i].value));
}
