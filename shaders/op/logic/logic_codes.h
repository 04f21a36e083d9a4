/* codes [gates] of logits [gates, 16]: the algebraic normal form (src/op/logic/logic_bits.h) of the function
 * with the largest logit, the first one if several are equal. */
#include "lib/args.h"
GT_ARGS(gt_logic_codes_args) {
  GT_FLOATS logits;
  GT_WORDS codes;
  uint gates;
};
