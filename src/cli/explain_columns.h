/* The importance of the columns of a table: `gtrain explain` for models that have no formula, and the line at
 * the end of `gtrain train`. */
#ifndef GT_CLI_EXPLAIN_COLUMNS_H
#define GT_CLI_EXPLAIN_COLUMNS_H
#include "cli/common.h"
#include "train/eval/importance.h"

/* True if `explain` ranks columns: with --importance, or for a single model of a table that is not a network
 * with a formula, if no option is about formulas. */
bool gt_explains_columns(const gt_arguments *arguments);
/* Measures and prints the importance of each column; returns the exit code. */
int gt_explain_columns(const gt_arguments *arguments);

/* An array of objects, the most important column first. full: with loss, metric and deviations; otherwise
 * only with the change of the loss. */
json_t *gt_importance_json(const gt_importance *importance, bool full);
/* Prints "most important columns: …" to stderr: at most three columns whose shuffling raises the loss. Prints
 * nothing if there is none. */
void gt_cli_log_importance(const gt_importance *importance);
#endif
