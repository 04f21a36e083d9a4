/* Specialization constants that have the same id in every kernel. Shared by C and GLSL. The constants of a
 * kernel or a family are defined in its header in shaders/op, from id 3 on, and those of an elementwise
 * program in lib/opcodes.h. No other file contains these numbers. */
#ifndef GT_SPEC_H
#define GT_SPEC_H
#define GT_SPEC_LOCAL_X 0 /* the size of the workgroup */
#define GT_SPEC_LOCAL_Y 1
#define GT_SPEC_LOCAL_Z 2
#define GT_SPEC_OWN     3 /* the lowest id for the constants of a kernel */
/* 1: buffer addresses are multiples of 16, so vec4 accesses are allowed. Set by the backend. */
#define GT_SPEC_ALIGNED 15
/* 1: the kernel sets a flag word to 0 if a value that it writes is not finite (gt_lower_check). */
#define GT_SPEC_CHECKED 95
/* For kernels with lib/row.glsl. 1: one row per invocation; 0: one row per workgroup. */
#define GT_SPEC_PER_LANE 4
#endif
