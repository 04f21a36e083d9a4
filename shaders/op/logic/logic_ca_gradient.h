/* One backward step of a logic-gate automaton, with two cells per workgroup (kernel logic_ca_gradient2) or
 * one (logic_ca_gradient1). op/logic/logic_ca.h explains `shape` and slots. */
#include "lib/args.h"
#include "op/logic/logic_ca_spec.h"
GT_ARGS(gt_logic_ca_gradient_args) {
  GT_FLOATS from, coefficients; /* from: the states; the one at from_offset is the state before this step */
  GT_WORDS wiring, inverse, shape, clock;
  GT_FLOATS d_states; /* at d_offset: the upstream gradient of the state after this step */
  /* [cells, 9, channels]: the gradient of each cell's patch (the states in its neighborhood): d_patch is that
   * of step + 1, an input; d_patch_out is that of this step, the output. */
  GT_FLOATS d_patch, d_patch_out;
  /* Of each workgroup: partial [slots, 4], the sums of the coefficients' gradient; trace [gates of the
   * update, 2], the inputs of each gate, unless they stay in shared memory (GT_CA_SPEC_KEEP). */
  GT_FLOATS partial, trace;
  uint step, cells, wires, purpose;
  float fire_rate;
  uint from_offset, d_offset,
      flags; /* flags: bit 0: there is d_patch (not the last step); bit 1: there is d_states */
};
