/* Converts between floats x [batch, values] and words of 32 samples, [values, words] or, with BY_WORD,
 * [words, values]. logic_pack: bit = x > 0.5, 0 beyond the batch; logic_unpack: x = bit. */
#include "lib/args.h"
#define GT_LOGIC_PACK_SPEC_BY_WORD 3
GT_ARGS(gt_logic_pack_args) {
  GT_FLOATS x;
  GT_WORDS packed;
  uint batch, values, words;
};
