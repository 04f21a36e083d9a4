/* How a device's kernels that join columns are cut (reduce_columns, moments): a workgroup has some quads of
 * columns, an invocation every so many-th row of one. */
#ifndef GT_OP_COLUMNS_H
#define GT_OP_COLUMNS_H
#include "step/lowering.h"

enum { GT_COLUMNS_SERIAL = 64 }; /* rows so few that one invocation does them in turn */

typedef struct gt_columns {
  uint32_t across, down, tiles, workgroup; /* quads and rows at once; workgroups side by side */
} gt_columns;
/* left: the rows are what a pass before left. */
gt_columns gt_columns_cut(const gt_lowering *lowering, uint32_t rows, uint32_t quads, bool left);
/* How many rows are joined in this pass, of each of `outer` matrices; all: it is the last one. */
uint32_t gt_columns_chunk(const gt_target *target, const gt_columns *columns, uint32_t rows, uint32_t outer);
#endif
