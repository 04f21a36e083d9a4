/* One step of a logic-gate automaton (src/op/logic/logic_ca.h). The number in the names of the kernels
 * logic_ca4, logic_ca2 and logic_ca1 is the number of cells per workgroup, which are the components of a
 * vector.
 *
 * shape has GT_CA_WORDS words per layer, the perception's layers first: width, inputs, first gate, first
 * wire, first word of the inverse wiring, row of shared memory with the layer's inputs, first slot, split. A
 * slot is one of the workgroup's partial sums of the coefficients' gradient. A gate of the perception, which
 * all channels share, has `split` slots: channel c of a chunk adds to slot c % split. */
#include "lib/args.h"
#include "op/logic/logic_ca_spec.h"
#define GT_CA_WORDS 8
GT_ARGS(gt_logic_ca_args) {
  /* The step reads the state at from_offset in `from` and writes the one at to_offset in `states`. */
  GT_FLOATS from, states, coefficients;
  GT_WORDS wiring, shape, clock;
  uint step, cells, wires, purpose; /* cells: of the whole batch; wires: length of a row of the wiring */
  float fire_rate;
  uint from_offset, to_offset;
  /* flags: bit 0: also copy the state before the step to the beginning of `states`; bit 1:
   * gt_logic_ca_attribute.bounded */
  uint flags, sampling_purpose;
  float rounding, sampling; /* as in gt_logic_ca_attribute */
};
