#include "lib/args.h"
#include "op/pool_spec.h"
GT_ARGS(gt_pool_args) {
  GT_FLOATS x, y;
  GT_WORDS index;
  uint batch, channels;
  uint in_size[3], out_size[3];
  float divisor; /* of a mean; 0: the number of elements */
};
