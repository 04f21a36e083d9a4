/* Shared by the interpreter (sliced.c) and its loops (sliced_run.c). Private to this room. */
#ifndef GT_CIRCUIT_SLICED_INTERNAL_H
#define GT_CIRCUIT_SLICED_INTERNAL_H
#include "circuit/sliced.h"

typedef struct instruction {
  uint32_t to, a, b; /* places of signals, each a block of GT_BLOCK_WORDS words */
} instruction;

typedef struct row { /* consecutive instructions with the same function */
  uint32_t op, count;
} row;

typedef struct gt_rows {
  row *items;
  size_t count, capacity;
} gt_rows;

/* Runs all rows on one block of samples. */
typedef void gt_sliced_loops(const gt_sliced *sliced, uint64_t *memory);

struct gt_sliced {
  size_t gates, slots;
  instruction *code;
  gt_rows rows;
  uint32_t *output; /* places of the outputs */
  gt_sliced_loops *loops;
};

/* The loops for each instruction set of this machine, the fastest first; NULL after the last. */
gt_sliced_loops *gt_sliced_loops_at(int index);
#endif
