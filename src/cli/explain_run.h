/* The formula at the end of a run with a symbolic phase, for `gtrain train`. */
#ifndef GT_CLI_EXPLAIN_RUN_H
#define GT_CLI_EXPLAIN_RUN_H
#include "train/config/config.h"
#include <jansson.h>

/* Prints "TARGET = FORMULA" for each output if a phase of the run turned edges into functions, and warns if a
 * formula is doubtful. Prints nothing for models of more than 12 edges, or if the search for a formula takes
 * more than half a second: `gtrain explain` searches longer. model: the run's model.bin. */
void gt_cli_print_formulas(const gt_config *config, const char *model);
/* The same as JSON: adds the array "formulas" to root. */
void gt_cli_add_formulas(json_t *root, const gt_config *config, const char *model);
#endif
