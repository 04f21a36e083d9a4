/* The kernel of row programs (src/op/rows.c). A row program is not an op of the graph: fusion builds it from
 * row reductions and the elementwise ops around them. */
#ifndef GT_OP_ROWS_H
#define GT_OP_ROWS_H
#include "step/lowering.h"

void gt_rows_lower(gt_lowering *lowering, const gt_group *group);

/* The pass over the row in which each reduction of a row program is computed, and the number of passes. */
typedef struct gt_row_passes {
  uint32_t pass_of[GT_PROGRAM_REDUCTIONS]; /* 0: unused, else 1 + the pass */
  uint32_t opcode[GT_PROGRAM_REDUCTIONS], count;
} gt_row_passes;
gt_row_passes gt_rows_passes(const gt_program *program);
/* Bit k is 1 if output k has one value per row (a reduction), 0 if one per element. */
uint32_t gt_rows_narrow(const gt_graph *graph, const gt_group *group);
#endif
