/* The end of an automaton's gradient. Own spec constant 3, mode: 0 y[4 gate + k] = the workgroups' partial
 * sums, added in order; 1 y = the gradient of the first state, gathered from the patches. */
#include "lib/args.h"
GT_ARGS(gt_logic_ca_sum_args) {
  GT_FLOATS partial, d_patch, d_states, y;
  GT_WORDS shape;
  uint groups, slots, gates, layers, kernels, perceptions;       /* mode 0 */
  uint cells, height, width, channels, periodic, d_states_given; /* mode 1 */
};
