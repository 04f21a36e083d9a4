/* Fused row epilogue (GT_FOLLOWED_BY_ROWS): a row program such as a layer norm or softmax over full rows of a GEMM
 * tile. The row program is the epilogue; its leader's value is the GEMM. Its third output is `range`, its fourth output
 * is passed as input GT_ROWS_BEHIND_Y, which the program does not use.
 *
 * Include after the arguments of matmul.h, lib/program.glsl with GT_PROGRAM_JOINS, LOCAL_X, columns.glsl and
 * follow.glsl. The kernel defines behind_put and behind_get, which access a vec4 per invocation in shared memory, apart
 * from the tile's rows. */
const bool ROWS_BEHIND = (FOLLOWED_BY & GT_FOLLOWED_BY_ROWS) != 0u;
#define BEHIND_BITS(k) (SMOOTHING >> (k * GT_ROWS_BEHIND_REDUCTION_BITS))
const uint REDUCTION_0 = BEHIND_BITS(0) & 7u, REDUCTION_1 = BEHIND_BITS(1) & 7u, REDUCTION_2 = BEHIND_BITS(2) & 7u;
const uint REDUCTION_3 = BEHIND_BITS(3) & 7u;
const uint OPCODE_0 = GT_I_ROW_SUM + (BEHIND_BITS(0) / GT_ROWS_BEHIND_OPCODE & 3u);
const uint OPCODE_1 = GT_I_ROW_SUM + (BEHIND_BITS(1) / GT_ROWS_BEHIND_OPCODE & 3u);
const uint OPCODE_2 = GT_I_ROW_SUM + (BEHIND_BITS(2) / GT_ROWS_BEHIND_OPCODE & 3u);
const uint OPCODE_3 = GT_I_ROW_SUM + (BEHIND_BITS(3) / GT_ROWS_BEHIND_OPCODE & 3u);
const uint BEHIND_PASSES = SMOOTHING >> GT_ROWS_BEHIND_PASSES & 15u;
const uint BEHIND_NARROW = SMOOTHING >> GT_ROWS_BEHIND_NARROW & 15u;
#include "lib/row_reductions.glsl"

void behind_put(uint invocation, vec4 value);
vec4 behind_get(uint invocation);

#define BEHIND_EACH_OUTPUT(DO) DO(0, y[0]) DO(1, y[1]) DO(2, range) DO(3, x[GT_ROWS_BEHIND_Y])
#define BEHIND_WRITE(k, to) \
  if (OUTPUT_COUNT > k && (BEHIND_NARROW >> k & 1u) == 0u && exists) gt_store(to, at, result[k]);
#define BEHIND_WRITE_NARROW(k, to) \
  if (OUTPUT_COUNT > k && (BEHIND_NARROW >> k & 1u) != 0u) to.at[i] = result[k].x;

/* Runs the row program for a quad of row i. `across` neighboring invocations share the row. */
void behind_quad(gt_place at, uint i, bool exists, vec4 v, uint across) {
  uint me = gl_LocalInvocationIndex, lane = me % across;
  vec4 sum[GT_PROGRAM_REDUCTIONS], result[GT_PROGRAM_OUTPUTS];
  gt_reductions_reset();
  [[unroll]] for (uint pass = 0u; pass < BEHIND_PASSES; pass++) {
    gt_program(at, v, result);
    gt_reductions_neutral(sum);
    gt_reductions_accumulate(sum, exists ? at.lanes : 0u, pass);
    behind_put(me, gt_reductions_partial(sum, pass));
    barrier();
    vec4 all = behind_get(me - lane);
    for (uint l = 1u; l < across; l++) all = gt_reductions_combine(all, behind_get(me - lane + l));
    barrier();
    gt_reductions_set(all, pass);
  }
  gt_program(at, v, result);
  BEHIND_EACH_OUTPUT(BEHIND_WRITE)
  if (BEHIND_NARROW == 0u) return;
  barrier(); /* an output with one value per row may overwrite an input that all invocations of the row read */
  if (lane == 0u && exists) { BEHIND_EACH_OUTPUT(BEHIND_WRITE_NARROW) }
}

/* Runs the row program for the tile of `high` rows from m0 on, all invocations together. of_parts: the values are sums
 * over the parts of split-K; otherwise follow_put has stored them. An invocation without a quad computes the last quad
 * of the row, or of the last row, without storing it. */
void rows_behind(uint m0, uint high, uint wide, bool of_parts) {
  if (!ROWS_BEHIND) return;
  uint across = wide / 4u, quads = (n + 3u) / 4u;
  barrier();
  for (uint first = 0u; first < high * across; first += LOCAL_X) {
    uint q = first + gl_LocalInvocationIndex, in_tile = min(q / across, high - 1u), i = min(m0 + in_tile, m - 1u);
    bool exists = q < high * across && m0 + in_tile < m && q % across < quads;
    uint j = 4u * min(q % across, quads - 1u);
    gt_place at = gt_place(i * n + j, GT_PROGRAM_QUADS ? 4u : min(4u, n - j));
    vec4 v;
    if (of_parts) v = joined_value(at);
    else
      [[unroll]] for (uint l = 0u; l < 4u; l++) v[l] = columns_get(follow_word(i - m0, min(j + l, n - 1u), wide));
    behind_quad(at, i, exists, v, across);
  }
}
