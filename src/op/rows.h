/* The kernel of row programs (src/op/rows.c): no op, but what fusion makes of reductions of rows and of the
 * elementwise work around them. */
#ifndef GT_OP_ROWS_H
#define GT_OP_ROWS_H
#include "step/lowering.h"

void gt_rows_lower(gt_lowering *lowering, const gt_group *group);

/* When each reduction of a row program can be joined, and in how many passes over the row all are. */
typedef struct gt_row_passes {
  uint32_t of[GT_PROGRAM_REDUCTIONS]; /* 0: there is none, else 1 + its pass */
  uint32_t opcode[GT_PROGRAM_REDUCTIONS], count;
} gt_row_passes;
gt_row_passes gt_rows_passes(const gt_program *program);
/* A bit for each output that has one value a row. */
uint32_t gt_rows_narrow(const gt_graph *graph, const gt_group *group);
#endif
