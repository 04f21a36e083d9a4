/* One step of a logic-gate automaton (src/op/logic/logic_ca.c). Kernels logic_ca4, 2 and 1: the number is the
 * number of cells per workgroup, which are the components of a vector. shape: GT_CA_WORDS words per layer,
 * perception first: width, inputs, first gate, first wire, first inverse word, row of shared memory with its
 * inputs, first of the workgroup's partial sums (slot), split. The channels share the gates of the
 * perception: such a gate has `split` slots, and channel c of a chunk adds to slot c % split. */
#include "lib/args.h"
#include "op/logic/logic_ca_spec.h"
#define GT_CA_WORDS 8
GT_ARGS(gt_logic_ca_args) {
  GT_FLOATS from, states, coefficients; /* from: has the state before this step at from_offset */
  GT_WORDS wiring, shape, clock;
  uint step, cells, wires, purpose; /* cells: of the whole batch; wires: length of a row of the wiring */
  float fire_rate;
  uint from_offset, to_offset;
  uint flags,
      sampling_purpose;     /* flags: 1 also copy the first state to the beginning of `states`; 2 bounded */
  float rounding, sampling; /* of the new state: src/op/logic/logic_ca.h */
};
