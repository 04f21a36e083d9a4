/* A layer of logic gates, feature-major: x [inputs, batch], coefficients [gates, 4], wiring [2, gates]. The
 * type of x, y and g, the gradient of the output, may have 16 bits (op/logic/logic.glsl).
 *
 * Kernel logic: y [gates, batch] = c0 + c1 a + c2 b + c3 a b, where a and b are the rows of x that the wiring
 * names.
 *
 * Kernel logic_coefficient_sums: y [gates, 4] = sums over the batch of g, g a, g b and g a b, the gradient of
 * the coefficients; g [gates, batch]. With GT_LOGIC_SPEC_TO_LOGITS y [gates, 16] is the gradient of the
 * logits.
 *
 * In both kernels GT_LOGIC_SPEC_LANES lanes share a run of GT_LOGIC_RUN gates.
 *
 * Kernel logic_inputs: y [inputs, batch] = the gradient of x, gathered through the inverse wiring. Its first
 * inputs + 1 words are the offsets of the inputs' lists of readers; then follow the pairs {2 * gate + side
 * (0: a, 1: b), the other input of that gate}. */
#include "lib/args.h"
#include "op/logic/logic_run.h"
#include "op/logic/logic_spec.h"
GT_ARGS(gt_logic_args) {
  GT_FLOATS x, coefficients; /* logic_coefficient_sums with TO_LOGITS: the logits instead */
  GT_WORDS wiring;           /* logic_inputs: the inverse wiring */
  GT_FLOATS g, y;
  uint inputs, gates, batch;
};
