/* The input columns of a table, as `check` shows them. */
#ifndef GT_CLI_CHECK_COLUMNS_H
#define GT_CLI_CHECK_COLUMNS_H
#include "data/data.h"
#include <jansson.h>

void gt_check_print_columns(const gt_dataset *dataset); /* prints nothing if the data is not a table */
json_t *gt_check_columns_json(const gt_dataset *dataset);
#endif
