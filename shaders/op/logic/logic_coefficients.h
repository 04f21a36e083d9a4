/* logits [gates, 16] to coefficients [gates, 4], a gate an invocation. Own spec constant 3, mode: 0 the
 * mixture by softmax; 1 the first largest logit's gate alone; 2 y [gates, 16] = gradient of the logits, g
 * [gates, 4] that of the coefficients. */
#include "lib/args.h"
GT_ARGS(gt_logic_coefficients_args) {
  GT_FLOATS logits, g, y;
  uint gates;
};
