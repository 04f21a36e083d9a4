/* `gtrain explain --pareto`: formulas from simple to exact. */
#ifndef GT_CLI_EXPLAIN_PARETO_H
#define GT_CLI_EXPLAIN_PARETO_H
#include "cli/explain_model.h"
#include "kan/formula_text.h"

/* Prints the front (kan/symbolic_front.h) as a table, or as JSON. The model's formula must have been found.
 */
void gt_explained_pareto(gt_explained *e, gt_formula_style style, bool json);
#endif
