/* The recurrence, forward (recurrent_spec.h). gates [all_steps, batch, G hidden]: the product of all steps'
 * inputs; weight [hidden, hidden, G]: W_hh transposed, the gates of a unit side by side; y [all_steps + 1,
 * batch, hidden]. saved, like gates, and extra [all_steps, batch, hidden] are what the gradient needs: the
 * gates after their functions, and c of the LSTM or the hidden part of the GRU's n, W_hn h + b_hn; an RNN has
 * neither. saved may be the memory of gates. */
#include "lib/args.h"
#include "op/recurrent/recurrent_spec.h"
GT_ARGS(gt_recurrent_args) {
  GT_FLOATS gates, weight, bias, saved, y, extra;
  GT_WORDS lengths;
  uint first, steps, all_steps, batch; /* computes steps first, first + 1 … */
};
