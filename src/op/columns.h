/* The work distribution of kernels that reduce columns on a device (reduce_columns, moments): a workgroup
 * covers 4 * `across` columns, as `across` vec4s; an invocation reduces every `down`-th row of one vec4. */
#ifndef GT_OP_COLUMNS_H
#define GT_OP_COLUMNS_H
#include "step/lowering.h"

/* Up to this many rows kernel `reduce` lets one invocation reduce a whole column, and a GEMM epilogue leaves
 * moments to their own kernel. gt_columns_choose does not use it. */
enum { GT_COLUMNS_SERIAL = 64 };

typedef struct gt_columns {
  uint32_t across, down; /* vec4s of columns, and rows at once, per workgroup */
  uint32_t tiles;        /* workgroups side by side that cover all columns */
  uint32_t workgroup;    /* invocations: across * down */
} gt_columns;
/* Chooses the distribution for `rows` rows of `quads` vec4s. is_partial: the rows are results of an earlier
 * pass. */
gt_columns gt_columns_choose(const gt_lowering *lowering, uint32_t rows, uint32_t quads, bool is_partial);
/* Number of rows that this pass reduces to one, for `outer` matrices of `rows` rows; `rows` if it is the last
 * pass. */
uint32_t gt_columns_chunk(const gt_target *target, const gt_columns *columns, uint32_t rows, uint32_t outer);
#endif
