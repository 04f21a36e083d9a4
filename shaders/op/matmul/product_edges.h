/* Constants of the per-edge dgrad of a KAN layer with few outputs.
 *
 * The product of matmul.h in segments of few elements (factor.h): the gradient of a KAN layer's inputs where
 * it has few outputs. An invocation has a quad of neighbouring inputs in one line, and a share of the
 * functions: it takes that line of g into registers, times the factors of the edges if there are some, and
 * goes through its functions. Neighbouring invocations have neighbouring lines, and so read the same
 * coefficients at once. Nothing is staged: a workgroup that stages slices waits three times for each
 * function, an invocation that has all of them as long as all their derivatives take one after another. */
#include "op/matmul/matmul.h"
#define GT_EDGES_SPEC_OUTPUTS \
  3 /* elements of a segment that are not padding, GT_EDGES_MOST_OUTPUTS at most */

#define GT_EDGES_MOST_OUTPUTS 16
#define GT_EDGES_LINES        32 /* of a workgroup */
#define GT_EDGES_MOST_SHARES  16
