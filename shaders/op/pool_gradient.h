/* Arguments of kernel `pool_gradient` (op/pool_spec.h). */
#include "lib/args.h"
#include "op/pool_spec.h"
GT_ARGS(gt_pool_gradient_args) {
  GT_FLOATS output_gradient; /* gradient of the pool's result */
  GT_WORDS index;            /* of each maximum, as written by kernel `pool` */
  GT_FLOATS x[4];            /* epilogue inputs */
  GT_FLOATS y[2];            /* epilogue outputs */
  GT_WORDS clock;
  uint batch, channels;
  uint in_size[3], out_size[3]; /* elements and windows along each axis of the pool's input */
};
