/* A layer of logic gates, feature-major: x [inputs, batch], coefficients [gates, 4], wiring [2, gates]. x, g
 * (the gradient of the output) and y may have 16 bits (op/logic/logic.glsl).
 *
 * logic                   y [gates, batch] = c0 + c1 a + c2 b + c3 a b, where a and b are rows of x
 *
 * logic_coefficient_sums  y [gates, 4] = sums over the batch of g, g a, g b, g a b; g [gates, batch]. With
 * GT_LOGIC_SPEC_TO_LOGITS: the gradient [gates, 16] of the logits that follows from these
 *
 * In both, GT_LOGIC_SPEC_LANES lanes share a run of GT_LOGIC_RUN gates.
 *
 * logic_inputs            y [inputs, batch] = the gradient of x, gathered through the inverse wiring: words
 *                         [inputs + 1], the offset of each input's list, then pairs {2 * gate + side, the
 *                         other input of the gate} */
#include "lib/args.h"
#include "op/logic/logic_run.h"
#include "op/logic/logic_spec.h"
GT_ARGS(gt_logic_args) {
  GT_FLOATS x, coefficients; /* or logits */
  GT_WORDS wiring;           /* or inverse */
  GT_FLOATS g, y;
  uint inputs, gates, batch;
};
