/* Way C: one step, a workgroup for a tile of rows and sets of columns. An invocation multiplies all rows of the tile by one
 * set of columns over a slice of the depth. Its part of the weight goes to registers, as no other invocation of the
 * workgroup needs it; the left operand, which all of them need, goes through shared memory. Both are loaded a chunk of the
 * depth ahead. The sums of the slices are then joined in shared memory, four rows at a time. */
const uint ROWS = 4u * QUADS;
const uint CHUNK = KEEP / 4u * SLICES, SIDE = CHUNK * ROWS; /* vec4 of a chunk: in a row of the left operand, in all */
const uint PITCH = COLUMNS + 1u; /* of a set's sums; one more than there are, which avoids bank conflicts */
const uint PARTS = LOCAL * PITCH, POOL = 2u * SIDE > PARTS ? 2u * SIDE : PARTS;
const uint LEFTS = (SIDE + LOCAL - 1u) / LOCAL, WEIGHTS = KEEP * COLUMNS, SUMMED = ROWS * COLUMNS;
const uint CELLS = ROWS * SETS * UNITS, TASKS = (CELLS + LOCAL - 1u) / LOCAL;
const bool LEFT_ALIGNED = ALIGNED != 0u && HIDDEN % 4u == 0u;
shared vec4 pool[POOL]; /* first two chunks of the left operand, [row][k / 4]; then sums, [slice][set][column] */

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

void load_lefts(uint s, uint k0, uint row0, out vec4 a[LEFTS]) {
  [[unroll]] for (uint i = 0u; i < LEFTS; i++) {
    const uint at = i * LOCAL + gl_LocalInvocationIndex;
    if (at < SIDE) a[i] = load_left(s, row0 + at / CHUNK, k0 + at % CHUNK);
  }
}

void stage_lefts(uint to, vec4 a[LEFTS]) {
  [[unroll]] for (uint i = 0u; i < LEFTS; i++) {
    const uint at = i * LOCAL + gl_LocalInvocationIndex;
    if (at < SIDE) pool[to + at] = a[i];
  }
}

/* Rows after the end of the depth repeat the last: the left operand is 0 there. */
void load_weights(uint k0, uint set, uint slice, out float w[WEIGHTS]) {
  [[unroll]] for (uint i = 0u; i < KEEP; i++) {
    float line[COLUMNS];
    load_weight(min(4u * (k0 + i / 4u * SLICES + slice) + i % 4u, DEPTH - 1u), set, line);
    [[unroll]] for (uint c = 0u; c < COLUMNS; c++) w[i * COLUMNS + c] = line[c];
  }
}

/* The sums of this invocation's slice, [row][column]. */
void multiply(uint s, uint row0, uint set, uint slice, out float sum[SUMMED]) {
  vec4 a[LEFTS];
  float w[WEIGHTS], next[WEIGHTS];
  uint from = 0u;
  [[unroll]] for (uint i = 0u; i < SUMMED; i++) sum[i] = 0.0;
  load_lefts(s, 0u, row0, a);
  load_weights(0u, set, slice, next);
  [[dont_unroll]] for (uint k0 = 0u; 4u * k0 < DEPTH; k0 += CHUNK) {
    stage_lefts(from, a);
    [[unroll]] for (uint i = 0u; i < WEIGHTS; i++) w[i] = next[i];
    barrier();
    if (4u * (k0 + CHUNK) < DEPTH) {
      load_lefts(s, k0 + CHUNK, row0, a);
      load_weights(k0 + CHUNK, set, slice, next);
    }
    [[unroll]] for (uint i = 0u; i < KEEP / 4u; i++)
      [[unroll]] for (uint r = 0u; r < ROWS; r++) {
        const vec4 left = pool[from + r * CHUNK + i * SLICES + slice];
        [[unroll]] for (uint j = 0u; j < 4u; j++)
          [[unroll]] for (uint c = 0u; c < COLUMNS; c++)
            sum[r * COLUMNS + c] = fma(w[(4u * i + j) * COLUMNS + c], left[j], sum[r * COLUMNS + c]);
      }
    from = SIDE - from;
  }
}

/* A cell of the tile: four neighbors are the rows of one unit, and the next four those of the next unit. */
struct gt_place {
  uint quad, row, unit, at; /* at: of its first sum in `pool` */
  bool exists;
};

gt_place place_of(uint task, uint row0, uint set0) {
  gt_place p;
  const uint unit = task / 4u % (SETS * UNITS);
  p.quad = task / (4u * SETS * UNITS);
  p.row = row0 + 4u * p.quad + task % 4u;
  p.unit = set0 * UNITS + unit;
  p.at = unit / UNITS * PITCH + unit % UNITS * SUMS;
  p.exists = task < CELLS && p.row < batch && p.unit < HIDDEN;
  return p;
}

float join(gt_place p, uint g) {
  float sum = 0.0;
  for (uint slice = 0u; slice < SLICES; slice++) sum += pool[slice * SETS * PITCH + p.at + g][p.row & 3u];
  return sum;
}

void main() {
  const uint me = gl_LocalInvocationIndex, set = me % SETS, slice = me / SETS, s = first;
  const uint across = (SPAN + SETS - 1u) / SETS, group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
  const uint set0 = group % across * SETS, row0 = group / across * ROWS;
  gt_begun begun[TASKS];
  float total[TASKS][4], sum[SUMMED];
  if (row0 >= batch) return;
  [[unroll]] for (uint q = 0u; q < TASKS; q++) {
    const gt_place p = place_of(q * LOCAL + me, row0, set0);
    [[unroll]] for (uint g = 0u; g < 4u; g++) total[q][g] = 0.0;
    if (p.exists) begun[q] = begin(s, p.row, p.unit);
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
        const gt_place p = place_of(q * LOCAL + me, row0, set0);
        if (p.exists && p.quad == quad)
          [[unroll]] for (uint g = 0u; g < SUMS; g++) total[q][g] = join(p, g);
      }
    }
  }
  [[unroll]] for (uint q = 0u; q < TASKS; q++) {
    const gt_place p = place_of(q * LOCAL + me, row0, set0);
    if (p.exists) finish(s, p.row, p.unit, begun[q], total[q]);
  }
}
