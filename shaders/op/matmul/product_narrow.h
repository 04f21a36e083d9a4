/* Constants of the wgrad of a convolution with few input channels.
 *
 * The product of matmul.h, Aᵀ B with a dense A and few columns, patches, summed over many lines of both: the
 * gradient of a convolution's weights where it has few input channels. A workgroup has all columns for 4 *
 * QUADS rows, and of the lines those of its part, POSITIONS = 4 * GROUPS * SETS at a time; their patches are
 * made in shared memory. An invocation sums four rows by TAPS columns, the groups of which cover all, over
 * four neighbouring lines at a time, of which the sets take turns. Partial sums always go to `partial`. */
#include "op/matmul/matmul.h"
#include "op/matmul/stage.h"
#define GT_NARROW_SPEC_QUADS  3 /* a power of two, at least 4 */
#define GT_NARROW_SPEC_GROUPS 4 /* a power of two */
#define GT_NARROW_SPEC_SETS   5 /* a power of two; a workgroup is of QUADS * GROUPS * SETS */
#define GT_NARROW_SPEC_TAPS   6 /* GT_NARROW_MOST_TAPS at most */
#define GT_NARROW_SPEC_CHUNK  8 /* lines of a part */

#define GT_NARROW_MOST_TAPS 9
