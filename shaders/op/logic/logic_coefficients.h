/* logits [gates, 16] to coefficients [gates, 4], one gate per invocation. */
#include "lib/args.h"
#define GT_LOGIC_COEFFICIENTS_SPEC_MODE 3
/* Modes. */
#define GT_LOGIC_MIXTURE 0 /* by softmax */
#define GT_LOGIC_HARD    1 /* only the gate with the (first) largest logit */
#define GT_LOGIC_GRADIENT \
  2 /* y [gates, 16] = gradient of the logits, g [gates, 4] that of the coefficients */
GT_ARGS(gt_logic_coefficients_args) {
  GT_FLOATS logits, g, y;
  uint gates;
};
