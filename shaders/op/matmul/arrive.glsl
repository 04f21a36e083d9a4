/* Split-K reduction: the last workgroup to finish a tile adds the partial sums (parts.glsl), so no second dispatch is
 * needed. Include after what parts.glsl and columns.glsl need, and the constant SLOW_COMPILER: true for software
 * devices, which compile unrolled code slowly. */
#include "op/matmul/columns.glsl"
#include "op/matmul/parts.glsl"
#ifdef GT_FOLLOWED /* the kernel supports fused consumers of whole rows */
#include "op/matmul/follow.glsl"
#endif

/* The number of parts of a quad that are loaded at once, so that their latencies overlap. Parts: of K (split-K). */
const uint AT_ONCE = SLOW_COMPILER ? 1u : SPLIT < 16u ? SPLIT : 16u;

/* The sum over all parts of quad number `quad` of the result. */
vec4 joined_quad(uint quad) {
  uint apart = batch * m * n / 4u;
  vec4 sum = vec4(0.0), next[AT_ONCE];
  for (uint p = 0u; p < SPLIT; p += AT_ONCE) {
    [[unroll]] for (uint u = 0u; u < AT_ONCE; u++)
      next[u] = GT_CAST(gt_partials4, partial).at[min(p + u, SPLIT - 1u) * apart + quad];
    [[unroll]] for (uint u = 0u; u < AT_ONCE; u++)
      if (p + u < SPLIT) sum = p + u == 0u ? next[u] : sum + next[u];
  }
  return sum;
}

/* The sum over all parts of up to four elements that cannot be read as a quad. */
vec4 joined_some(gt_place place) {
  vec4 sum = vec4(0.0);
  for (uint l = 0u; l < place.lanes; l++) {
    sum[l] = PARTIAL.at[place.first + l];
    for (uint p = 1u; p < SPLIT; p++) sum[l] += PARTIAL.at[p * batch * m * n + place.first + l];
  }
  return sum;
}

/* The sum over all parts of the elements at `place`, read as a quad if that is possible. */
vec4 joined_value(gt_place place) {
  bool quads = ALIGNED != 0u && (GT_PROGRAM_QUADS || (n & 3u) == 0u);
  vec4 v;
  if (quads) v = joined_quad(place.first >> 2);
  else v = joined_some(place);
  return v;
}

#ifdef GT_FOLLOWED
#include "op/matmul/rows_behind.glsl"
#endif

/* Called by the last workgroup of the tile at (m0, n0), which has `high` rows and `wide` columns: adds the parts and
 * runs the epilogue. */
void join_tile(uint z, uint m0, uint n0, uint high, uint wide) {
#ifdef GT_FOLLOWED
  rows_behind(m0, high, wide, true);
  if (ROWS_BEHIND) return;
#endif
  uint across = wide / 4u;
  gt_column_sums sums = columns_none();
  for (uint q = gl_LocalInvocationIndex; q < high * across; q += LOCAL_X) {
    uint i = m0 + q / across, j = n0 + q % across * 4u;
    if (i < m && j < n) {
      gt_place place = gt_place(gt_result_row(z, i) + j, GT_PROGRAM_QUADS ? 4u : min(4u, n - j));
      vec4 v = columns_write(place, joined_value(place), sums);
#ifdef GT_FOLLOWED
      follow_put(i % high, j, wide, v, place.lanes);
#endif
    }
  }
#ifdef GT_FOLLOWED
  follow_rows(m0, high, wide);
#endif
  if (COLUMNS != 0u) { /* all quads of an invocation have the same columns */
    uint me = gl_LocalInvocationIndex, slots = LOCAL_X / across;
    columns_leave(sums, me / across, slots, wide, me % across * 4u, 4u);
    columns_join(slots, wide, m0, high, n0, wide, wide);
  }
}
