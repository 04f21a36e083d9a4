/* The right operand of a step's product, in global memory. */
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;

/* Row k of a set of columns. Columns that do not exist repeat others, and nobody reads their sums. */
void load_weight(uint k, uint set, out float w[COLUMNS]) {
  if (ALIGNED != 0u && COLUMNS == 4u && LINE % 4u == 0u) {
    const vec4 v = GT_CAST(GT_FLOATS4, weight).at[k * (LINE / 4u) + min(set, SPAN - 1u)];
    [[unroll]] for (uint c = 0u; c < COLUMNS; c++) w[c] = v[c];
  } else
    [[unroll]] for (uint c = 0u; c < COLUMNS; c++) w[c] = weight.at[k * LINE + min(set * COLUMNS + c, LINE - 1u)];
}
