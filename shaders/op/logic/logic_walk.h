/* A layer of logic gates in which every input is read exactly twice, in the order of its walk
 * (src/op/logic/logic_walk.h): x [inputs, batch], coefficients [gates, 4]. The types of x, g and y may have
 * 16 bits (op/logic/logic.glsl).
 *
 * Kernel logic_walk: y [gates, batch]. GT_LOGIC_SPEC_LANES lanes share a run.
 *
 * gates_per_row: the number of neighboring gates in a group. The next op adds the outputs of a group, so that
 * its gates have the same gradient, a row of g; 1 without such an op.
 *
 * Kernel logic_walk_gradient: y [inputs, batch], the gradient of x; d_coefficients [gates, 4], the sums over
 * the batch of g, g a, g b and g a b. The gradient of a gate's output is scale times row (gate /
 * gates_per_row) of g [gates / gates_per_row, batch]. GT_LOGIC_SPEC_LANES lanes, at least GT_LOGIC_RUN, share
 * a run.
 *
 * Kernel logic_walk_sum: y [groups, chunks, batch]: for each group and each chunk of chunk_runs neighboring
 * runs, the sum of the outputs of the group's gates in these runs. GT_LOGIC_SPEC_LANES lanes share a chunk.
 *
 * The words of a run in walk [runs, GT_LOGIC_WALK_WORDS]: the input and the pin that precede its first
 * input and first pin, the number of its gates, its last input, then GT_LOGIC_RUN pins, then GT_LOGIC_RUN
 * inputs. Gate j of the run reads inputs j and j + 1 of the run. Its pin is 2 * gate + side (0: a, 1: b),
 * where `side` is the side that reads input j. Entries after the last gate repeat those of that gate. */
#include "lib/args.h"
#include "op/logic/logic_run.h"
#include "op/logic/logic_spec.h"
#define GT_LOGIC_MAX_GROUPS 16 /* for logic_walk_sum, whose sums are in shared memory */
GT_ARGS(gt_logic_walk_args) {
  GT_FLOATS x, coefficients;
  GT_WORDS walk;
  GT_FLOATS g, y, d_coefficients;
  uint inputs, gates, batch, runs, gates_per_row, chunks, chunk_runs;
  float scale;
};
