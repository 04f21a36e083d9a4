/* A layer of logic gates in which every input is read exactly twice, in the order of its walk
 * (op/logic/logic_walk.h): x [inputs, batch], coefficients [gates, 4]; x, g and y may have 16 bits
 * (op/logic/logic.glsl). In the first two kernels GT_LOGIC_SPEC_LANES lanes share a run, in the gradient at
 * least GT_LOGIC_RUN of them.
 *
 * logic_walk           y [gates, batch]
 *
 * logic_walk_gradient  y [inputs, batch]: the gradient of x; d_coefficients [gates, 4]: sums over the batch
 *                      of g, g a, g b, g a b; g [gates / share, batch] times scale: one row for `share` gates
 *
 * logic_walk_sum       y [groups, chunks, batch] = sums over groups of `share` neighboring gates. A chunk has
 *                      chunk_runs of the runs; GT_LOGIC_SPEC_LANES lanes share a chunk
 *
 * walk [runs, GT_LOGIC_WALK_WORDS]: the input and the pin before the run's first ones, the number of gates in
 * the run, its last input, then GT_LOGIC_RUN pins, then GT_LOGIC_RUN inputs. A pin is 2 * gate + side: input
 * `side` of gate j of the run is its input j, the other input of that gate is its input j + 1. Entries after
 * the last gate repeat that gate's. */
#include "lib/args.h"
#include "op/logic/logic_run.h"
#include "op/logic/logic_spec.h"
#define GT_LOGIC_MAX_GROUPS 16 /* the maximum for logic_walk_sum */
GT_ARGS(gt_logic_walk_args) {
  GT_FLOATS x, coefficients;
  GT_WORDS walk;
  GT_FLOATS g, y, d_coefficients;
  uint inputs, gates, batch, runs, share, chunks, chunk_runs;
  float scale;
};
