/* The weights of steps of sequences (src/op/step_weights.h): y [batch, steps], or [steps, batch] if
 * TIME_MAJOR. */
#include "lib/args.h"
#define GT_STEP_WEIGHTS_SPEC_KIND       3
#define GT_STEP_WEIGHTS_SPEC_TIME_MAJOR 4
#define GT_WEIGHT_COUNTED               0
#define GT_WEIGHT_MEAN                  1
#define GT_WEIGHT_LAST                  2
GT_ARGS(gt_step_weights_args) {
  GT_WORDS lengths;
  GT_FLOATS y;
  uint steps, batch;
};
