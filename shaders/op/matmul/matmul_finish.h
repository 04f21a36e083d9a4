/* Arguments of the split-K reduction kernel: y = epilogue(sum over s of partial[s]). A workgroup computes
 * some vec4s of the result. If the result is small and there are many parts, the parts are divided into sets
 * that different invocations add, because a single invocation would wait for one load after another. */
#include "lib/args.h"
#define GT_FINISH_SPEC_SETS  3  /* sets of parts, a power of two that divides the size of the workgroup */
#define GT_FINISH_SPEC_QUADS 4  /* 1: count and row_length are multiples of 4 */
#define GT_FINISH_AT_ONCE    4u /* parts that an invocation loads at once */
GT_ARGS(gt_matmul_finish_args) {
  GT_FLOATS partial;
  GT_FLOATS x[4];
  GT_FLOATS y[2];
  GT_WORDS clock;
  uint count, row_length, split; /* count = batch * m * n, row_length = n */
};
