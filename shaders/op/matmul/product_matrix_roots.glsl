/* The roots of the powers that a tile's lines are divided by (range.h), in shared memory while they are used: those of one
 * depth of k and the next. */
#define GT_MATRIX_SCALED
/* Of the lines of A's tile, then of B's, the roots of their powers of two over this depth of k and the next (range.h). */
const uint ROOTS = BM + BN, OWN_ROOTS = (ROOTS + LOCAL_X - 1u) / LOCAL_X, SLOTS = 2u;
shared uvec4 roots[SLOTS * ROOTS / 4u]; /* their bits */
shared uint special; /* is there an infinity or NaN? */

/* Where in memory the i-th root of a tile stands. */
uint root_address(uint z, uvec2 at, uint depth, uint i) {
  return i < BM ? range_a(z, depth) + at.x + i : range_b(z, depth) + at.y + i - BM;
}
#define FETCH_ROOTS(depth) \
  GT_UNROLL for (uint r = 0u; r < OWN_ROOTS; r++) \
    next_root[r] = range.at[root_address(z, uvec2(m0, n0), min(depth, range_depths() - 1u), min(me + r * LOCAL_X, ROOTS - 1u))];
#define PUT_ROOTS(depth) \
  GT_UNROLL for (uint r = 0u; r < OWN_ROOTS; r++) \
    if (me + r * LOCAL_X < ROOTS) { \
      uint to = (depth) % SLOTS * ROOTS + me + r * LOCAL_X; \
      roots[to / 4u][to % 4u] = floatBitsToUint(next_root[r]); \
      if (isinf(next_root[r])) special = 1u; \
    }
