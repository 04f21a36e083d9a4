/* One backward step of a logic-gate automaton; see op/logic/logic_ca.h. Kernels logic_ca_gradient2 and 1. */
#include "lib/args.h"
#include "op/logic/logic_ca_spec.h"
GT_ARGS(gt_logic_ca_gradient_args) {
  GT_FLOATS from, coefficients; /* from: the states; this step began with the one at from_offset */
  GT_WORDS wiring, inverse, shape, clock;
  GT_FLOATS d_states; /* the gradient given for the output state of this step, at d_offset */
  /* [cells, 9, C]: the gradient of each cell's patch: in, that of the next step; out, that of this one. */
  GT_FLOATS d_patch, d_patch_out;
  /* For each workgroup: [slots, 4] sums; [gates of the update, 2] inputs, unless they are kept. */
  GT_FLOATS partial, trace;
  uint step, cells, wires, purpose;
  float fire_rate;
  uint from_offset, d_offset, flags; /* flags: 1 there is d_patch (a later step), 2 there is d_states */
};
