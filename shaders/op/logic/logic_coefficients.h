/* Coefficients y [gates, 4] from logits [gates, 16], and the gradient; one gate per invocation. */
#include "lib/args.h"
#define GT_LOGIC_COEFFICIENTS_SPEC_MODE 3
/* Modes. */
#define GT_LOGIC_MIXTURE  0 /* the mixture of the 16 functions, weighted by softmax */
#define GT_LOGIC_HARD     1 /* the function with the largest logit, the first one if several are equal */
#define GT_LOGIC_GRADIENT 2 /* y [gates, 16] = gradient of the logits; g [gates, 4]: of the coefficients */
GT_ARGS(gt_logic_coefficients_args) {
  GT_FLOATS logits, g, y;
  uint gates;
};
