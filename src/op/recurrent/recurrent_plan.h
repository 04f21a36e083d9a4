/* The nodes of the recurrence and their kernels, shared by the files of the family. */
#ifndef GT_OP_RECURRENT_PLAN_H
#define GT_OP_RECURRENT_PLAN_H
#include "op/recurrent/recurrent.h"
#include "step/lowering.h"

/* Results of an LSTM's or GRU's node: the gates after their functions (a copy of nothing but in the memory of
 * the input product), h of all steps with the zeros before the first, and `extra` of shaders/op/recurrent/
 * recurrent.h. Of an RNN's node: only y. Results of a gradient: that of `gates`, and of a GRU's hidden
 * product. */
enum { GT_RECURRENT_Y = 1, GT_RECURRENT_EXTRA = 2 };

typedef struct gt_recurrent_attribute {
  uint32_t cell, reverse, biased, has_lengths;
  uint32_t is_gradient, last_only; /* last_only: the gradient of h after the last step is given, [B, H] */
} gt_recurrent_attribute;

typedef struct gt_recurrent_operands { /* the node's inputs; GT_NONE: it has no such */
  gt_id gates, w_hh, turned, bias;     /* turned: w_hh transposed */
  gt_id saved, extra, y, given;        /* of a gradient */
  gt_id lengths;
} gt_recurrent_operands;

typedef struct gt_recurrent_size {
  uint32_t steps, batch, hidden, width; /* width: of all gates */
} gt_recurrent_size;

bool gt_recurrent_is_gated(const gt_recurrent_attribute *a); /* LSTM or GRU */
gt_recurrent_operands gt_recurrent_operands_of(const gt_node *node);
gt_recurrent_size gt_recurrent_size_of(const gt_graph *graph, const gt_node *node);

void gt_recurrent_lower(gt_lowering *lowering, const gt_group *group);
void gt_recurrent_gradient_lower(gt_lowering *lowering, const gt_group *group);

/* CPU kernels of way A (src/op/recurrent/recurrent_cpu.c): a tile is GT_RECURRENT_ROWS rows for all steps. */
enum { GT_RECURRENT_ROWS = 6 };
void gt_recurrent_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_recurrent_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif
