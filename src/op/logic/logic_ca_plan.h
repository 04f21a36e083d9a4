/* Lowering of the automaton's ops, and the layout of a workgroup's shared memory
 * (src/op/logic/logic_ca_plan.c). Private to the op. */
#ifndef GT_OP_LOGIC_CA_PLAN_H
#define GT_OP_LOGIC_CA_PLAN_H
#include "op/logic/logic_ca.h"
#include "step/lowering.h"

/* True if a workgroup of one cell fits in the 16 KiB of shared memory that every Vulkan device has. */
bool gt_logic_ca_fits(const gt_logic_ca_attribute *attribute, gt_shape state);
/* Sets the specialization constants that the kernels for floats and for bits share. */
void gt_logic_ca_set_spec(gt_step *step, const gt_logic_ca_attribute *attribute, gt_shape state,
                          uint32_t shared, uint32_t channels);
void gt_logic_ca_lower(gt_lowering *lowering, const gt_group *group);
void gt_logic_ca_gradient_lower(gt_lowering *lowering, const gt_group *group);
#endif
