/* One step of a logic-gate automaton on bits: a cell has one word per channel, with one bit for each of 32
 * boards (src/op/logic/logic_ca_bits.c); further boards have cells of their own. The number in the names of
 * the kernels logic_ca_bits4, logic_ca_bits2 and logic_ca_bits1 is the number of cells per workgroup, which
 * are the components of a vector.
 *
 * from, to: the state before and after the step, words [cells, channels]. codes: src/op/logic/logic_bits.h.
 * shape has GT_CA_BITS_WORDS words per layer, the perception's layers first: width, inputs, first gate, first
 * wire. */
#include "lib/args.h"
#include "op/logic/logic_ca_spec.h"
#define GT_CA_BITS_WORDS 4
GT_ARGS(gt_logic_ca_bits_args) {
  GT_WORDS from, to, codes, wiring, shape, clock;
  uint step, cells, wires, purpose; /* cells: of a board, times words; wires: length of a row of the wiring */
  float fire_rate;
};
