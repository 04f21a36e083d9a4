/* All steps in one dispatch: a workgroup computes four rows for all steps, independently of other workgroups. An
 * invocation computes a set of neighboring columns of each step's product over a slice of its depth (every SLICES-th
 * row of the weight). KEEP rows of the weight stay in its registers; the others are read from the caches in every step,
 * STRIP at a time to hide the latency. The sums of the slices are added in shared memory. */
const uint PITCH = COLUMNS + 1u; /* of a set's sums; one more than COLUMNS to avoid bank conflicts */
/* Rows of the weight per slice; how many of them are read in every step. */
const uint SLICE_ROWS = DEPTH / SLICES, READ = SLICE_ROWS - KEEP;
const uint STRIP = READ <= GT_RECURRENT_AT_ONCE && READ > 0u ? READ : GT_RECURRENT_STRIP;
/* Elements of the weight in registers; cells (row and unit) per invocation. */
const uint KEPT = KEEP == 0u ? 1u : COLUMNS * KEEP, TASKS = (4u * HIDDEN + LOCAL - 1u) / LOCAL;
shared vec4 left[DEPTH];                 /* the product's left operand; component r is row r */
shared vec4 part[SLICES * SETS * PITCH]; /* [slice][set][column]: the product's sums over each slice */

float kept[KEPT]; /* [row of the weight][column] */

/* Multiplies the left operand by one set of columns over one slice. */
void multiply(uint set, uint slice) {
  vec4 sum[COLUMNS];
  float w[COLUMNS];
  [[unroll]] for (uint c = 0u; c < COLUMNS; c++) sum[c] = vec4(0.0);
  if (KEEP != 0u)
    [[unroll]] for (uint i = 0u; i < KEEP; i++) {
      const vec4 rows = left[slice + i * SLICES];
      [[unroll]] for (uint c = 0u; c < COLUMNS; c++) sum[c] = fma(vec4(kept[i * COLUMNS + c]), rows, sum[c]);
    }
  [[dont_unroll]] for (uint i0 = KEEP; i0 < SLICE_ROWS; i0 += STRIP)
    [[unroll]] for (uint i = i0; i < i0 + STRIP; i++)
      if (i < SLICE_ROWS) {
        const vec4 rows = left[slice + i * SLICES];
        load_weight(slice + i * SLICES, set, w);
        [[unroll]] for (uint c = 0u; c < COLUMNS; c++) sum[c] = fma(vec4(w[c]), rows, sum[c]);
      }
  if (SLICE_ROWS * SLICES + slice < DEPTH) { /* DEPTH % SLICES rows remain, one for each of the first slices */
    const vec4 rows = left[SLICE_ROWS * SLICES + slice];
    load_weight(SLICE_ROWS * SLICES + slice, set, w);
    [[unroll]] for (uint c = 0u; c < COLUMNS; c++) sum[c] = fma(vec4(w[c]), rows, sum[c]);
  }
  [[unroll]] for (uint c = 0u; c < COLUMNS; c++) part[(slice * SETS + set) * PITCH + c] = sum[c];
}

/* Adds the slices' sums for one unit of row r, one sum per gate. */
void sum_slices(uint s, uint unit, uint r, out float sum[4]) {
  for (uint g = 0u; g < 4u; g++) sum[g] = 0.0;
  if (!has_product(s)) return;
  for (uint p = 0u; p < SLICES; p++)
    [[unroll]] for (uint g = 0u; g < SUMS; g++)
      sum[g] += part[(p * SETS + unit / UNITS) * PITCH + unit % UNITS * SUMS + g][r];
}

void main() {
  const uint me = gl_LocalInvocationIndex, set = me % SETS, slice = me / SETS;
  const uint row0 = 4u * (gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x);
  if (row0 >= batch) return;
  if (KEEP != 0u)
    [[unroll]] for (uint i = 0u; i < KEEP; i++) {
      float w[COLUMNS];
      load_weight(slice + i * SLICES, set, w);
      [[unroll]] for (uint c = 0u; c < COLUMNS; c++) kept[i * COLUMNS + c] = w[c];
    }
  if (has_product(first))
    for (uint i = me; i < 4u * DEPTH; i += LOCAL) {
      const uint k = i >> 2u, row = row0 + (i & 3u);
      left[k][i & 3u] = row < batch ? left_values().at[left_at(first, row, k)] : 0.0;
    }
  barrier();
  for (uint n = 0u; n < steps; n++) {
    const uint s = step_of(n);
    gt_cell_inputs inputs[TASKS];
    [[unroll]] for (uint q = 0u; q < TASKS; q++) {
      const uint task = q * LOCAL + me;
      if (task < 4u * HIDDEN) inputs[q] = load_cell(s, row0 + (task & 3u), task >> 2u);
    }
    if (has_product(s)) multiply(set, slice);
    barrier();
    [[unroll]] for (uint q = 0u; q < TASKS; q++) {
      const uint task = q * LOCAL + me, unit = task >> 2u, r = task & 3u;
      if (task < 4u * HIDDEN) {
        float sum[4];
        sum_slices(s, unit, r, sum);
        const vec4 feedback = finish_cell(s, row0 + r, unit, inputs[q], sum);
        [[unroll]] for (uint g = 0u; g < FEEDBACK; g++) left[g * HIDDEN + unit][r] = feedback[g];
      }
    }
    barrier();
  }
}
