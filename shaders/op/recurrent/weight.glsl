/* Loads the right operand of a step's product from global memory. */
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;

/* Loads row k of a set of columns. Indices after the last column are clamped to it; the sums of such columns are not
 * used. */
void load_weight(uint k, uint set, out float w[COLUMNS]) {
  if (ALIGNED != 0u && COLUMNS == 4u && WEIGHT_ROW % 4u == 0u) {
    const vec4 v = GT_CAST(GT_FLOATS4, weight).at[k * (WEIGHT_ROW / 4u) + min(set, ALL_SETS - 1u)];
    [[unroll]] for (uint c = 0u; c < COLUMNS; c++) w[c] = v[c];
  } else
    [[unroll]] for (uint c = 0u; c < COLUMNS; c++)
      w[c] = weight.at[k * WEIGHT_ROW + min(set * COLUMNS + c, WEIGHT_ROW - 1u)];
}
