/* The walk over a layer of logic gates (op/logic/logic.h) whose inputs are read exactly twice each, as a
 * random wiring of as many gates as inputs is. Seen as a graph with the inputs as nodes and the gates as
 * edges it is made of circles; going around them, each gate shares an input with the one before. A kernel
 * that takes a few neighbours of the walk at a time (a run) reads each value once instead of twice, and has
 * both gates that give an input its gradient in hand: it reads x and the gradient once, where a kernel for
 * the inputs and one for the coefficients would read them seven times. Private to the logic ops. */
#ifndef GT_OP_LOGIC_WALK_H
#define GT_OP_LOGIC_WALK_H
#include "step/lowering.h"

/* True if that input of a layer is a walk, not an inverse. */
bool gt_logic_is_walk(const gt_graph *graph, gt_id readers);
/* The type of a node's value, as the kernels number them: GT_LOGIC_F32, … (shaders/op/logic/logic_spec.h). */
uint32_t gt_logic_type(const gt_graph *graph, gt_id node);
/* Lanes that share a run of gates: enough to fill the device, as far as there are samples for them. */
uint32_t gt_logic_lanes(const gt_target *target, uint32_t width, uint32_t runs, uint32_t workgroup);
/* The step of node `logic`: its gates along the walk. */
void gt_logic_walk_lower(gt_lowering *lowering, gt_id logic);
/* The group sums [B, groups] of node `logic` (a walk's), times scale; the gates' values go nowhere. GT_NONE
 * if there are too many groups for that. */
gt_id gt_logic_walk_sum(gt_graph *graph, gt_id logic, int64_t groups, double scale);
/* Both gradients of node `logic` in one kernel: of x (if wanted) and of the coefficients. */
void gt_logic_walk_gradient(gt_graph *graph, gt_id logic, gt_id gradient, const bool *wanted,
                            gt_id *input_gradient);
#endif
