/* Shared by the recurrent kernels: the specialization constants and the indices of elements. cell_forward.glsl or
 * cell_gradient.glsl is included next. It defines the step's product and two functions: `load_cell` loads what does not
 * depend on the product, so that these loads overlap with it; `finish_cell` computes the cell from the product's sums,
 * one per gate, and stores its results. */
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
/* Indices in `y`: of h of this row after step s, and before it. */
uint after(uint s, uint row, uint unit) { return ((time_of(s) + 1u - REVERSE) * batch + row) * HIDDEN + unit; }
uint before(uint s, uint row, uint unit) { return ((time_of(s) + REVERSE) * batch + row) * HIDDEN + unit; }
/* Index in `extra`. */
uint extra_of(uint s, uint row, uint unit) { return (time_of(s) * batch + row) * HIDDEN + unit; }
/* Index in `gates` and buffers of its shape, for gate 0; the next gates follow HIDDEN elements apart. */
uint gate_of(uint s, uint row, uint unit) { return (time_of(s) * batch + row) * WIDTH + unit; }

/* True if the row has a step s: it is not after the row's end. */
bool is_within(uint s, uint row) {
  if (row >= batch) return false;
  return LENGTHS == 0u || int(time_of(s)) < int(lengths.at[row]);
}
