/* The roots of the powers that a tile's lines are divided by (range.h), in shared memory while they are used: those of one
 * depth of k and the next. */
#define GT_MATRIX_SCALED
/* Of the lines of A's tile, then of B's, the roots of their powers of two over this depth of k and the next (range.h). */
const uint ROOTS = BM + BN, OWN_ROOTS = (ROOTS + LOCAL_X - 1u) / LOCAL_X, SLOTS = 2u;
shared uvec4 roots[SLOTS * ROOTS / 4u]; /* their bits */
shared uint special; /* is there an infinity or NaN? */

/* Of a factor that a product has measured by shorter tiles, a depth has two. */
const bool HALVED_A = (FORM & GT_MATRIX_HALVED_A) != 0u, HALVED_B = (FORM & GT_MATRIX_HALVED_B) != 0u;
const uint ROOT_PARTS = HALVED_A || HALVED_B ? 2u : 1u, FETCHED_ROOTS = OWN_ROOTS * ROOT_PARTS;
uint root_tile(bool halved, uint depth, uint part) {
  return halved ? min(2u * depth + part, (k + GT_RANGE_DEPTH / 2u - 1u) / (GT_RANGE_DEPTH / 2u) - 1u) : depth;
}

const bool EVEN_A = (FORM & GT_MATRIX_EVEN_A) != 0u, EVEN_B = (FORM & GT_MATRIX_EVEN_B) != 0u;

/* Where in memory the i-th root of a tile stands. */
uint root_address(uint z, uvec2 at, uint depth, uint part, uint i) {
  uint of_a = EVEN_A ? 0u : range_a(z, root_tile(HALVED_A, depth, part)) + at.x + i;
  uint of_b = EVEN_B ? 0u : range_b(z, root_tile(HALVED_B, depth, part)) + at.y + i - BM;
  return i < BM ? of_a : of_b;
}
float root_at(uint z, uvec2 at, uint depth, uint part, uint i) {
  GT_FLOATS from = range;
  if (RANGES_APART) from = GT_FLOATS(i < BM ? uvec2(range) : uvec2(geometry));
  return from.at[root_address(z, at, depth, part, i)];
}
#define FETCH_ROOTS(depth) \
  GT_UNROLL for (uint r = 0u; r < FETCHED_ROOTS; r++) \
    next_root[r] = root_at(z, uvec2(m0, n0), min(depth, range_depths() - 1u), r % ROOT_PARTS, \
                           min(me + r / ROOT_PARTS * LOCAL_X, ROOTS - 1u));
#define PUT_ROOTS(depth) \
  GT_UNROLL for (uint r = 0u; r < OWN_ROOTS; r++) \
    if (me + r * LOCAL_X < ROOTS) { \
      uint to = (depth) % SLOTS * ROOTS + me + r * LOCAL_X; \
      float root = max(next_root[r * ROOT_PARTS], next_root[r * ROOT_PARTS + ROOT_PARTS - 1u]); \
      roots[to / 4u][to % 4u] = floatBitsToUint(root); \
      if (isinf(root)) special = 1u; \
    }

/* What this product finds of its result's lines (GT_MATRIX_MEASURES_…) is joined in their place, when they have been used:
 * the largest of rows, then of columns. Which comes first makes no difference to the largest. */
const bool MEASURES_ROWS = (FORM & GT_MATRIX_MEASURES_ROWS) != 0u;
const bool MEASURES_COLUMNS = (FORM & GT_MATRIX_MEASURES_COLUMNS) != 0u, MEASURES = MEASURES_ROWS || MEASURES_COLUMNS;
void measures_begin() {
  if (!MEASURES) return;
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < ROOTS; i += LOCAL_X) roots[i / 4u][i % 4u] = 0u;
  barrier();
}
/* A quad of row i, and what is so far the largest of its columns. */
void measures_row(uint i, vec4 v, inout uvec4 of_columns) {
  uvec4 bits = gt_magnitude(v);
  uint most = max(max(bits.x, bits.y), max(bits.z, bits.w));
  if (MEASURES_ROWS) atomicMax(roots[i % BM / 4u][i % 4u], most);
  if (MEASURES_COLUMNS) of_columns = max(of_columns, bits);
}
void measures_columns(uint j, uvec4 of_columns) {
  if (MEASURES_COLUMNS)
    GT_UNROLL for (uint l = 0u; l < 4u; l++) atomicMax(roots[(BM + j % BN) / 4u][l], of_columns[l]);
}
void measures_end(uint m0, uint n0) {
  if (!MEASURES) return;
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < ROOTS; i += LOCAL_X) {
    float root = range_root(roots[i / 4u][i % 4u]);
    if (MEASURES_ROWS && i < BM) partial.at[n0 / BN * range_padded(m) + m0 + i] = root;
    if (MEASURES_COLUMNS && i >= BM) arrivals.at[m0 / BM * range_padded(n) + n0 + i - BM] = floatBitsToUint(root);
  }
}
