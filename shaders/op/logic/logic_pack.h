/* Converts between floats x [batch, values] and bits, packed into words of 32 samples each: [values, words]
 * or, with BY_WORD, [words, values].
 *
 * Kernel logic_pack: bit = x > 0.5, or 0 after the end of the batch. Kernel logic_unpack: x = bit. */
#include "lib/args.h"
#define GT_LOGIC_PACK_SPEC_BY_WORD 3
GT_ARGS(gt_logic_pack_args) {
  GT_FLOATS x;
  GT_WORDS packed;
  uint batch, values, words;
};
