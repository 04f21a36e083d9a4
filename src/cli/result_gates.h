/* --fail-if on the result of an evaluation: that of eval, or the last one of train. */
#ifndef GT_CLI_RESULT_GATES_H
#define GT_CLI_RESULT_GATES_H
#include "cli/common.h"

/* gt_cli_gates for the metrics of evaluations. */
bool gt_cli_result_gates(const gt_arguments *arguments, gt_arena *arena, gt_gate **gates, int *count);
/* Adds the metrics of the gates to those that evaluations compute. False after an error, which is reported,
 * if one cannot be computed. */
bool gt_cli_gates_apply(gt_gate *gates, int count, gt_config *config);
/* GT_OK, GT_ERR_GATE if one fails, GT_ERR_USAGE if the model has no such metric. */
int gt_cli_check_gates(const gt_gate *gates, int count, const gt_results *results);
#endif
