/* A layer of logic gates on bits, one word per 32 samples: y [gates, words] from x [inputs, words], codes
 * [gates] (src/op/logic/logic_bits.h) and wiring [2, gates]. */
#include "lib/args.h"
GT_ARGS(gt_logic_bits_args) {
  GT_WORDS x, codes, wiring, y;
  uint inputs, gates, words;
};
