/* The weights of the steps of sequences with different lengths (src/op/step_weights.h): y [batch, steps], or
 * [steps, batch] if TIME_MAJOR. Steps after the end have the weight 0. */
#include "lib/args.h"
#define GT_STEP_WEIGHTS_SPEC_KIND       3
#define GT_STEP_WEIGHTS_SPEC_TIME_MAJOR 4
/* Values of GT_STEP_WEIGHTS_SPEC_KIND: the weight of a step. */
#define GT_WEIGHT_COUNTED 0 /* 1 */
#define GT_WEIGHT_MEAN    1 /* 1 / length */
#define GT_WEIGHT_LAST    2 /* 1 for the last step, otherwise 0 */
GT_ARGS(gt_step_weights_args) {
  GT_WORDS lengths; /* [batch] */
  GT_FLOATS y;
  uint steps, batch;
};
