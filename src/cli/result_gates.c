#include "cli/result_gates.h"
#include "base/log.h"
#include "train/config/target_scaling.h"
#include <string.h>

static const char samples[] = "samples", items[] = "items";

/* Rejects a limit such as `accuracy<97`, which would always fail. */
static bool check_limit(const gt_arguments *arguments, const gt_gate *gate, const gt_metric_kind *kind) {
  if (!kind->correct || (gate->limit >= 0 && gate->limit <= 1)) return true;
  if (gate->limit > 1 && gate->limit <= 100)
    gt_usage_error(arguments, "--fail-if '%s': '%s' is from 0 to 1; write '%s%s%.6g'", gate->text,
                   gate->metric, gate->metric, gate->op, gate->limit / 100);
  else
    gt_usage_error(arguments, "--fail-if '%s': '%s' is from 0 to 1", gate->text, gate->metric);
  return false;
}

bool gt_cli_result_gates(const gt_arguments *arguments, gt_gate **gates, int *count) {
  int names = 0;
  while (gt_metric_names[names]) names++;
  const char **metrics = GT_NEW_N(arguments->arena, const char *, names + 2);
  memcpy(metrics, gt_metric_names, (size_t)names * sizeof *metrics);
  metrics[names] = samples;
  metrics[names + 1] = items;
  if (!gt_cli_gates(arguments, &(gt_gate_metrics){metrics, names + 2, true}, gates, count)) return false;
  for (int i = 0; i < *count; i++) { /* other names are known with the data (apply) */
    const gt_metric_kind *kind = gt_metric_find((*gates)[i].metric);
    if (kind && !check_limit(arguments, &(*gates)[i], kind)) return false;
  }
  return true;
}

static bool apply(const gt_arguments *arguments, gt_gate *gate, gt_config *config) {
  gt_arena *arena = config->diagnostics.arena;
  if (!strcmp(gate->metric, samples) || !strcmp(gate->metric, items)) return true;
  const char *problem = gt_config_add_result(config, gate->metric, &gate->result);
  if (problem && (config->dataset.targets > 1 || !gt_metric_find(gate->metric)))
    gt_log_error("--fail-if: '%s' %s", gate->metric, problem);
  else if (problem)
    gt_log_error("--fail-if: '%s' %s, and this model's loss is '%s'", gate->metric, problem,
                 config->loss[0]->type->name);
  if (problem || !check_limit(arguments, gate, gate->result.kind)) return false;
  gate->metric = gt_result_print(&config->dataset, gate->result, arena);
  gt_config_warn_scaled_loss(config, gate->result, (gt_position){.file = "--fail-if"},
                             gt_arena_printf(arena, "'%s'", gate->metric));
  return true;
}

bool gt_cli_gates_apply(const gt_arguments *arguments, gt_gate *gates, int count, gt_config *config) {
  for (int i = 0; i < count; i++)
    if (!apply(arguments, &gates[i], config)) return false;
  return true;
}

int gt_cli_check_gates(const gt_gate *gates, int count, const gt_results *results) {
  int code = GT_OK;
  for (int i = 0; i < count; i++) {
    const gt_result_id id = gates[i].result;
    if (id.kind && id.kind->form == GT_SOFT && !gt_result_find(results, id)) {
      gt_log_error("--fail-if: '%s' is only for models with logic gates; use '%s'", id.kind->name,
                   id.kind->correct ? "accuracy" : "loss");
      return GT_ERR_USAGE;
    }
    const double value = id.kind                             ? gt_result_value(results, id)
                         : !strcmp(gates[i].metric, samples) ? (double)results->samples
                                                             : results->items;
    if (gt_gate_fails(&gates[i], value)) code = GT_ERR_GATE;
  }
  return code;
}
