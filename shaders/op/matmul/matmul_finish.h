/* Second pass of a split product: y = epilogue(sum over s of partial[s]). */
#include "lib/args.h"
#define GT_FINISH_QUADS 8u /* of a workgroup of matmul_finish_many, which is a multiple of that */
GT_ARGS(gt_matmul_finish_args) {
  GT_FLOATS partial;
  GT_FLOATS x[4];
  GT_FLOATS y[2];
  GT_WORDS clock;
  uint count, row, split; /* count = batch * m * n, row = n */
};
