/* Reasons to doubt a formula that `gtrain explain` has found. */
#ifndef GT_CLI_EXPLAIN_DOUBT_H
#define GT_CLI_EXPLAIN_DOUBT_H
#include "cli/explain_model.h"

/* Adds one warning `doubtful_formula` for each reason to e->config.diagnostics. It names the outputs that are
 * doubtful. */
void gt_explained_doubts(gt_explained *e);
#endif
