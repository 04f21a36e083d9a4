/* The weights of the steps of sequences with different lengths (src/op/step_weights.h): y [batch, steps], or
 * [steps, batch] if TIME_MAJOR. Steps after the end have the weight 0. */
#include "lib/args.h"
#define GT_STEP_WEIGHTS_SPEC_KIND       3
#define GT_STEP_WEIGHTS_SPEC_TIME_MAJOR 4
/* Values of GT_STEP_WEIGHTS_SPEC_KIND. */
#define GT_WEIGHT_COUNTED 0 /* each step has the weight 1 */
#define GT_WEIGHT_MEAN    1 /* each step has the weight 1 / length */
#define GT_WEIGHT_LAST    2 /* the last step has the weight 1, all others 0 */
GT_ARGS(gt_step_weights_args) {
  GT_WORDS lengths; /* [batch] */
  GT_FLOATS y;
  uint steps, batch;
};
