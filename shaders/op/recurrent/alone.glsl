/* Way A: a workgroup owns four rows for all steps, which no other workgroup reads. An invocation computes sets of columns
 * of the product over a slice of its depth; some rows of the weight stay in its registers, the others are read from the
 * caches in every step. */
const uint KEPT = KEEP == 0u ? 1u : 4u * KEEP, TASKS = (4u * HIDDEN + LOCAL - 1u) / LOCAL;
shared vec4 left[DEPTH];                   /* the product's left operand, of the four rows */
shared vec4 part[SLICES * COLUMNS * SPAN]; /* its sums over each slice */

float kept[KEPT]; /* rows of the weight, four columns each */

float weight_of(uint k, uint j, uint c) { return weight.at[k * LINE + min(j + c * SPAN, LINE - 1u)]; }

void multiply(uint j0, uint slice) {
  for (uint j = j0; j < SPAN; j += SETS) {
    vec4 sum[COLUMNS];
    [[unroll]] for (uint c = 0u; c < COLUMNS; c++) sum[c] = vec4(0.0);
    if (KEEP != 0u)
      [[unroll]] for (uint i = 0u; i < KEEP; i++) {
        const vec4 rows = left[slice + i * SLICES];
        [[unroll]] for (uint c = 0u; c < COLUMNS; c++) sum[c] = fma(vec4(kept[4u * i + c]), rows, sum[c]);
      }
    for (uint k = slice + KEEP * SLICES; k < DEPTH; k += SLICES) {
      const vec4 rows = left[k];
      [[unroll]] for (uint c = 0u; c < COLUMNS; c++) sum[c] = fma(vec4(weight_of(k, j, c)), rows, sum[c]);
    }
    [[unroll]] for (uint c = 0u; c < COLUMNS; c++) part[(slice * COLUMNS + c) * SPAN + j] = sum[c];
  }
}

void join(uint s, uint unit, uint r, out float sum[4]) {
  for (uint g = 0u; g < 4u; g++) sum[g] = 0.0;
  if (!has_product(s)) return;
  for (uint p = 0u; p < SLICES; p++)
    [[unroll]] for (uint g = 0u; g < SUMS; g++) sum[g] += part[p * COLUMNS * SPAN + g * HIDDEN + unit][r];
}

void main() {
  const uint me = gl_LocalInvocationIndex, set = me % SETS, slice = me / SETS;
  const uint row0 = 4u * (gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x);
  if (row0 >= batch) return;
  if (KEEP != 0u)
    [[unroll]] for (uint i = 0u; i < KEEP; i++)
      [[unroll]] for (uint c = 0u; c < COLUMNS; c++) kept[4u * i + c] = weight_of(slice + i * SLICES, set, c);
  if (has_product(first))
    for (uint i = me; i < 4u * DEPTH; i += LOCAL) {
      const uint k = i >> 2u, row = row0 + (i & 3u);
      left[k][i & 3u] = row < batch ? left_of(first, row, k) : 0.0;
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
