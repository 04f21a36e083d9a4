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

/* A count of ones is stored in binary, one plane per bit; this is the maximum number of planes. */
enum { GT_COUNT_PLANES = 32 };

struct gt_sliced {
  uint32_t inputs, groups;
  size_t gates, slots, outputs;
  instruction *code;
  gt_rows rows;
  uint32_t *output; /* places of the outputs */
  int planes;       /* number of bits that a group's count of ones needs */
  const struct gt_sliced_loops *loops;
};

/* The loops, compiled once for each instruction set. */
typedef struct gt_sliced_loops {
  const char *isa;
  void (*run)(const gt_sliced *sliced, uint64_t *memory);
  /* Counts the ones of group k for each sample of the block; plane p is at planes + p*GT_BLOCK_WORDS. */
  void (*count)(const gt_sliced *sliced, const uint64_t *memory, size_t k, uint64_t *planes);
  /* For each sample whose count is larger than its `best`: best = count, class = k. count and best have
   * `planes` planes, class_planes has GT_COUNT_PLANES. */
  void (*choose)(int planes, const uint64_t *count, uint64_t *best, uint64_t *class_planes, uint32_t k);
} gt_sliced_loops;

const gt_sliced_loops *gt_sliced_best_loops(void);
/* The loops that this machine can run, the fastest first; NULL after the last. */
const gt_sliced_loops *gt_sliced_loops_at(int index);
#endif
