/* Metrics of evaluations: which metrics each target has. */
#include "base/text.h"
#include "tokens/tokens.h"
#include "train/config/config.h"
#include "train/config/config_metrics.h"
#include "train/config/results.h"
#include <limits.h>
#include <string.h>

/* True if the target is the next character or byte of a text. */
static bool has_characters(const gt_dataset *data) {
  const gt_vocabulary *vocabulary = data->input[0].vocabulary;
  return vocabulary && vocabulary->type->is_exact && gt_tensor_is_text(gt_train_target(data, 0));
}

/* Why the metric is not defined for the target, for a message; NULL: it is defined. */
static const char *unmet_requirement(const gt_config *config, int target, const gt_metric_kind *kind) {
  const gt_loss *loss = config->loss[target];
  if (kind->correct && !loss->type->correct) return "needs a loss that counts correct predictions";
  if (kind->type && kind->type->needs_series && !config->dataset.target[target].horizon)
    return "needs a time series (data.series)";
  if (kind->type && kind->type->needs_text && !has_characters(&config->dataset))
    return "needs a text of characters or bytes";
  return kind->type ? gt_metric_unmet_requirement(kind->type, loss, config->dataset.target[target].classes)
                    : NULL;
}

const char *gt_config_add_metric(gt_config *config, int target, const gt_metric_kind *kind) {
  gt_metric_list *list = &config->metrics[target];
  const char *why_not = unmet_requirement(config, target, kind);
  if (why_not || !kind->type) return why_not;
  for (int i = 0; i < list->count; i++)
    if (list->type[i] == kind->type) return NULL;
  if (list->count == GT_METRIC_MAX) return "is more than an evaluation can compute";
  list->type[list->count++] = kind->type;
  return NULL;
}

const char *gt_config_add_result(gt_config *config, const char *name, gt_result_id *out) {
  const gt_dataset *data = &config->dataset;
  gt_arena *arena = config->diagnostics.arena;
  const char *why = NULL;
  if (!gt_result_parse(data, name, out, arena, &why)) return why;
  const gt_metric_kind *kind = out->kind;
  if (out->target >= 0) return gt_config_add_metric(config, out->target, kind);
  if (!kind->type && !kind->correct) return NULL;
  gt_list possible = gt_list_open(arena, INT_MAX);
  for (int k = 0; k < data->targets; k++) {
    const char *why_not = unmet_requirement(config, k, kind);
    if (!why) why = why_not;
    if (why_not) continue;
    out->target = k;
    gt_list_add(&possible, "%s.%s", data->target[k].name, kind->name);
  }
  if (!possible.count) return why;
  if (possible.count == 1) return gt_config_add_metric(config, out->target, kind);
  return gt_arena_printf(arena, "belongs to several targets; expected one of %s", possible.text);
}

/* Requests an entry of `metrics:`; without a target, for each target for which it is defined. */
static const char *request(gt_config *config, const char *name) {
  const char *why = NULL;
  gt_result_id id;
  bool any = false;
  if (!gt_result_parse(&config->dataset, name, &id, config->diagnostics.arena, &why)) return why;
  if (id.target >= 0) return gt_config_add_metric(config, id.target, id.kind);
  for (int k = config->dataset.targets - 1; k >= 0; k--) {
    const char *why_not = gt_config_add_metric(config, k, id.kind);
    if (why_not) why = why_not;
    any |= !why_not;
  }
  return any ? NULL : why;
}

/* Reports metrics with more than GT_MAX_METRIC_VALUES results. Besides the metrics, these are at most loss
 * and soft_loss, and for each target its loss, soft_loss, accuracy and soft_accuracy. */
static void check_value_count(gt_config *config, gt_position at) {
  const gt_dataset *data = &config->dataset;
  int64_t values = 2;
  for (int k = 0; k < data->targets; k++) {
    const int64_t outputs = data->target[k].classification ? 1 : gt_tensor_features(gt_train_target(data, k));
    values +=
        4 + config->metrics[k].count * (outputs > 1 && outputs <= GT_METRIC_MAX_OUTPUTS ? outputs + 1 : 1);
  }
  if (data->targets > 1 && values > GT_MAX_METRIC_VALUES)
    gt_error_at(&config->diagnostics, at, "these metrics have %lld values, and an evaluation at most %d",
                (long long)values, GT_MAX_METRIC_VALUES)
        ->expected = "fewer metrics";
}

void gt_config_read_metrics(gt_config *config, const gt_strings *names) {
  if (!config->loss[0] || !config->has_dataset) return;
  const bool several = config->dataset.targets > 1;
  /* With a loss that is a residual, the targets only measure the error. */
  if (config->loss[0]->type->residual) gt_config_add_metric(config, 0, gt_metric_find("rmse"));
  /* A forecast is compared with the naive forecasts. */
  if (config->dataset.target[0].horizon && !gt_config_add_metric(config, 0, gt_metric_find("skill")))
    gt_config_add_metric(config, 0, gt_metric_find("mae"));
  for (int i = 0; i < names->count; i++) {
    const char *why = request(config, names->items[i]);
    const gt_metric_kind *kind = gt_metric_find(names->items[i]);
    if (why && kind && kind->type && kind->type->needs_series)
      gt_error_at(&config->diagnostics, names->at[i], "metric '%s' %s of numbers", names->items[i], why)
          ->expected = "data: {series: {window: ROWS}}, or no such metric";
    else if (why && kind && kind->type && kind->type->needs_text)
      gt_error_at(&config->diagnostics, names->at[i], "metric '%s' %s", names->items[i], why)->expected =
          "data: {text: {vocabulary: char, window: TOKENS}}, or no such metric";
    else if (why && (several || !kind))
      gt_error_at(&config->diagnostics, names->at[i], "metric '%s' %s", names->items[i], why);
    else if (why)
      gt_error_at(&config->diagnostics, names->at[i], "metric '%s' %s, which loss '%s' does not have",
                  names->items[i], why, config->loss[0]->type->name);
    check_value_count(config, names->at[i]);
  }
}

/* Reports changes at the start of a phase (src/change), which need a single target. */
static void check_phases(const gt_config *config, const char *list, gt_diagnostics *diagnostics) {
  const gt_spec *phases = gt_spec_find(gt_spec_find(config->root, "train"), "phases");
  for (int p = 0; phases && p < phases->count; p++)
    for (int i = 0; i < gt_change_count(); i++) {
      const gt_spec *node = gt_spec_find(phases->child[p], gt_change_at(i)->name);
      if (node)
        gt_error_at(diagnostics, node->key_at, "'%s' needs a single target; this config has %d: %s",
                    node->key, config->dataset.targets, list)
            ->help = "remove the key";
    }
}

void gt_config_check_several_targets(const gt_config *config, gt_diagnostics *diagnostics) {
  static const struct {
    const char *section, *key, *value; /* value NULL: any */
  } single[] = {{"train", "sampler", "balanced"}, {"eval", "threshold", NULL}};
  const gt_dataset *data = &config->dataset;
  gt_list names = gt_list_open(diagnostics->arena, INT_MAX);
  if (data->targets < 2) return;
  for (int k = 0; k < data->targets; k++) gt_list_add(&names, "%s", data->target[k].name);
  for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
    const gt_spec *node = gt_spec_find(gt_spec_find(config->root, single[i].section), single[i].key);
    if (gt_spec_is_null(node)) continue;
    if (single[i].value && (node->kind != GT_SPEC_SCALAR || strcmp(node->scalar, single[i].value))) continue;
    gt_error_at(diagnostics, node->at, "%s%s%s needs a single target; this config has %d: %s", single[i].key,
                single[i].value ? ": " : "", single[i].value ? single[i].value : "", data->targets,
                names.text)
        ->help = "remove the key";
  }
  check_phases(config, names.text, diagnostics);
  if (config->optim && config->optim->type->line_search)
    gt_error_at(diagnostics, gt_spec_find(config->root, "optimizer")->at,
                "optimizer '%s' needs a single target; this config has %d: %s", config->optim->type->name,
                data->targets, names.text)
        ->expected = "another optimizer, such as adam";
}
