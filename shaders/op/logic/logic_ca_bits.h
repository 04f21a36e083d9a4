/* One step of a logic-gate automaton on bits: a cell has one word per channel, with one bit per board
 * (src/op/logic/logic_ca_bits.c). Kernels logic_ca_bits4, 2 and 1: the number is the number of cells per
 * workgroup, which are the components of a vector. from, to: [cells, channels] words; codes:
 * src/op/logic/logic_bits.h; shape: GT_CA_BITS_WORDS words per layer, perception first: width, inputs, first
 * gate, first wire. */
#include "lib/args.h"
#include "op/logic/logic_ca_spec.h"
#define GT_CA_BITS_WORDS 4
GT_ARGS(gt_logic_ca_bits_args) {
  GT_WORDS from, to, codes, wiring, shape, clock;
  uint step, cells, wires, purpose; /* cells: of all words of boards; wires: length of a row of the wiring */
  float fire_rate;
};
