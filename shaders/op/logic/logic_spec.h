/* Specialization constants of the kernels that include op/logic/logic.glsl; shared by C and GLSL. */
#ifndef GT_LOGIC_SPEC_H
#define GT_LOGIC_SPEC_H
/* Invocations that share a unit of work, a power of two that divides the size of the workgroup. */
#define GT_LOGIC_SPEC_LANES     3
#define GT_LOGIC_SPEC_QUADS     4 /* 1: the batch is a multiple of 4 */
#define GT_LOGIC_SPEC_SLICE     5 /* vec4s of a row per slice; 0: the whole row */
#define GT_LOGIC_SPEC_X         6 /* type of x: GT_LOGIC_F32, … */
#define GT_LOGIC_SPEC_G         7 /* type of g */
#define GT_LOGIC_SPEC_Y         8 /* type of y */
#define GT_LOGIC_SPEC_TO_LOGITS 9 /* logic_coefficient_sums. 1: y is the gradient of the logits */
#define GT_LOGIC_SPEC_GROUPS    9 /* logic_walk_sum: the number of groups */

/* Types of values. */
#define GT_LOGIC_F32  0
#define GT_LOGIC_F16  1
#define GT_LOGIC_BF16 2
#endif
