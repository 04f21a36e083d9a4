/* The gradient of the recurrence, from the last step to the first (recurrent_spec.h). given: the gradient of
 * y without its zeros, [all_steps, batch, hidden]; weight: W_hh [G hidden, hidden]; d_gates: the gradient of
 * gates, may be the memory of saved; d_hidden: that of the GRU's hidden product, which for other cells is
 * d_gates; carry [batch, hidden]: what a step adds to the gradient of c (LSTM) or h (GRU) before it besides
 * the product. */
#include "lib/args.h"
#include "op/recurrent/recurrent_spec.h"
GT_ARGS(gt_recurrent_gradient_args) {
  GT_FLOATS saved, weight, y, extra, given, d_gates, d_hidden, carry;
  GT_WORDS lengths;
  uint first, steps, all_steps, batch; /* computes steps first, first - 1 … */
};
