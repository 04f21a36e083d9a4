/* The work distribution of kernels that reduce columns on a device (reduce_columns, moments): a workgroup has
 * `across` vec4s of columns; an invocation reduces every `down`-th row of one of them. */
#ifndef GT_OP_COLUMNS_H
#define GT_OP_COLUMNS_H
#include "step/lowering.h"

enum { GT_COLUMNS_SERIAL = 64 }; /* up to this many rows, one invocation reduces all of them */

typedef struct gt_columns {
  uint32_t across, down, tiles, workgroup; /* vec4s and rows per workgroup; workgroups along the columns */
} gt_columns;
/* Chooses the distribution for `rows` rows of `quads` vec4s. left: the rows are results of an earlier
 * pass. */
gt_columns gt_columns_cut(const gt_lowering *lowering, uint32_t rows, uint32_t quads, bool left);
/* How many of the `rows` rows of each of `outer` matrices are reduced to one in this pass; `rows` if it is
 * the last pass. */
uint32_t gt_columns_chunk(const gt_target *target, const gt_columns *columns, uint32_t rows, uint32_t outer);
#endif
