/* Constants of the kernels that use lines.glsl: wgrad and dgrad of a KAN layer with few outputs. A workgroup
 * has INPUTS neighboring inputs, one per invocation, and OUTPUTS columns of a gradient. It stages STAGED
 * lines (samples) of both at a time and processes LOCAL_X / INPUTS of them at once. */
#define GT_LINES_SPEC_INPUTS  3 /* a power of two, at least 4 */
#define GT_LINES_SPEC_OUTPUTS 4
#define GT_LINES_SPEC_STAGED  5  /* a multiple of LOCAL_X / INPUTS */
#define GT_LINES_SPEC_QUADS   6  /* 1: the number of inputs is a multiple of 4 */
#define GT_LINES_SPEC_FETCHED 7  /* gradient elements, or partial sums, that a thread loads at once */
#define GT_LINES_SPEC_PLANES  11 /* 2: a base that is apart has inputs of its own (op/kan/basis.h); else 1 */

#define GT_LINES_MOST_OUTPUTS 16
/* Quads from one line of the gradient to the next in shared memory: an odd number, against bank conflicts. */
#define GT_LINES_SPREAD(outputs) (((outputs) + 3u) / 4u | 1u)
