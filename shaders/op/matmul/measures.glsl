/* Amax of the result's rows and columns in a GEMM epilogue, written as roots (range.h) for the next GEMM. The maxima of
 * a tile's rows and columns are combined in shared memory by atomic operations, whose order does not affect the result.
 * Define before the inclusion:
 *   MEASURES_ROWS, MEASURES_COLUMNS    constants: which roots are written
 *   GT_MEASURES_WORD(i)                word i of BM + BN in shared memory, which must be free when a tile is written
 *   GT_MEASURES_OF_ROWS, _OF_COLUMNS   buffers: roots of rows per tile of columns; roots of columns per tile of rows */
const bool MEASURES = MEASURES_ROWS || MEASURES_COLUMNS;
void measures_begin() {
  if (!MEASURES) return;
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < BM + BN; i += LOCAL_X) GT_MEASURES_WORD(i) = 0u;
  barrier();
}

/* Measures `lanes` neighboring values of row i. of_columns: the amax of their columns so far. */
void measures_row(uint i, vec4 v, uint lanes, inout uvec4 of_columns) {
  uvec4 bits = gt_magnitude(v);
  [[unroll]] for (uint l = 1u; l < 4u; l++) if (l >= lanes) bits[l] = 0u;
  uint most = max(max(bits.x, bits.y), max(bits.z, bits.w));
  if (MEASURES_ROWS) atomicMax(GT_MEASURES_WORD(i % BM), most);
  if (MEASURES_COLUMNS) of_columns = max(of_columns, bits);
}

void measures_columns(uint j, uint lanes, uvec4 of_columns) {
  if (MEASURES_COLUMNS)
    [[unroll]] for (uint l = 0u; l < lanes; l++) atomicMax(GT_MEASURES_WORD(BM + j % BN + l), of_columns[l]);
}

/* Writes the roots of the tile at (m0, n0); the last tiles also write those of padding lines. */
void measures_end(uint m0, uint n0) {
  if (!MEASURES) return;
  uint me = gl_LocalInvocationIndex, rows = range_padded(m), columns = range_padded(n);
  barrier();
  for (uint i = me; i < BM + BN; i += LOCAL_X) {
    float root = gt_range_root(GT_MEASURES_WORD(i));
    if (MEASURES_ROWS && i < BM && m0 + i < rows) GT_MEASURES_OF_ROWS.at[n0 / BN * rows + m0 + i] = root;
    uint j = n0 + i - BM;
    if (MEASURES_COLUMNS && i >= BM && j < columns) GT_MEASURES_OF_COLUMNS.at[m0 / BM * columns + j] = root;
  }
  if (MEASURES_ROWS && m0 + BM >= m)
    for (uint i = m0 + BM + me; i < rows; i += LOCAL_X) GT_MEASURES_OF_ROWS.at[n0 / BN * rows + i] = gt_range_root(0u);
  if (MEASURES_COLUMNS && n0 + BN >= n)
    for (uint j = n0 + BN + me; j < columns; j += LOCAL_X)
      GT_MEASURES_OF_COLUMNS.at[m0 / BM * columns + j] = gt_range_root(0u);
}
