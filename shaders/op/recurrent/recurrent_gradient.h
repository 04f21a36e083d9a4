/* The gradient of the recurrence, from the last step to the first (recurrent_spec.h). saved, y and extra: the
 * outputs of the forward kernel (recurrent.h).
 *
 *   given     [all_steps, batch, hidden]: the gradient of y, without the block of h before the first step
 *   weight    [G hidden, hidden]: W_hh
 *   d_gates   the gradient of gates; may use the memory of saved
 *   d_hidden  the gradient of the GRU's hidden product; for other cells this is d_gates
 *   carry     [batch, hidden]: the gradient of c (LSTM) or h (GRU) before a step, without W_hh's term */
#include "lib/args.h"
#include "op/recurrent/recurrent_spec.h"
GT_ARGS(gt_recurrent_gradient_args) {
  GT_FLOATS saved, weight, y, extra, given, d_gates, d_hidden, carry;
  GT_WORDS lengths;
  uint first, steps, all_steps, batch; /* computes steps first, first - 1 … */
};
