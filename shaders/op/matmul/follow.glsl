/* Fused consumer in a GEMM epilogue: softmax cross-entropy and its gradient, row by row, while the logits are in shared
 * memory. A tile must have whole rows of the result. Include after the arguments of matmul.h, lib/program.glsl, LOCAL_X
 * and the shared memory of columns.glsl. The epilogue must not use the two inputs and the output GT_FOLLOW_…. */
#include "op/cross_entropy.glsl"
layout(constant_id = GT_FACTOR_SPEC_FOLLOWED) const uint FOLLOWED_BY = 0u;
layout(constant_id = GT_FACTOR_SPEC_SMOOTHING) const uint SMOOTHING = 0u;
const bool FOLLOWED = FOLLOWED_BY != 0u; /* the tile's rows are stored in shared memory (follow_put) */
const bool BY_SLOPE = (FOLLOWED_BY & GT_FOLLOWED_BY_SLOPE) != 0u, BY_LOSS = (FOLLOWED_BY & GT_FOLLOWED_BY_LOSS) != 0u;

/* Index of element (i, j) in shared memory; rows are padded by a word against bank conflicts. */
uint follow_word(uint i, uint j, uint wide) { return i * (wide + 1u) + j; }

void follow_put(uint i, uint j, uint wide, vec4 v, uint lanes) {
  if (FOLLOWED)
    for (uint l = 0u; l < lanes; l++) columns_put(follow_word(i, j + l, wide), v[l]);
}

/* Four logits of row i from column c on; -infinity after the last column. */
vec4 follow_quad(uint i, uint c, uint wide) {
  vec4 z = vec4(-gt_infinity());
  [[unroll]] for (uint l = 0u; l < 4u; l++)
    if (c + l < n) z[l] = columns_get(follow_word(i, c + l, wide));
  return z;
}

float follow_largest(uint i, uint wide) {
  float largest = -gt_infinity();
  for (uint c = 0u; c < n; c += 4u) {
    vec4 z = follow_quad(i, c, wide);
    largest = max(max(largest, max(z.x, z.y)), max(z.z, z.w));
  }
  return largest;
}

/* The sum of v over the existing columns of the quad at c. */
float follow_sum(uint c, vec4 v) {
  float sum = 0.0;
  [[unroll]] for (uint l = 0u; l < 4u; l++) if (c + l < n) sum += v[l];
  return sum;
}

/* The sum over row i of the values that the invocations have stored to word l of each quad. */
float follow_joined(uint i, uint l, uint wide) {
  float sum = 0.0;
  for (uint c = 0u; c < n; c += 4u) sum += columns_get(follow_word(i, c + l, wide));
  return sum;
}

/* Writes the loss of row r, if c is 0, and the gradient of its quad at c. label_target: the label's target without the
 * background; factor: the gradient of the row's loss; at_label: the label's logit; shifted: the sum of
 * (logit - largest) over the row. */
void follow_write(uint r, uint c, uint label, float label_target, float factor, vec4 z, float at_label, float largest,
                  float sum, float shifted) {
  float background = uintBitsToFloat(SMOOTHING) / float(n);
  if (BY_LOSS && c == 0u) {
    float value = gt_log(vec4(sum)).x - label_target * (at_label - largest);
    if (SMOOTHING != 0u) value -= background * shifted;
    range.at[r] = label < n ? value : gt_no_label(label);
  }
  if (BY_SLOPE) {
    vec4 target = vec4(background);
    [[unroll]] for (uint l = 0u; l < 4u; l++) if (c + l == label) target[l] += label_target;
    vec4 slope = gt_cross_entropy_slope(z, largest, sum, 1.0, target, label < n ? factor : gt_no_label(label));
    [[unroll]] for (uint l = 0u; l < 4u; l++) if (c + l < n) y[GT_FOLLOW_Y].at[r * n + c + l] = slope[l];
  }
}

/* Computes the rows of the tile from m0 on. All invocations call it after follow_put. Each invocation has one quad of a
 * row, because one invocation per row would compute all exponentials one after another. After all have read the logits,
 * the sums of quads are stored in their place. Labels and factors are loaded before the barrier, so that the loads
 * overlap with it. */
void follow_rows(uint m0, uint high, uint wide) {
  if (!BY_SLOPE && !BY_LOSS) return;
  uint me = gl_LocalInvocationIndex, quads = (n + 3u) / 4u, rows_at_once = LOCAL_X / quads, c = me % quads * 4u;
  float label_target = 1.0 - uintBitsToFloat(SMOOTHING);
  for (uint first = 0u; first < high; first += rows_at_once) {
    uint i = min(first + me / quads, high - 1u), r = min(m0 + i, m - 1u);
    bool exists = me / quads < rows_at_once && first + me / quads < high && m0 + i < m;
    uint label = GT_CAST(GT_WORDS, x[GT_FOLLOW_LABELS]).at[r];
    float factor = 1.0;
    if (BY_SLOPE) factor = x[GT_FOLLOW_ROW_GRADIENT].at[r];
    barrier();
    vec4 z = follow_quad(i, c, wide);
    float largest = follow_largest(i, wide), at_label = columns_get(follow_word(i, min(label, n - 1u), wide));
    vec4 e = gt_exp(z - largest);
    barrier();
    if (exists) {
      columns_put(follow_word(i, c, wide), follow_sum(c, e));
      if (SMOOTHING != 0u) columns_put(follow_word(i, c + 1u, wide), follow_sum(c, z - largest));
    }
    barrier();
    float shifted = 0.0;
    if (SMOOTHING != 0u) shifted = follow_joined(i, 1u, wide);
    float sum = follow_joined(i, 0u, wide);
    if (exists) follow_write(r, c, label, label_target, factor, z, at_label, largest, sum, shifted);
  }
}
