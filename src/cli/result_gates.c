#include "cli/result_gates.h"
#include "base/log.h"
#include "train/config/target_scaling.h"
#include <stdio.h>
#include <string.h>

static const char samples[] = "samples", items[] = "items";

bool gt_cli_result_gates(const gt_arguments *arguments, gt_arena *arena, gt_gate **gates, int *count) {
  int names = 0;
  while (gt_metric_names[names]) names++;
  const char **metrics = GT_NEW_N(arena, const char *, names + 2);
  memcpy(metrics, gt_metric_names, (size_t)names * sizeof *metrics);
  metrics[names] = samples;
  metrics[names + 1] = items;
  return gt_cli_gates(arguments, arena, &(gt_gate_metrics){metrics, names + 2, true}, gates, count);
}

bool gt_cli_gates_apply(gt_gate *gates, int count, gt_config *config) {
  for (int i = 0; i < count; i++) {
    const gt_metric_kind *kind = gt_metric_of_result(gates[i].metric); /* NULL: `samples` or `items` */
    const char *name = gates[i].metric, *problem = kind ? gt_config_add_result(config, &name) : NULL;
    if (problem && (config->dataset.targets > 1 || strchr(name, '.')))
      gt_log_error("--fail-if: '%s' %s", gates[i].metric, problem);
    else if (problem)
      gt_log_error("--fail-if: '%s' %s, and this model's loss is '%s'", gates[i].metric, problem,
                   config->loss[0]->type->name);
    if (problem) return false;
    if (name != gates[i].metric) snprintf(gates[i].metric, sizeof gates[i].metric, "%s", name);
    gt_config_warn_scaled_loss(config, gates[i].metric, (gt_position){.file = "--fail-if"},
                               gt_arena_printf(config->diagnostics.arena, "'%s'", gates[i].metric));
  }
  return true;
}

static double value_of(const gt_results *results, const char *name) {
  if (!strcmp(name, samples)) return (double)results->samples;
  return strcmp(name, items) ? gt_result_value(results, name) : results->items;
}

int gt_cli_check_gates(const gt_gate *gates, int count, const gt_results *results) {
  int code = GT_OK;
  for (int i = 0; i < count; i++) {
    const gt_metric_kind *kind = gt_metric_of_result(gates[i].metric);
    if (kind && kind->of_soft && !gt_result_has(results, gates[i].metric)) {
      gt_log_error("--fail-if: '%s' is only for models with logic gates; use '%s'", kind->name,
                   kind->correct ? "accuracy" : "loss");
      return GT_ERR_USAGE;
    }
    if (gt_gate_fails(&gates[i], value_of(results, gates[i].metric))) code = GT_ERR_GATE;
  }
  return code;
}
