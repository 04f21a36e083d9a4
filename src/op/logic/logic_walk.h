/* The walk over a layer of logic gates (op/logic/logic.h) in which each input is read exactly twice, as in a
 * random wiring with as many gates as inputs. As a graph, with the inputs as nodes and the gates as edges,
 * the layer consists of cycles; along a cycle each gate shares an input with the one before. A kernel that
 * computes a few consecutive gates of the walk (a run) reads each value once instead of twice. In the
 * backward pass it has both gates that contribute to the gradient of an input, so it reads x and the gradient
 * once; separate kernels for inputs and coefficients would read them seven times. Private to the logic
 * ops. */
#ifndef GT_OP_LOGIC_WALK_H
#define GT_OP_LOGIC_WALK_H
#include "step/lowering.h"

/* True if `readers` of a layer is a walk, not an inverse wiring. */
bool gt_logic_is_walk(const gt_graph *graph, gt_id readers);
/* The type of a node's value as a kernel constant: GT_LOGIC_F32, … (shaders/op/logic/logic_spec.h). */
uint32_t gt_logic_type(const gt_graph *graph, gt_id node);
/* Lanes that share a run of gates: enough to fill the device, but hardly more than `width`, the items of a
 * row. */
uint32_t gt_logic_lanes(const gt_target *target, uint32_t width, uint32_t runs, uint32_t workgroup);
/* Emits the step of node `logic`, which computes its gates along the walk. */
void gt_logic_walk_lower(gt_lowering *lowering, gt_id logic);
/* The group sums [B, groups] of node `logic`, which has a walk, times scale; the values of the gates are not
 * stored. GT_NONE if there are too many groups. */
gt_id gt_logic_walk_sum(gt_graph *graph, gt_id logic, int64_t groups, double scale);
/* Both gradients of node `logic` in one kernel: of x (if needed) and of the coefficients. */
void gt_logic_walk_gradient(gt_graph *graph, gt_id logic, gt_id gradient, const bool *wanted,
                            gt_id *input_gradient);
#endif
