/* logits [gates, 16] to codes [gates]: the algebraic normal form of the gate with the largest logit, the
 * first one if several are equal (src/op/logic/logic_bits.h). */
#include "lib/args.h"
GT_ARGS(gt_logic_codes_args) {
  GT_FLOATS logits;
  GT_WORDS codes;
  uint gates;
};
