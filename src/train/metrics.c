#include "train/metrics.h"
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

double gt_rmse(const gt_sums *s) { return sqrt(s->error / s->weight); }

static double loss(const gt_sums *s) { return gt_result_loss(s); }
static double accuracy(const gt_sums *s) { return gt_result_accuracy(s); }
static double soft_loss(const gt_sums *s) { return gt_mean_loss(s); }
static double soft_accuracy(const gt_sums *s) { return gt_accuracy(s); }

enum { KINDS = 7 };
const char *const gt_metric_names[KINDS + 1] = {"loss",      "accuracy",      "soft_loss", "soft_accuracy",
                                                "hard_loss", "hard_accuracy", "rmse",      NULL};
static const gt_metric_kind kinds[KINDS] = {
    {"loss", "mean loss; for logic gates, that of the circuit", loss},
    {"accuracy", "fraction of correct predictions; for logic gates, that of the circuit", accuracy,
     .accuracy = true},
    {"soft_loss", "loss of the relaxed gates that are trained", soft_loss, .of_soft = true},
    {"soft_accuracy", "accuracy of the relaxed gates that are trained", soft_accuracy, .accuracy = true,
     .of_soft = true},
    {"hard_loss", "loss of the circuit: another name for 'loss'", loss, .of_hard = true},
    {"hard_accuracy", "accuracy of the circuit: another name for 'accuracy'", accuracy, .accuracy = true,
     .of_hard = true},
    {"rmse", "root mean squared error against the targets, for loss 'pde'", gt_rmse, .judges = true},
};

const gt_metric_kind *gt_metric_at(int index) { return index < KINDS ? &kinds[index] : NULL; }

const gt_metric_kind *gt_metric_find(const char *name) {
  for (int i = 0; i < KINDS; i++)
    if (!strcmp(kinds[i].name, name)) return &kinds[i];
  return NULL;
}

int gt_sums_metrics(const gt_sums *sums, bool accuracy, gt_metric out[GT_METRICS]) {
  int n = 0;
  if (sums->hard) out[n++] = (gt_metric){"loss", gt_hard_loss(sums)};
  if (sums->hard && accuracy) out[n++] = (gt_metric){"accuracy", gt_hard_accuracy(sums)};
  out[n++] = (gt_metric){sums->soft ? "soft_loss" : "loss", gt_mean_loss(sums)};
  if (accuracy) out[n++] = (gt_metric){sums->soft ? "soft_accuracy" : "accuracy", gt_accuracy(sums)};
  if (sums->judged) out[n++] = (gt_metric){"rmse", gt_rmse(sums)};
  return n;
}

void gt_json_add_result(json_t *object, const gt_sums *sums, bool accuracy) {
  gt_metric metric[GT_METRICS];
  const int count = gt_sums_metrics(sums, accuracy, metric);
  for (int i = 0; i < count; i++) json_object_set_new(object, metric[i].name, gt_json_real(metric[i].value));
}
