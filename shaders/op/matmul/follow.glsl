/* What follows a result, row by row, where a tile has whole rows of it: cross-entropy and its gradient by logits, which
 * kernels behind a network's last layer would read them again for. For a kernel that has the arguments of matmul.h,
 * lib/program.glsl, LOCAL_X, and what columns.glsl wants; of the epilogue's arguments it leaves two inputs and one output
 * free (GT_FOLLOW_…). */
#include "op/cross_entropy.glsl"
layout(constant_id = GT_FACTOR_SPEC_FOLLOWED) const uint FOLLOWED_BY = 0u;
layout(constant_id = GT_FACTOR_SPEC_SMOOTHING) const uint SMOOTHING = 0u;
const bool FOLLOWED = FOLLOWED_BY != 0u;
const bool BY_SLOPE = (FOLLOWED_BY & GT_FOLLOWED_BY_SLOPE) != 0u, BY_LOSS = (FOLLOWED_BY & GT_FOLLOWED_BY_LOSS) != 0u;

/* Rows lie in shared memory such that neighbours' do not begin in the same bank. */
uint follow_word(uint i, uint j, uint wide) { return i * (wide + 1u) + j; }

void follow_put(uint i, uint j, uint wide, vec4 v, uint lanes) {
  if (FOLLOWED)
    for (uint l = 0u; l < lanes; l++) columns_put(follow_word(i, j + l, wide), v[l]);
}

/* Four logits; behind the last one such whose exponentials are 0. */
vec4 follow_quad(uint i, uint c, uint wide) {
  vec4 z = vec4(-gt_infinity());
  [[unroll]] for (uint l = 0u; l < 4u; l++)
    if (c + l < n) z[l] = columns_get(follow_word(i, c + l, wide));
  return z;
}

void follow_row(uint r, uint i, uint wide, uint label, float factor) {
  float background = uintBitsToFloat(SMOOTHING) / float(n), own = 1.0 - uintBitsToFloat(SMOOTHING);
  float largest = -gt_infinity(), sum = 0.0, shifted = 0.0;
  for (uint c = 0u; c < n; c += 4u) {
    vec4 z = follow_quad(i, c, wide);
    largest = max(max(largest, max(z.x, z.y)), max(z.z, z.w));
  }
  for (uint c = 0u; c < n; c += 4u) {
    vec4 z = follow_quad(i, c, wide) - largest, e = gt_exp(z);
    [[unroll]] for (uint l = 0u; l < 4u; l++)
      if (c + l < n) {
        sum += e[l];
        shifted += z[l];
      }
  }
  if (BY_LOSS) {
    float value = gt_log(vec4(sum)).x - own * (columns_get(follow_word(i, min(label, n - 1u), wide)) - largest);
    if (SMOOTHING != 0u) value -= background * shifted;
    range.at[r] = label < n ? value : gt_nan();
  }
  if (label >= n) factor = gt_nan();
  for (uint c = 0u; c < n && BY_SLOPE; c += 4u) {
    vec4 target = vec4(background);
    [[unroll]] for (uint l = 0u; l < 4u; l++) if (c + l == label) target[l] += own;
    vec4 slope = gt_cross_entropy_slope(follow_quad(i, c, wide), largest, sum, 1.0, target, factor);
    [[unroll]] for (uint l = 0u; l < 4u; l++) if (c + l < n) y[GT_FOLLOW_Y].at[r * n + c + l] = slope[l];
  }
}

/* All invocations call it, when they have put what they have of the rows from m0 on. What it reads of memory is asked for
 * before the others are waited for. */
void follow_rows(uint m0, uint high, uint wide) {
  if (!FOLLOWED) return;
  uint me = gl_LocalInvocationIndex, first = min(m0 + me, m - 1u);
  uint label = GT_CAST(GT_WORDS, x[GT_FOLLOW_LABELS]).at[first];
  float factor = 1.0;
  if (BY_SLOPE) factor = x[GT_FOLLOW_ROW_GRADIENT].at[first];
  barrier();
  for (uint i = me; i < high && m0 + i < m; i += LOCAL_X) {
    if (i != me) {
      label = GT_CAST(GT_WORDS, x[GT_FOLLOW_LABELS]).at[m0 + i];
      if (BY_SLOPE) factor = x[GT_FOLLOW_ROW_GRADIENT].at[m0 + i];
    }
    follow_row(m0 + i, i, wide, label, factor);
  }
}
