/* One step of a logic-gate automaton (src/op/logic/logic_ca.c), for a group of cells a workgroup. Kernels
 * logic_ca4, 2 and 1: the number is how many cells a workgroup has, held in the lanes of a vector. shape:
 * GT_CA_WORDS words a layer, perception first: width, inputs, first gate, first wire, first inverse word,
 * row of shared memory where its inputs lie, first of a workgroup's partial sums (slot), split: perception's
 * gates are shared by the channels; each gate has `split` slots, one for every split-th channel. */
#include "lib/args.h"
#include "op/logic/logic_ca_spec.h"
#define GT_CA_WORDS 8
GT_ARGS(gt_logic_ca_args) {
  GT_FLOATS from, states, coefficients; /* from: where this step's first state lies, at from_offset */
  GT_WORDS wiring, shape, clock;
  uint step, cells, wires, purpose; /* cells: of the whole batch; wires: of each row of the wiring */
  float fire_rate;
  uint from_offset, to_offset;
  uint flags, sampling_purpose; /* flags: 1 write the first state to the states' beginning, too; 2 bounded */
  float rounding, sampling;     /* of the new state: src/op/logic/logic_ca.h */
};
