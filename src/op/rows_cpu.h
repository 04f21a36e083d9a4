/* The CPU kernel of row programs (src/op/rows_cpu.c), and what the lowering (src/op/rows.c) also uses: which
 * instructions reduce a row, and the number of tiles. */
#ifndef GT_OP_ROWS_CPU_H
#define GT_OP_ROWS_CPU_H
#include "lib/opcodes.h"
#include <stdbool.h>
#include <stdint.h>

/* True for instructions that reduce a row. */
static inline bool gt_reduces_row(uint32_t opcode) {
  return opcode >= GT_I_ROW_SUM && opcode <= GT_I_ROW_MIN;
}

struct gt_rows_args;
uint32_t gt_rows_tiles(const struct gt_rows_args *args);
void gt_rows_cpu(const void *arguments, const uint32_t *spec, uint32_t tile);
#endif
