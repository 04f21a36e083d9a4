/* Epilogue of GEMM on matrix units (product_matrix.glsl). Each subgroup stores its accumulators to shared memory, where
 * slabs were, PIECE matrices side by side (a piece), so that whole cache lines are written and all quads of a lane have
 * the same columns. The loads of the epilogue for AT_A_TIME quads are in flight at once; for quads that do not exist it
 * loads the inputs of others. */
const uint PIECE_QUADS = PIECE * MATRIX_N / 4u, PIECE_DOWN = SUBGROUP / PIECE_QUADS;
#ifdef GT_MATRIX_UNITS
const uint AT_A_TIME = QUADS ? 4u : 1u;
#else
const uint AT_A_TIME = 1u;
#endif

/* Column reductions are in the memory of the slabs, too. */
void columns_put(uint word, float value) { tile_b[word / 4u][word % 4u] = floatBitsToUint(value); }
float columns_get(uint word) { return uintBitsToFloat(tile_b[word / 4u][word % 4u]); }
void columns_put_more(uint word, float value) { tile_a[word / 4u][word % 4u] = floatBitsToUint(value); }
float columns_get_more(uint word) { return uintBitsToFloat(tile_a[word / 4u][word % 4u]); }

/* Roots of the result (measures.glsl), for scaled operands only. */
#ifdef GT_MATRIX_SCALED
#define MEASURE_BEGIN measures_begin();
#define MEASURE_ROW(i, v, most) \
  if (MEASURES) measures_row(i, v, 4u, most);
#define MEASURE_COLUMNS(j, most) \
  if (MEASURES) measures_columns(j, 4u, most); \
  most = uvec4(0u);
#define MEASURE_END(m0, n0) measures_end(m0, n0);
#else
#define MEASURE_BEGIN
#define MEASURE_ROW(i, v, most)
#define MEASURE_COLUMNS(j, most)
#define MEASURE_END(m0, n0)
#endif

/* Runs the epilogue for a piece and writes it. Its first element is (from_m, from_n); mine: its index in shared
 * memory. */
void write_piece(uint z, uint from_m, uint from_n, uint mine, inout gt_column_sums joined_sums, inout uvec4 most) {
  uint row_of_mine = gt_lane() / PIECE_QUADS, quad = gt_lane() % PIECE_QUADS;
  uint j = from_n + 4u * quad, column = j < n ? j : 0u, lanes = QUADS ? 4u : min(4u, n - column);
  for (uint first = row_of_mine; first < MATRIX_M; first += AT_A_TIME * PIECE_DOWN) {
    vec4 result[AT_A_TIME][GT_PROGRAM_OUTPUTS];
    gt_place place[AT_A_TIME];
    GT_UNROLL for (uint u = 0u; u < AT_A_TIME; u++) {
      uint down = min(first + u * PIECE_DOWN, MATRIX_M - 1u);
      vec4 v = uintBitsToFloat(tile_a[mine + down * PIECE_ROW + quad]);
      place[u] = gt_place(gt_result_row(z, min(from_m + down, m - 1u)) + column, lanes);
      if (SPLIT > 1u) result[u][0] = v;
      else gt_program(place[u], v, result[u]);
    }
    GT_UNROLL for (uint u = 0u; u < AT_A_TIME; u++) {
      uint down = first + u * PIECE_DOWN;
      if (down < MATRIX_M && from_m + down < m && j < n) {
        if (SPLIT > 1u) part_store(gt_place(gl_WorkGroupID.y * batch * m * n + place[u].first, lanes), result[u][0]);
        else {
          columns_keep(place[u], result[u], joined_sums);
          MEASURE_ROW(from_m + down, result[u][0], most)
        }
      }
    }
  }
}

/* Reduces the columns of piece p over all subgroups. */
void join_piece(uint p, uint m0, uint n0, gt_column_sums joined_sums) {
  uint slot = gt_subgroup() / SUBGROUPS_N * PIECE_DOWN + gt_lane() / PIECE_QUADS, slots = BM / SM * PIECE_DOWN;
  uint piece_columns = PIECE * MATRIX_N;
  uint first = gt_subgroup() % SUBGROUPS_N * piece_columns + gt_lane() % PIECE_QUADS * 4u;
  barrier(); /* the other subgroups have read their pieces */
  columns_leave(joined_sums, slot, slots, SUBGROUPS_N * piece_columns, first, 4u);
  columns_join(slots, SUBGROUPS_N * piece_columns, m0, BM, n0 + p * piece_columns, piece_columns, SN);
}

/* Writes all accumulators, piece by piece, in a loop with one body for all pieces. Compilers cannot know its count
 * (`one`), so they do not unroll it: straight code that runs only once takes longer to load from memory than to run. */
#define WRITE_SUMS \
  gt_column_sums columns = columns_none(); \
  uvec4 most = uvec4(0u); \
  MEASURE_BEGIN \
  uint mine = gt_subgroup() * MATRIX_M * PIECE_ROW, one = min(gl_NumWorkGroups.z, 1u); \
  [[dont_unroll]] for (uint p = 0u; p < ACROSS / PIECE * one; p++) { \
    [[dont_unroll]] for (uint i = 0u; i < DOWN * one; i++) { \
      GT_UNROLL for (uint t = 0u; t < DOWN * ACROSS; t++) \
        if (t / ACROSS == i && t % ACROSS / PIECE == p) { \
          GT_STORE_WORDS(total[t], tile_a, mine + t % PIECE * (MATRIX_N / 4u), PIECE_ROW); \
        } \
      GT_SUBGROUP_BARRIER(); \
      write_piece(z, m0 + m_mine + i * MATRIX_M, n0 + n_mine + p * PIECE * MATRIX_N, mine, columns, most); \
      GT_SUBGROUP_BARRIER(); \
    } \
    MEASURE_COLUMNS(n_mine + p * PIECE * MATRIX_N + gt_lane() % PIECE_QUADS * 4u, most) \
    if (COLUMNS != 0u && SPLIT == 1u) { \
      join_piece(p, m0, n0, columns); \
      columns = columns_none(); \
    } \
  } \
  MEASURE_END(m0, n0)
