/* One step of a logic-gate automaton whose cells hold words, a bit a board: logic_ca.h with bits for numbers.
 * Kernels logic_ca_bits4, 2 and 1. from, to: [cells, channels] words; codes: src/op/logic_bits.h. */
#include "lib/args.h"
GT_ARGS(gt_logic_ca_bits_args) {
  GT_WORDS from, to, codes, wiring, shape, clock;
  uint step, cells, wires, purpose; /* cells: of all words of boards; wires: of each row of the wiring */
  float fire_rate;
};
