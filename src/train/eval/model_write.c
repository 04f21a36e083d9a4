#include "train/eval/model_use.h"
#include <jansson.h>
#include <stdlib.h>

static void add_result(json_t *root, const char *split, const gt_results *result) {
  if (!result->items) return;
  json_t *values = json_object();
  gt_json_add_results(values, result);
  json_object_set_new(root, split, values);
}

static char *results_text(const gt_model_results *results) {
  json_t *root = json_object();
  json_object_set_new(root, "step", json_integer(results->step));
  json_object_set_new(root, "epoch", json_integer(results->epoch));
  add_result(root, "validation", &results->validation);
  add_result(root, "test", &results->test);
  char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9));
  json_decref(root);
  return text;
}

bool gt_model_write(const char *path, const gt_config *config, const gt_state_dict *weights,
                    const gt_model_results *results, gt_error *error) {
  const gt_threshold *threshold = &config->threshold;
  char *text = results_text(results);
  const gt_model_record record = {.data = &config->dataset,
                                  .config = config->resolved,
                                  .threshold =
                                      threshold->value && *threshold->value > 0 ? threshold->value : NULL,
                                  .thresholds = threshold->count,
                                  .results = text ? text : "{}",
                                  .fingerprints = results->data};
  const bool ok = gt_model_file_write(path, &record, weights, error);
  free(text);
  return ok;
}
