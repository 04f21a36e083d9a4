/* The nodes of the recurrence and their kernels, shared by the files of the family. */
#ifndef GT_OP_RECURRENT_PLAN_H
#define GT_OP_RECURRENT_PLAN_H
#include "op/recurrent/recurrent.h"
#include "step/lowering.h"

/* Results of the node of an LSTM or GRU: the activated gates (in place of `gates` if nothing else reads
 * these), y: h of all steps with zeros before the first, and `extra` (shaders/op/recurrent/recurrent.h). The
 * node of an RNN has only y. Results of a gradient node: the gradient of `gates` and, for a GRU, of the
 * hidden product. */
enum { GT_RECURRENT_Y = 1, GT_RECURRENT_EXTRA = 2 };

typedef struct gt_recurrent_attribute {
  uint32_t cell, reverse, biased, has_lengths;
  uint32_t is_gradient, last_only; /* last_only: dy is the gradient of h after the last step, [B, H] */
} gt_recurrent_attribute;

typedef struct gt_recurrent_operands { /* the node's inputs; GT_NONE: it has no such input */
  gt_id gates, w_hh, transposed, bias; /* transposed: w_hh as [H, H, G] */
  gt_id saved, extra, y, dy;           /* of a gradient node; dy: the gradient of the outputs */
  gt_id lengths;
} gt_recurrent_operands;

typedef struct gt_recurrent_size {
  uint32_t steps, batch, hidden, width; /* width: gates times hidden */
} gt_recurrent_size;

bool gt_recurrent_is_gated(const gt_recurrent_attribute *a); /* LSTM or GRU */
gt_recurrent_operands gt_recurrent_operands_of(const gt_node *node);
gt_recurrent_size gt_recurrent_size_of(const gt_graph *graph, const gt_node *node);

void gt_recurrent_lower(gt_lowering *lowering, const gt_group *group);
void gt_recurrent_gradient_lower(gt_lowering *lowering, const gt_group *group);

/* CPU kernels (src/op/recurrent/recurrent_cpu.c): a tile computes all steps of GT_RECURRENT_ROWS rows. */
enum { GT_RECURRENT_ROWS = 6 };
void gt_recurrent_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_recurrent_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif
