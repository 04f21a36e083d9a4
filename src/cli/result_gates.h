/* --fail-if on the result of an evaluation: that of eval, or the last one of train. */
#ifndef GT_CLI_RESULT_GATES_H
#define GT_CLI_RESULT_GATES_H
#include "cli/common.h"

/* As gt_cli_gates, on the metrics that evaluations have. */
bool gt_cli_result_gates(const gt_arguments *arguments, gt_arena *arena, gt_gate **gates, int *count);
/* The metrics of a model's evaluations. */
typedef struct gt_told {
  bool accuracy; /* its loss counts correct answers */
  bool judged;   /* targets only measure its error: it has an rmse */
  bool hard;     /* it has a hard form in addition to the soft one that is trained */
} gt_told;
/* False after reporting, if a gate uses a metric that such a model does not have. */
bool gt_cli_gates_apply(const gt_gate *gates, int count, gt_told told);
/* GT_OK, GT_ERR_GATE if one fails, GT_ERR_USAGE if the model has no such metric. */
int gt_cli_check_gates(const gt_gate *gates, int count, const gt_sums *sums, bool accuracy);
#endif
