/* One step per dispatch: a workgroup computes a tile of ROWS rows and SETS sets of columns. An invocation multiplies
 * all rows of the tile by one set of columns over a slice of the depth. The weights of an invocation are loaded to
 * registers, because no other invocation of the workgroup needs them; the left operand, which all of them need, is
 * staged in shared memory. Both are loaded one chunk of the depth ahead. In the end the sums of the slices are added in
 * shared memory, four rows at a time. */
const uint ROWS = 4u * QUADS;
const uint CHUNK = KEEP / 4u * SLICES; /* vec4s of a chunk of the depth, per row of the left operand */
const uint CHUNK_VECS = CHUNK * ROWS;  /* vec4s of a chunk, of all rows */
const uint PITCH = COLUMNS + 1u;       /* of a set's sums; one more than COLUMNS to avoid bank conflicts */
/* vec4s of the slices' sums; vec4s of `pool`. */
const uint PARTS = LOCAL * PITCH, POOL = 2u * CHUNK_VECS > PARTS ? 2u * CHUNK_VECS : PARTS;
/* Per invocation: vec4s of a chunk to load; weights in registers; sums; and cells (row and unit) to finish. */
const uint LOADS = (CHUNK_VECS + LOCAL - 1u) / LOCAL, WEIGHTS = KEEP * COLUMNS, SUMMED = ROWS * COLUMNS;
const uint CELLS = ROWS * SETS * UNITS, TASKS = (CELLS + LOCAL - 1u) / LOCAL;
const bool LEFT_ALIGNED = ALIGNED != 0u && HIDDEN % 4u == 0u;
/* During the product: two chunks of the left operand, [row][k / 4]. After it: sums, [slice][set][column]. */
shared vec4 pool[POOL];

/* Elements 4 k to 4 k + 3 of a row of the left operand; 0 after its end. */
vec4 load_left(uint s, uint row, uint k) {
  vec4 v = vec4(0.0);
  if (row >= batch || 4u * k >= DEPTH) return v;
  const uint at = left_at(s, row, 4u * k);
  if (LEFT_ALIGNED) return GT_CAST(GT_FLOATS4, left_values()).at[at / 4u];
  [[unroll]] for (uint j = 0u; j < 4u; j++)
    if (4u * k + j < DEPTH) v[j] = left_values().at[at + j];
  return v;
}

/* Loads this invocation's share of the chunk of the left operand from vec4 k0 on. */
void load_left_chunk(uint s, uint k0, uint row0, out vec4 a[LOADS]) {
  [[unroll]] for (uint i = 0u; i < LOADS; i++) {
    const uint at = i * LOCAL + gl_LocalInvocationIndex;
    if (at < CHUNK_VECS) a[i] = load_left(s, row0 + at / CHUNK, k0 + at % CHUNK);
  }
}

/* Stores the loaded vec4s to shared memory. */
void stage_left_chunk(uint to, vec4 a[LOADS]) {
  [[unroll]] for (uint i = 0u; i < LOADS; i++) {
    const uint at = i * LOCAL + gl_LocalInvocationIndex;
    if (at < CHUNK_VECS) pool[to + at] = a[i];
  }
}

/* Loads the weights of a chunk, [row of the weight][column]. After the end of the depth the last row is repeated,
 * because the left operand is 0 there. */
void load_weights(uint k0, uint set, uint slice, out float w[WEIGHTS]) {
  [[unroll]] for (uint i = 0u; i < KEEP; i++) {
    float line[COLUMNS];
    load_weight(min(4u * (k0 + i / 4u * SLICES + slice) + i % 4u, DEPTH - 1u), set, line);
    [[unroll]] for (uint c = 0u; c < COLUMNS; c++) w[i * COLUMNS + c] = line[c];
  }
}

/* Computes the sums of this invocation's slice, [row][column]. */
void multiply(uint s, uint row0, uint set, uint slice, out float sum[SUMMED]) {
  vec4 a[LOADS];
  float w[WEIGHTS], next[WEIGHTS];
  uint from = 0u;
  [[unroll]] for (uint i = 0u; i < SUMMED; i++) sum[i] = 0.0;
  load_left_chunk(s, 0u, row0, a);
  load_weights(0u, set, slice, next);
  [[dont_unroll]] for (uint k0 = 0u; 4u * k0 < DEPTH; k0 += CHUNK) {
    stage_left_chunk(from, a);
    [[unroll]] for (uint i = 0u; i < WEIGHTS; i++) w[i] = next[i];
    barrier();
    if (4u * (k0 + CHUNK) < DEPTH) {
      load_left_chunk(s, k0 + CHUNK, row0, a);
      load_weights(k0 + CHUNK, set, slice, next);
    }
    [[unroll]] for (uint i = 0u; i < KEEP / 4u; i++)
      [[unroll]] for (uint r = 0u; r < ROWS; r++) {
        const vec4 left = pool[from + r * CHUNK + i * SLICES + slice];
        [[unroll]] for (uint j = 0u; j < 4u; j++)
          [[unroll]] for (uint c = 0u; c < COLUMNS; c++)
            sum[r * COLUMNS + c] = fma(w[(4u * i + j) * COLUMNS + c], left[j], sum[r * COLUMNS + c]);
      }
    from = CHUNK_VECS - from;
  }
}

/* A cell of the tile: one unit of one row. Cells are ordered by groups of four rows, then by unit, then by row. */
struct gt_output_cell {
  uint quad, row, unit; /* quad: the group of four rows */
  uint at;              /* index of the cell's first sum in `pool`, in slice 0 */
  bool exists;
};

gt_output_cell output_cell(uint task, uint row0, uint set0) {
  gt_output_cell p;
  const uint unit = task / 4u % (SETS * UNITS);
  p.quad = task / (4u * SETS * UNITS);
  p.row = row0 + 4u * p.quad + task % 4u;
  p.unit = set0 * UNITS + unit;
  p.at = unit / UNITS * PITCH + unit % UNITS * SUMS;
  p.exists = task < CELLS && p.row < batch && p.unit < HIDDEN;
  return p;
}

/* Adds the slices' sums for gate g of a cell. */
float sum_slices(gt_output_cell p, uint g) {
  float sum = 0.0;
  for (uint slice = 0u; slice < SLICES; slice++) sum += pool[slice * SETS * PITCH + p.at + g][p.row & 3u];
  return sum;
}

void main() {
  const uint me = gl_LocalInvocationIndex, set = me % SETS, slice = me / SETS, s = first;
  const uint across = (ALL_SETS + SETS - 1u) / SETS, group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
  const uint set0 = group % across * SETS, row0 = group / across * ROWS;
  gt_cell_inputs inputs[TASKS];
  float total[TASKS][4], sum[SUMMED];
  if (row0 >= batch) return;
  [[unroll]] for (uint q = 0u; q < TASKS; q++) {
    const gt_output_cell p = output_cell(q * LOCAL + me, row0, set0);
    [[unroll]] for (uint g = 0u; g < 4u; g++) total[q][g] = 0.0;
    if (p.exists) inputs[q] = load_cell(s, p.row, p.unit);
  }
  if (has_product(s)) {
    multiply(s, row0, set0 + set, slice, sum);
    [[unroll]] for (uint quad = 0u; quad < QUADS; quad++) {
      barrier();
      [[unroll]] for (uint c = 0u; c < COLUMNS; c++) {
        const uint at = 4u * quad * COLUMNS + c;
        pool[me * PITCH + c] =
            vec4(sum[at], sum[at + COLUMNS], sum[at + 2u * COLUMNS], sum[at + 3u * COLUMNS]);
      }
      barrier();
      [[unroll]] for (uint q = 0u; q < TASKS; q++) {
        const gt_output_cell p = output_cell(q * LOCAL + me, row0, set0);
        if (p.exists && p.quad == quad)
          [[unroll]] for (uint g = 0u; g < SUMS; g++) total[q][g] = sum_slices(p, g);
      }
    }
  }
  [[unroll]] for (uint q = 0u; q < TASKS; q++) {
    const gt_output_cell p = output_cell(q * LOCAL + me, row0, set0);
    if (p.exists) finish_cell(s, p.row, p.unit, inputs[q], total[q]);
  }
}
