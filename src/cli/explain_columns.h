/* The importance of the columns of a table: `gtrain explain` for models that have no formula, and the line at
 * the end of `gtrain train`. */
#ifndef GT_CLI_EXPLAIN_COLUMNS_H
#define GT_CLI_EXPLAIN_COLUMNS_H
#include "cli/common.h"
#include "train/importance.h"

/* True with --importance, or for a single model of a table that has no formula, if no option asks for one. */
bool gt_explains_columns(const gt_arguments *arguments);
/* Measures and prints the importance of each column; the exit code. */
int gt_explain_columns(const gt_arguments *arguments);

/* An array of objects, the most important column first. full: with losses, metric and deviations. */
json_t *gt_importance_json(const gt_importance *importance, bool full);
/* "most important columns: …" on stderr: at most three whose shuffling raises the loss; nothing if there is
 * none. */
void gt_cli_say_importance(const gt_importance *importance);
#endif
