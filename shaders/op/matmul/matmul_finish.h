/* Arguments of the split-K reduction kernel.
 *
 * Second pass of a split product: y = epilogue(sum over s of partial[s]). A workgroup has quads of the
 * result, and adds their parts in sets side by side: where the result is small and parts are many, each would
 * wait for the one before. */
#include "lib/args.h"
#define GT_FINISH_SPEC_SETS  3  /* of parts, a power of two that the workgroup is a multiple of */
#define GT_FINISH_SPEC_QUADS 4  /* 1: count and row are multiples of four */
#define GT_FINISH_AT_ONCE    4u /* parts that an invocation asks for before it adds them */
GT_ARGS(gt_matmul_finish_args) {
  GT_FLOATS partial;
  GT_FLOATS x[4];
  GT_FLOATS y[2];
  GT_WORDS clock;
  uint count, row, split; /* count = batch * m * n, row = n */
};
