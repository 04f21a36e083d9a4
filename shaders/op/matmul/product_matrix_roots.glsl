/* The roots (range.h) of a tile's rows and columns, in shared memory for the current and the next scale block (depth)
 * of K. */
#define GT_MATRIX_SCALED
/* A slot has the roots of one depth: first of the tile's rows of A, then of its columns of B. */
const uint ROOTS = BM + BN, OWN_ROOTS = (ROOTS + LOCAL_X - 1u) / LOCAL_X, SLOTS = 2u;
shared uvec4 roots[SLOTS * ROOTS / 4u]; /* their bits */
shared uint special; /* true if there is an infinity or NaN */

/* Roots per depth: an operand whose roots another GEMM has written has two or four if the tiles of that GEMM were
 * shorter. */
const uint PARTS_A = 1u << (FORM / GT_MATRIX_PARTS_A & 3u), PARTS_B = 1u << (FORM / GT_MATRIX_PARTS_B & 3u);
const bool MORE_OF_A = PARTS_A > PARTS_B;
const uint ROOT_PARTS = MORE_OF_A ? PARTS_A : PARTS_B, FETCHED_ROOTS = OWN_ROOTS * ROOT_PARTS;
/* The number of the root for part `part` of a depth: roots are per tile of the GEMM that has written them, or per
 * depth. */
uint root_tile(uint parts, uint depth, uint part) {
  uint tile = GT_RANGE_DEPTH / parts;
  return parts > 1u ? min(parts * depth + part % parts, (k + tile - 1u) / tile - 1u) : depth;
}

const bool EVEN_A = (FORM & GT_MATRIX_EVEN_A) != 0u, EVEN_B = (FORM & GT_MATRIX_EVEN_B) != 0u;

/* Index of the i-th root of a tile in its buffer. */
uint root_address(uint z, uvec2 at, uint depth, uint part, uint i) {
  uint line = RANGE_OF_INPUTS ? range_of_column(at.x + i) : at.x + i;
  uint of_a = EVEN_A ? 0u : range_a(z, root_tile(PARTS_A, depth, part)) + line;
  uint of_b = EVEN_B ? 0u : range_b(z, root_tile(PARTS_B, depth, part)) + at.y + i - BM;
  return i < BM ? of_a : of_b;
}
float root_at(uint z, uvec2 at, uint depth, uint part, uint i) {
  GT_FLOATS from = range;
  if (RANGES_APART) from = GT_FLOATS(i < BM ? uvec2(range) : uvec2(x[GT_MATRIX_ROOTS_B]));
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
      float root = next_root[r * ROOT_PARTS]; \
      GT_UNROLL for (uint p = 1u; p < ROOT_PARTS; p++) root = max(root, next_root[r * ROOT_PARTS + p]); \
      if (RANGE_OF_INPUTS && me + r * LOCAL_X < BM) root = range_root_of_column(root, m0 + me + r * LOCAL_X); \
      roots[to / 4u][to % 4u] = floatBitsToUint(root); \
      if (floatBitsToUint(root) == 0x7f800000u) special = 1u; \
    }

/* The amax of the result's rows and columns are combined in the memory of the roots, after these have been used. */
const bool MEASURES_ROWS = (FORM & GT_MATRIX_MEASURES_ROWS) != 0u;
const bool MEASURES_COLUMNS = (FORM & GT_MATRIX_MEASURES_COLUMNS) != 0u;
#define GT_MEASURES_WORD(i)    roots[(i) / 4u][(i) % 4u]
#define GT_MEASURES_OF_ROWS    partial
#define GT_MEASURES_OF_COLUMNS GT_CAST(GT_FLOATS, arrivals)
#include "op/matmul/measures.glsl"
