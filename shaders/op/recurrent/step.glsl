/* Way C: one step, a workgroup for a tile of rows and sets of columns. Both operands of the product are staged in shared
 * memory, the next part of its depth being fetched while the invocations multiply one, each over a slice of it. */
const uint CHUNK = GT_RECURRENT_CHUNK, ROWS = 4u * QUADS, PITCH = ROWS + 4u, WIDE = COLUMNS * SETS;
const uint STRIP = CHUNK < 4u * SLICES ? CHUNK / SLICES : 4u; /* unrolled: more would spill registers */
const uint LEFTS = (CHUNK * ROWS + LOCAL - 1u) / LOCAL, RIGHTS = (CHUNK * WIDE + LOCAL - 1u) / LOCAL;
const uint CELLS = ROWS * SETS * UNITS, TASKS = (CELLS + LOCAL - 1u) / LOCAL;
shared vec4 left[CHUNK * PITCH / 4u];      /* [k][row] */
shared float right[CHUNK * WIDE];          /* [k][column][set] */
shared vec4 part[SLICES * WIDE * QUADS];   /* sums [slice][column][quad of rows][set] */

void fetch(uint s, uint k0, uint row0, uint set0, out float a[LEFTS], out float b[RIGHTS]) {
  const uint me = gl_LocalInvocationIndex;
  [[unroll]] for (uint i = 0u; i < LEFTS; i++) {
    const uint at = i * LOCAL + me, k = k0 + at % CHUNK, row = row0 + at / CHUNK;
    a[i] = k < DEPTH && row < batch && at < CHUNK * ROWS ? left_of(s, row, k) : 0.0;
  }
  [[unroll]] for (uint i = 0u; i < RIGHTS; i++) {
    const uint at = i * LOCAL + me, k = k0 + at / WIDE, column = set0 * COLUMNS + at % WIDE;
    b[i] = k < DEPTH && column < LINE && at < CHUNK * WIDE ? weight.at[k * LINE + column] : 0.0;
  }
}

/* Neighboring columns are loaded together; a set's are apart in `right`, so that sets read neighboring words. */
uint place_of_right(uint at) { return at / WIDE * WIDE + at % COLUMNS * SETS + at % WIDE / COLUMNS; }

void stage(float a[LEFTS], float b[RIGHTS]) {
  const uint me = gl_LocalInvocationIndex;
  [[unroll]] for (uint i = 0u; i < LEFTS; i++) {
    const uint at = i * LOCAL + me, to = at % CHUNK * PITCH + at / CHUNK;
    if (at < CHUNK * ROWS) left[to >> 2u][to & 3u] = a[i];
  }
  [[unroll]] for (uint i = 0u; i < RIGHTS; i++)
    if (i * LOCAL + me < CHUNK * WIDE) right[place_of_right(i * LOCAL + me)] = b[i];
}

void multiply(uint s, uint row0, uint set0) {
  const uint me = gl_LocalInvocationIndex, set = me % SETS, quad = me / SETS % QUADS, slice = me / (SETS * QUADS);
  float a[LEFTS], b[RIGHTS];
  vec4 sum[COLUMNS];
  [[unroll]] for (uint c = 0u; c < COLUMNS; c++) sum[c] = vec4(0.0);
  fetch(s, 0u, row0, set0, a, b);
  for (uint k0 = 0u; k0 < DEPTH; k0 += CHUNK) {
    stage(a, b);
    barrier();
    if (k0 + CHUNK < DEPTH) fetch(s, k0 + CHUNK, row0, set0, a, b);
    [[dont_unroll]] for (uint strip = 0u; strip < CHUNK; strip += STRIP * SLICES)
      [[unroll]] for (uint i = 0u; i < STRIP; i++) {
        const uint k = strip + i * SLICES + slice;
        const vec4 rows = left[k * (PITCH / 4u) + quad];
        [[unroll]] for (uint c = 0u; c < COLUMNS; c++)
          sum[c] = fma(vec4(right[k * WIDE + c * SETS + set]), rows, sum[c]);
      }
    barrier();
  }
  [[unroll]] for (uint c = 0u; c < COLUMNS; c++) part[((slice * COLUMNS + c) * QUADS + quad) * SETS + set] = sum[c];
  barrier();
}

/* A cell of the tile: four neighbours are one unit's. */
struct gt_place {
  uint row, unit, at; /* at: of its first sum in `part` */
  bool exists;
};

gt_place place_of(uint task, uint row0, uint set0) {
  gt_place p;
  const uint set = task / 4u % SETS, quad = task / (4u * SETS) % QUADS;
  const uint c = task / (ROWS * SETS); /* unit of the set */
  p.row = row0 + 4u * quad + task % 4u;
  p.unit = (set0 + set) * UNITS + c;
  p.at = (c * SUMS * QUADS + quad) * SETS + set;
  p.exists = task < CELLS && p.row < batch && set0 + set < SPAN && p.unit < HIDDEN;
  return p;
}

void join(uint s, gt_place p, out float sum[4]) {
  for (uint g = 0u; g < 4u; g++) sum[g] = 0.0;
  if (!has_product(s)) return;
  for (uint i = 0u; i < SLICES; i++)
    [[unroll]] for (uint g = 0u; g < SUMS; g++)
      sum[g] += part[p.at + (i * COLUMNS + g) * SETS * QUADS][p.row & 3u];
}

void main() {
  const uint across = (SPAN + SETS - 1u) / SETS, group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
  const uint set0 = group % across * SETS, row0 = group / across * ROWS, s = first;
  gt_begun begun[TASKS];
  if (row0 >= batch) return;
  [[unroll]] for (uint q = 0u; q < TASKS; q++) {
    const gt_place p = place_of(q * LOCAL + gl_LocalInvocationIndex, row0, set0);
    if (p.exists) begun[q] = begin(s, p.row, p.unit);
  }
  if (has_product(s)) multiply(s, row0, set0);
  [[unroll]] for (uint q = 0u; q < TASKS; q++) {
    const gt_place p = place_of(q * LOCAL + gl_LocalInvocationIndex, row0, set0);
    float sum[4];
    if (p.exists) {
      join(s, p, sum);
      finish(s, p.row, p.unit, begun[q], sum);
    }
  }
}
