/* How sums leave the units (product_matrix.glsl): at the end of each depth of k they are multiplied by the roots of
 * their lines' powers (range.h) and added to totals.
 *
 * Of a product in segments (factor.h) they are multiplied by derivatives of basis functions as well, which takes knowing
 * where an element stands: they go through shared memory, by way of the slab of A, which is used up, and the totals are
 * an invocation's own quads. */
const bool SEGMENTED = SEGMENT != 0u;
const uint LANE_QUADS = (SUMS / 4u + SUBGROUP - 1u) / SUBGROUP, ALL_QUADS = DOWN * ACROSS * LANE_QUADS;
const uint ROW_QUADS = ACROSS * LANE_QUADS;
const uint KEPT = SEGMENTED ? ALL_QUADS : 1u;

/* The u-th quad of a lane in matrix (i, j), as (row, column) of the product. */
uvec2 kept_place(uint i, uint j, uint q, uvec2 corner) {
  return corner + uvec2(i * MATRIX_M + q / (MATRIX_N / 4u), j * MATRIX_N + q % (MATRIX_N / 4u) * 4u);
}
#define EACH_QUAD(u, q) \
  GT_UNROLL for (uint u = 0u, q = gt_lane(); u < LANE_QUADS; u++, q += SUBGROUP) if (q < SUMS / 4u)

#ifdef GT_MATRIX_SCALED
#define GET_ROW_ROOTS(depth, i) \
  gt_sums of_row; \
  GT_LOAD_LINE(of_row, roots, ((depth) % SLOTS * ROOTS + m_mine + (i) * MATRIX_M) / 4u, true);
#define ADD_SCALED(to, depth, t, j) \
  { \
    gt_sums of_column; \
    GT_LOAD_LINE(of_column, roots, ((depth) % SLOTS * ROOTS + BM + n_mine + (j) * MATRIX_N) / 4u, false); \
    GT_ADD_PRODUCT(to, sums[t], of_row, of_column); \
  }
#define DRAIN(depth) \
  GT_UNROLL for (uint i = 0u; i < DOWN; i++) { \
    GET_ROW_ROOTS(depth, i) \
    GT_UNROLL for (uint j = 0u; j < ACROSS; j++) { \
      ADD_SCALED(total[i * ACROSS + j], depth, i * ACROSS + j, j) \
      GT_SET_SUMS(sums[i * ACROSS + j], 0.0); \
    } \
  }
#define STORE_SCALED(depth, t, j, to) \
  gt_sums scaled; \
  GT_SET_SUMS(scaled, 0.0); \
  ADD_SCALED(scaled, depth, t, j) \
  GT_STORE_WORDS(scaled, tile_a, to, MATRIX_N / 4u);
#else
#define GET_ROW_ROOTS(depth, i)
#define STORE_SCALED(depth, t, j, to) GT_STORE_WORDS(sums[t], tile_a, to, MATRIX_N / 4u);
#endif

/* `partial` is what is drained with: inputs, as large as the result. Those of a row of matrices are asked for at once. */
#define DRAIN_SEGMENT(depth, segment) \
  GT_UNROLL for (uint i = 0u; i < DOWN; i++) { \
    vec4 inputs[ROW_QUADS]; \
    GET_ROW_ROOTS(depth, i) \
    GT_UNROLL for (uint j = 0u; j < ACROSS; j++) \
      EACH_QUAD(u, q) { \
        uvec2 to = kept_place(i, j, q, uvec2(m0 + m_mine, n0 + n_mine)); \
        inputs[j * LANE_QUADS + u] = segments_inputs(partial, to.x, to.y, to.x < m ? int(n) - int(to.y) : 0, FAST); \
      } \
    GT_UNROLL for (uint j = 0u; j < ACROSS; j++) { \
      uint t = i * ACROSS + j, mine = gt_subgroup() * (SUMS / 4u); \
      STORE_SCALED(depth, t, j, mine) \
      GT_SET_SUMS(sums[t], 0.0); \
      GT_SUBGROUP_BARRIER(); \
      EACH_QUAD(u, q) { \
        uint input_ = kept_place(i, j, q, uvec2(m0 + m_mine, n0 + n_mine)).y; \
        int left = FAST ? 4 : int(n) - int(input_); \
        if (FAST) input_ = min(input_, n - 4u); \
        vec4 by = basis_values(inputs[j * LANE_QUADS + u], segment, partial, input_, left); \
        kept[t * LANE_QUADS + u] = fma(by, uintBitsToFloat(tile_a[mine + q]), kept[t * LANE_QUADS + u]); \
      } \
      GT_SUBGROUP_BARRIER(); \
    } \
  }
#define WRITE_KEPT \
  gt_column_sums nothing = columns_none(); \
  GT_UNROLL for (uint t = 0u; t < DOWN * ACROSS; t++) \
    EACH_QUAD(u, q) { \
      uvec2 to = kept_place(t / ACROSS, t % ACROSS, q, uvec2(m0 + m_mine, n0 + n_mine)); \
      write(z, to.x, to.y, kept[t * LANE_QUADS + u], nothing); \
    }
