/* Specialization constants that have the same number in every kernel. Shared by C and GLSL, as are those of a
 * kernel or a family, which stand in its header in shaders/op, from 3 on; those of an elementwise program
 * stand in lib/opcodes.h. A number is written there and nowhere else. */
#ifndef GT_SPEC_H
#define GT_SPEC_H
#define GT_SPEC_LOCAL_X 0 /* the workgroup's size */
#define GT_SPEC_LOCAL_Y 1
#define GT_SPEC_LOCAL_Z 2
#define GT_SPEC_OWN     3 /* the first of a kernel's own */
/* 1: the buffers' addresses are multiples of 16, so that four elements may move at once. Set by the backend.
 */
#define GT_SPEC_ALIGNED 15
/* 1: the word at the kernel's flag becomes 0 if a value that it writes is not finite (gt_lower_check). */
#define GT_SPEC_CHECKED 95
/* Of kernels with lib/row.glsl. 1: an invocation has a row to itself; 0: a workgroup. */
#define GT_SPEC_PER_LANE 4
#endif
