#include "cli/result_gates.h"
#include "base/log.h"

static const char *const metrics[] = {"accuracy", "loss", "rmse", "samples", "soft_accuracy", "soft_loss"};
enum { METRICS = sizeof metrics / sizeof *metrics };

bool gt_cli_result_gates(const gt_arguments *arguments, gt_arena *arena, gt_gate **gates, int *count) {
  return gt_cli_gates(arguments, arena, metrics, METRICS, gates, count);
}

bool gt_cli_gates_apply(const gt_gate *gates, int count, gt_told told) {
  for (int i = 0; i < count; i++) {
    const gt_metric_kind *kind = gt_metric_find(gates[i].metric); /* NULL: the number of samples */
    if (kind && kind->accuracy && !told.accuracy)
      gt_log_error("--fail-if: this model's loss has no accuracy");
    else if (kind && kind->judges && !told.judged)
      gt_log_error(
          "--fail-if: this model has no 'rmse'; its loss measures the distance from the targets, use 'loss'");
    else if (kind && kind->of_soft && !told.hard)
      gt_log_error("--fail-if: '%s' is only for models with logic gates; use '%s'", gates[i].metric,
                   kind->accuracy ? "accuracy" : "loss");
    else
      continue;
    return false;
  }
  return true;
}

int gt_cli_check_gates(const gt_gate *gates, int count, const gt_sums *sums, bool accuracy) {
  int code = GT_OK;
  if (!gt_cli_gates_apply(gates, count, (gt_told){accuracy, sums->judged, sums->hard})) return GT_ERR_USAGE;
  for (int i = 0; i < count; i++) {
    const gt_metric_kind *kind = gt_metric_find(gates[i].metric);
    if (gt_gate_fails(&gates[i], kind ? kind->value(sums) : sums->weight)) code = GT_ERR_GATE;
  }
  return code;
}
