/* Constants of the kernels that use lines.glsl: small-N wgrad and dgrad of a KAN.
 *
 * Kernels that go through lines of few inputs' functions and of a gradient of few outputs: lines.glsl. A
 * workgroup has INPUTS neighbouring inputs, each invocation one of them, and as many lines at once as that
 * leaves invocations; it stages STAGED lines at a time. */
#define GT_LINES_SPEC_INPUTS  3 /* a power of two, at least 4 */
#define GT_LINES_SPEC_OUTPUTS 4
#define GT_LINES_SPEC_STAGED  5 /* a multiple of the lines at once */
#define GT_LINES_SPEC_QUADS   6 /* 1: all inputs are whole quads */
#define GT_LINES_SPEC_FETCHED 7 /* elements that an invocation asks for at once, about */
#define GT_LINES_SPEC_PLANES \
  11 /* 2: so many inputs again, of a base that is apart (op/kan/basis.h); else 1 */

#define GT_LINES_MOST_OUTPUTS 16
/* Quads of one line of the gradient in shared memory: an odd number, so that lines have banks of their own.
 */
#define GT_LINES_SPREAD(outputs) (((outputs) + 3u) / 4u | 1u)
