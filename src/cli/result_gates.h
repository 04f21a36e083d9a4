/* --fail-if on the result of an evaluation: that of eval, or the last one of train. */
#ifndef GT_CLI_RESULT_GATES_H
#define GT_CLI_RESULT_GATES_H
#include "cli/common.h"

/* gt_cli_gates for the metrics of evaluations. */
bool gt_cli_result_gates(const gt_arguments *arguments, gt_gate **gates, int *count);
/* Finds the results of the gates and adds their metrics to those that evaluations compute. False after an
 * error, which is reported, if one cannot be computed, or if no value of it is near the limit. */
bool gt_cli_gates_apply(const gt_arguments *arguments, gt_gate *gates, int count, gt_config *config);
/* GT_OK, GT_ERR_GATE if one fails, GT_ERR_USAGE if the model has no such metric. */
int gt_cli_check_gates(const gt_gate *gates, int count, const gt_results *results);
#endif
