/* Between floats x [batch, values] and words of 32 samples, [values, words] or, with BY_WORD,
 * [words, values]. logic_pack: words = x > 0.5, zeros beyond the batch; logic_unpack: x = the bits. */
#include "lib/args.h"
#define GT_LOGIC_PACK_SPEC_BY_WORD 3
GT_ARGS(gt_logic_pack_args) {
  GT_FLOATS x;
  GT_WORDS packed;
  uint batch, values, words;
};
