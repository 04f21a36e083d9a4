/* Arguments of kernel `pool` (op/pool_spec.h). */
#include "lib/args.h"
#include "op/pool_spec.h"
GT_ARGS(gt_pool_args) {
  GT_FLOATS x[8]; /* inputs of the prologue */
  GT_FLOATS y;
  GT_WORDS index; /* of each maximum */
  GT_WORDS clock;
  GT_WORDS layout_; /* for loads of the prologue */
  uint batch, channels;
  uint in_size[3], out_size[3]; /* elements and windows along each axis */
};
