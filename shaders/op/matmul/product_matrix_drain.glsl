/* Scale-and-accumulate (product_matrix.glsl): at the end of each scale block (depth) of K, accumulators are multiplied
 * by the scales of their row and column (range.h) and added to the total.
 *
 * If K consists of segments (factor.h), they are also multiplied by derivatives of basis functions. If a derivative
 * depends only on the function and the input, each lane loads the inputs as a matrix with the layout of its
 * accumulators (DERIVES). Otherwise the place of each element must be known: the accumulators are stored to shared
 * memory, where the slab of A was, multiplied there, and loaded again. That is a loop over matrices with one body for
 * all, as in product_matrix_write.glsl. */
const bool SEGMENTED = SEGMENT != 0u;
const bool MATRICES = (FORM & GT_MATRIX_MATRICES) != 0u;
const bool DERIVES = SEGMENTED && FAST && MATRICES && BASIS_FORM != GT_BASIS_KNOTS && BASIS_IS_PLACED == 0u;
const uint LANE_QUADS = (SUMS / 4u + SUBGROUP - 1u) / SUBGROUP;
#define EACH_QUAD(u, q) \
  GT_UNROLL for (uint u = 0u, q = gt_lane(); u < LANE_QUADS; u++, q += SUBGROUP) if (q < SUMS / 4u)

#ifdef GT_MATRIX_SCALED
#define DRAIN(depth) \
  GT_UNROLL for (uint i = 0u; i < DOWN; i++) { \
    gt_sums of_row; \
    GT_LOAD_LINE(of_row, roots, ((depth) % SLOTS * ROOTS + m_mine + i * MATRIX_M) / 4u, true); \
    GT_UNROLL for (uint j = 0u; j < ACROSS; j++) { \
      gt_sums of_column; \
      GT_LOAD_LINE(of_column, roots, ((depth) % SLOTS * ROOTS + BM + n_mine + j * MATRIX_N) / 4u, false); \
      GT_ADD_PRODUCT(total[i * ACROSS + j], sums[i * ACROSS + j], of_row, of_column); \
      GT_SET_SUMS(sums[i * ACROSS + j], 0.0); \
    } \
  }
/* Multiplies a quad of accumulators at a place of the tile by its scales, the squares of its roots. */
vec4 scaled_back(vec4 v, uint depth, uvec2 place) {
  uint row_root = depth % SLOTS * ROOTS + place.x, column_root = depth % SLOTS * ROOTS + BM + place.y;
  vec4 both = uintBitsToFloat(roots[row_root / 4u][row_root % 4u]) * uintBitsToFloat(roots[column_root / 4u]);
  precise vec4 once = v * both, twice = once * both;
  return twice;
}
#else
vec4 scaled_back(vec4 v, uint depth, uvec2 place) { return v; }
#define DRAIN(depth) \
  GT_UNROLL for (uint t = 0u; t < DOWN * ACROSS; t++) { \
    GT_ADD_SUMS(total[t], sums[t]); \
    GT_SET_SUMS(sums[t], 0.0); \
  }
#endif

/* Loads the inputs for a subgroup's tile as accumulator matrices; inputs that do not exist are replaced by others. */
#define BEGIN_SEGMENTS \
  gt_sums inputs[DOWN * ACROSS]; \
  if (DERIVES) { \
    GT_UNROLL for (uint t = 0u; t < DOWN * ACROSS; t++) { \
      uint line = min(m0 + m_mine + t / ACROSS * MATRIX_M, m - MATRIX_M); \
      uint input_ = min(n0 + n_mine + t % ACROSS * MATRIX_N, n - MATRIX_N); \
      GT_LOAD_FLOATS(inputs[t], partial.at, line * basis_inputs + input_, basis_inputs); \
    } \
  }
#define DERIVE(segment) \
  GT_UNROLL for (uint t = 0u; t < DOWN * ACROSS; t++) \
    GT_UNROLL for (uint e = 0u; e < GT_ELEMENTS; e += 4u) { \
      vec4 x; \
      GT_UNROLL for (uint l = 0u; l < 4u; l++) x[l] = GT_ELEMENT(inputs[t], e + l); \
      x = basis_values(x, segment, partial, 0u, 4); \
      GT_UNROLL for (uint l = 0u; l < 4u; l++) GT_ELEMENT(sums[t], e + l) *= x[l]; \
    }

/* Multiplies a matrix of sums by derivatives at the inputs in `partial`, which are as large as the result. mine: its
 * index in shared memory; corner: its place in the tile; tile_at: (m0, n0), the place of the tile. */
void multiply_by_derivatives(uint mine, uint depth, uint segment, uvec2 corner, uvec2 tile_at) {
  vec4 inputs[LANE_QUADS];
  EACH_QUAD(u, q) {
    uvec2 to = tile_at + corner + uvec2(q / (MATRIX_N / 4u), q % (MATRIX_N / 4u) * 4u);
    inputs[u] = segments_inputs(partial, to.x, to.y, to.x < m ? int(n) - int(to.y) : 0, FAST);
  }
  GT_SUBGROUP_BARRIER();
  EACH_QUAD(u, q) {
    uvec2 place = corner + uvec2(q / (MATRIX_N / 4u), q % (MATRIX_N / 4u) * 4u);
    uint input_ = tile_at.y + place.y;
    int left = FAST ? 4 : int(n) - int(input_);
    if (FAST) input_ = min(input_, n - 4u);
    vec4 by = basis_values(inputs[u], segment, partial, input_, left);
    tile_a[mine + q] = floatBitsToUint(by * scaled_back(uintBitsToFloat(tile_a[mine + q]), depth, place));
  }
  GT_SUBGROUP_BARRIER();
}

#define DRAIN_SEGMENT(to, depth, segment) \
  if (DERIVES) { \
    DERIVE(segment) \
    DRAIN(depth) \
  } else for (uint t = 0u, mine = gt_subgroup() * (SUMS / 4u); t < DOWN * ACROSS * min(gl_NumWorkGroups.z, 1u); t++) { \
    GT_UNROLL for (uint s = 0u; s < DOWN * ACROSS; s++) \
      if (s == t) { \
        GT_STORE_WORDS(sums[s], tile_a, mine, MATRIX_N / 4u); \
        GT_SET_SUMS(sums[s], 0.0); \
      } \
    uvec2 corner = uvec2(m_mine + t / ACROSS * MATRIX_M, n_mine + t % ACROSS * MATRIX_N); \
    multiply_by_derivatives(mine, depth, segment, corner, uvec2(m0, n0)); \
    gt_sums drained; \
    GT_LOAD_WORDS(drained, tile_a, mine, MATRIX_N / 4u); \
    GT_UNROLL for (uint s = 0u; s < DOWN * ACROSS; s++) \
      if (s == t) { GT_ADD_SUMS(to[s], drained); } \
    GT_SUBGROUP_BARRIER(); \
  }
