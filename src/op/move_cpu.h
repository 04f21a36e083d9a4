/* The movement kernel (src/op/move_cpu.c), and the words per axis of the layout that it and its shader read
 * (shaders/op/move.h). */
#ifndef GT_OP_MOVE_CPU_H
#define GT_OP_MOVE_CPU_H
#include "step/step.h"

enum { GT_MOVE_TILE = 16384 }; /* elements per tile */
enum {
  GT_MOVE_DIM,
  GT_MOVE_MUL,
  GT_MOVE_ADD,
  GT_MOVE_DIV,
  GT_MOVE_LIMIT,
  GT_MOVE_STRIDE,
  GT_MOVE_OUT,
  GT_MOVE_WORDS
};

extern const gt_kernel gt_move_kernel;
#endif
