/* The recurrence, forward (recurrent_spec.h), of a cell with G gates.
 *
 *   gates   [all_steps, batch, G hidden]: the product of all steps' inputs with W_ih
 *   weight  [hidden, hidden, G]: W_hh transposed, the gates of a unit side by side
 *   y       [all_steps + 1, batch, hidden]: h
 *
 * The gradient needs two more outputs, which an RNN does not have:
 *
 *   saved   as gates: the gates after their activation functions; may use the memory of gates
 *   extra   [all_steps, batch, hidden]: c of the LSTM, or W_hn h + b_hn of the GRU */
#include "lib/args.h"
#include "op/recurrent/recurrent_spec.h"
GT_ARGS(gt_recurrent_args) {
  GT_FLOATS gates, weight, bias, saved, y, extra;
  GT_WORDS lengths;
  uint first, steps, all_steps, batch; /* computes steps first, first + 1 … */
};
