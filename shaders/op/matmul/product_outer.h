/* Constants of the small-N wgrad of a KAN layer or of a narrow linear layer.
 *
 * The product of matmul.h, Aᵀ B with few columns, summed over many lines of both: the gradient of the
 * coefficients of a KAN layer of few outputs, or with a dense A that of as narrow a layer's weights. An
 * invocation has the sums of one input, all its functions by OUTPUTS columns, in registers, and makes the
 * functions of every so many-th line of its part of k (lines.h). In the end the sums that invocations have of
 * the same input are joined in shared memory, ROUND functions at a time, and go to `partial`: k is always cut
 * into parts. */
#include "op/matmul/lines.h"
#include "op/matmul/matmul.h"
#define GT_OUTER_SPEC_ROUND 8
#define GT_OUTER_SPEC_PART  9 /* lines of a part */
/* GT_MATMUL_SPEC_SPLIT and _ARRIVE as in matmul.h. */
