/* Typed columns of a table in the metadata of a model file (docs/model-format.md). */
#ifndef GT_TRAIN_MODEL_TABLE_H
#define GT_TRAIN_MODEL_TABLE_H
#include "data/column.h"
#include "data/data.h"
#include <jansson.h>

json_t *gt_table_json(const gt_table *table);
/* The table, in the arena. codes: the input has whole numbers, for embeddings. NULL if the JSON is not a
 * valid table. */
const gt_table *gt_table_from_json(const json_t *columns, bool codes, gt_arena *arena);
/* gt_input.fills as an array of `count` numbers, null for NaN. NULL if the JSON is not such an array. */
json_t *gt_fills_json(const float *fill, int64_t count);
const float *gt_fills_from_json(const json_t *fills, int64_t count, gt_arena *arena);
/* True if all inputs that read the same column describe it in the same way. */
bool gt_tables_agree(const gt_input *input, int inputs, gt_arena *arena);
#endif
