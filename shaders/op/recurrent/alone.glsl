/* Way A: a workgroup owns four rows for all steps, which no other workgroup reads. An invocation computes a set of
 * neighboring columns of the product over a slice of its depth. Some rows of the weight stay in its registers; the others
 * are read from the caches in every step, as many at a time as hide the wait for them. The sums of the slices are joined in
 * shared memory. */
const uint PITCH = COLUMNS + 1u; /* of a set's sums; one more than there are, which avoids bank conflicts */
const uint WHOLE = DEPTH / SLICES, READ = WHOLE - KEEP;
const uint STRIP = READ <= GT_RECURRENT_AT_ONCE && READ > 0u ? READ : GT_RECURRENT_STRIP;
const uint KEPT = KEEP == 0u ? 1u : COLUMNS * KEEP, TASKS = (4u * HIDDEN + LOCAL - 1u) / LOCAL;
shared vec4 left[DEPTH];                 /* the product's left operand, of the four rows */
shared vec4 part[SLICES * SETS * PITCH]; /* [slice][set][column]: its sums over each slice */

float kept[KEPT]; /* rows of the weight */

void multiply(uint set, uint slice) {
  vec4 sum[COLUMNS];
  float w[COLUMNS];
  [[unroll]] for (uint c = 0u; c < COLUMNS; c++) sum[c] = vec4(0.0);
  if (KEEP != 0u)
    [[unroll]] for (uint i = 0u; i < KEEP; i++) {
      const vec4 rows = left[slice + i * SLICES];
      [[unroll]] for (uint c = 0u; c < COLUMNS; c++) sum[c] = fma(vec4(kept[i * COLUMNS + c]), rows, sum[c]);
    }
  [[dont_unroll]] for (uint i0 = KEEP; i0 < WHOLE; i0 += STRIP)
    [[unroll]] for (uint i = i0; i < i0 + STRIP; i++)
      if (i < WHOLE) {
        const vec4 rows = left[slice + i * SLICES];
        load_weight(slice + i * SLICES, set, w);
        [[unroll]] for (uint c = 0u; c < COLUMNS; c++) sum[c] = fma(vec4(w[c]), rows, sum[c]);
      }
  if (WHOLE * SLICES + slice < DEPTH) {
    const vec4 rows = left[WHOLE * SLICES + slice];
    load_weight(WHOLE * SLICES + slice, set, w);
    [[unroll]] for (uint c = 0u; c < COLUMNS; c++) sum[c] = fma(vec4(w[c]), rows, sum[c]);
  }
  [[unroll]] for (uint c = 0u; c < COLUMNS; c++) part[(slice * SETS + set) * PITCH + c] = sum[c];
}

void join(uint s, uint unit, uint r, out float sum[4]) {
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
    gt_begun begun[TASKS];
    [[unroll]] for (uint q = 0u; q < TASKS; q++) {
      const uint task = q * LOCAL + me;
      if (task < 4u * HIDDEN) begun[q] = begin(s, row0 + (task & 3u), task >> 2u);
    }
    if (has_product(s)) multiply(set, slice);
    barrier();
    [[unroll]] for (uint q = 0u; q < TASKS; q++) {
      const uint task = q * LOCAL + me, unit = task >> 2u, r = task & 3u;
      if (task < 4u * HIDDEN) {
        float sum[4];
        join(s, unit, r, sum);
        const vec4 handed = finish(s, row0 + r, unit, begun[q], sum);
        [[unroll]] for (uint g = 0u; g < HANDED; g++) left[g * HIDDEN + unit][r] = handed[g];
      }
    }
    barrier();
  }
}
