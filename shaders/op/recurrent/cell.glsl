/* Shared by the recurrent kernels: the specialization constants, the time of a step, and the cell in two halves. `begin`
 * loads what does not depend on the product, before it; `finish` takes the product's sums, one for each gate. */
#define GT_SCALAR
#include "lib/math.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL = 1u;
layout(constant_id = GT_RECURRENT_SPEC_CELL) const uint CELL = 0u;
layout(constant_id = GT_RECURRENT_SPEC_REVERSE) const uint REVERSE = 0u;
layout(constant_id = GT_RECURRENT_SPEC_LENGTHS) const uint LENGTHS = 0u;
layout(constant_id = GT_RECURRENT_SPEC_BIASED) const uint BIASED = 0u;
layout(constant_id = GT_RECURRENT_SPEC_HIDDEN) const uint HIDDEN = 1u;
layout(constant_id = GT_RECURRENT_SPEC_LAST) const uint LAST = 0u;
layout(constant_id = GT_RECURRENT_SPEC_QUADS) const uint QUADS = 1u;
layout(constant_id = GT_RECURRENT_SPEC_SETS) const uint SETS = 1u;
layout(constant_id = GT_RECURRENT_SPEC_SLICES) const uint SLICES = 1u;
layout(constant_id = GT_RECURRENT_SPEC_KEEP) const uint KEEP = 0u;
const uint GATES = CELL == GT_LSTM ? 4u : CELL == GT_GRU ? 3u : 1u;
const uint WIDTH = GATES * HIDDEN;

uint time_of(uint s) { return REVERSE != 0u ? all_steps - 1u - s : s; }
/* Element of `y`: h of this row after step s, or before it. */
uint after(uint s, uint row, uint unit) { return ((time_of(s) + 1u - REVERSE) * batch + row) * HIDDEN + unit; }
uint before(uint s, uint row, uint unit) { return ((time_of(s) + REVERSE) * batch + row) * HIDDEN + unit; }
/* Element of `extra`. */
uint extra_of(uint s, uint row, uint unit) { return (time_of(s) * batch + row) * HIDDEN + unit; }
/* Element of `gates` and values of its shape, for gate 0. */
uint gate_of(uint s, uint row, uint unit) { return (time_of(s) * batch + row) * WIDTH + unit; }

bool is_within(uint s, uint row) {
  if (row >= batch) return false;
  return LENGTHS == 0u || int(time_of(s)) < int(lengths.at[row]);
}
