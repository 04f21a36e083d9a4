/* Reasons to doubt a formula that `gtrain explain` has found. */
#ifndef GT_CLI_EXPLAIN_DOUBT_H
#define GT_CLI_EXPLAIN_DOUBT_H
#include "cli/explain_model.h"

/* Adds them to the findings of the config (doubtful_formula), naming the outputs they are about. */
void gt_explained_doubts(gt_explained *e);
#endif
