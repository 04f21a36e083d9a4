/* The last kernel of an automaton's gradient, after all backward steps. partial, d_patch and d_states are
 * those of op/logic/logic_ca_gradient.h. */
#include "lib/args.h"
#define GT_CA_SUM_SPEC_MODE 3
/* Modes. */
#define GT_CA_SUM_COEFFICIENTS 0 /* y [gates, 4] = the workgroups' partial sums, added in a fixed order */
#define GT_CA_SUM_STATE        1 /* y = the gradient of the first state, gathered from the patches */
GT_ARGS(gt_logic_ca_sum_args) {
  GT_FLOATS partial, d_patch, d_states, y;
  GT_WORDS shape;
  uint groups, slots, gates, layers, kernels, perceptions; /* COEFFICIENTS; groups: workgroups */
  uint cells, height, width, channels, periodic,
      d_states_given; /* STATE; d_states_given: d_states is added */
};
