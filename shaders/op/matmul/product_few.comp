/* Skinny-N GEMM without staging: K is split over the threads of a row, a tree reduction adds their sums. */
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "op/matmul/product_few.h"
layout(constant_id = GT_FACTOR_SPEC_A) const uint KIND_A = 0u;
layout(constant_id = GT_FACTOR_SPEC_B) const uint KIND_B = 0u;
const uint RESULT = GT_RESULT_DENSE;
#define GT_PROGRAM_X 4
#define row_length n
#include "lib/program.glsl"
#include "op/matmul/load.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 16u; /* lines * SHARES */
layout(constant_id = GT_FEW_SPEC_COLUMNS) const uint COLUMNS_OF_B = 1u;
layout(constant_id = GT_FEW_SPEC_SHARES) const uint SHARES = 16u;
layout(constant_id = GT_MATMUL_SPEC_TRANS_B) const uint TRANS_B = 0u;
layout(constant_id = GT_MATMUL_SPEC_EXTENTS) const uint EXTENTS = 0u;
const bool A_ALIGNED = (EXTENTS & GT_MATMUL_QUADS_OF_A) != 0u && ALIGNED != 0u;
const bool B_ALIGNED = (EXTENTS & GT_MATMUL_QUADS_OF_B) != 0u && ALIGNED != 0u;
const uint LINES = LOCAL_X / SHARES, QUADS = (COLUMNS_OF_B + 3u) / 4u, WIDE = 4u * QUADS;
shared vec4 sums[QUADS * LOCAL_X];

void columns_put(uint word, float value) { sums[word / 4u][word % 4u] = value; }
float columns_get(uint word) { return sums[word / 4u][word % 4u]; }
#include "op/matmul/follow.glsl"

/* Adds four elements of a line of A times those of B, whose lines are columns (along K). */
void add_along(inout vec4 sum[QUADS], vec4 left_factor, uint position, int left) {
  gt_spot at;
  GT_POSITION(at, KIND_B, position)
  [[unroll]] for (uint c = 0u; c < COLUMNS_OF_B; c++) {
    gt_spot line;
    vec4 v;
    GT_LINE(line, KIND_B, 0u, c, k, 0u)
    GT_QUAD(v, KIND_B, b, line, at, position, left, B_ALIGNED)
    sum[c / 4u][c % 4u] += dot(left_factor, v);
  }
}

/* The same for a B whose lines are rows (along N). */
void add_across(inout vec4 sum[QUADS], vec4 left_factor, uint position, int left) {
  [[unroll]] for (uint i = 0u; i < 4u; i++) {
    gt_spot line;
    GT_LINE(line, KIND_B, 0u, min(position + i, k - 1u), n, 0u)
    [[unroll]] for (uint q = 0u; q < QUADS; q++) {
      gt_spot at;
      vec4 v;
      GT_POSITION(at, KIND_B, 4u * q)
      GT_QUAD(v, KIND_B, b, line, at, 4u * q, int(COLUMNS_OF_B - 4u * q), B_ALIGNED)
      if (int(i) < left) sum[q] = fma(vec4(left_factor[i]), v, sum[q]);
    }
  }
}

void add_share(inout vec4 sum[QUADS], uint line, uint share) {
  gt_spot line_of_a;
  GT_BEGIN(KIND_A)
  GT_BEGIN(KIND_B)
  GT_LINE(line_of_a, KIND_A, 0u, line, k, 0u)
  for (uint position = 4u * share; position < k; position += 4u * SHARES) {
    int left = int(min(k - position, 4u));
    gt_spot at;
    vec4 v;
    GT_POSITION(at, KIND_A, position)
    GT_QUAD(v, KIND_A, a, line_of_a, at, position, left, A_ALIGNED)
    if (TRANS_B != 0u) add_along(sum, v, position, left);
    else add_across(sum, v, position, left);
  }
}

/* Adds the sums of a line's shares in a tree. */
void join(uint share) {
  uint me = gl_LocalInvocationID.x;
  for (uint lower = SHARES / 2u; lower > 0u; lower /= 2u) {
    barrier();
    if (share < lower) {
      [[unroll]] for (uint q = 0u; q < QUADS; q++) sums[q * LOCAL_X + me] += sums[q * LOCAL_X + me + lower * LINES];
    }
  }
  barrier();
}

/* Each of the first invocations writes a quad of the result. Fused consumers read the rows where the sums were. */
void write(uint first) {
  uint me = gl_LocalInvocationID.x, i = me / QUADS, j = me % QUADS * 4u;
  bool exists = i < LINES && first + i < m;
  vec4 v = vec4(0.0);
  if (exists) v = sums[me % QUADS * LOCAL_X + i];
  if (FOLLOWED) barrier();
  if (exists) {
    uint lanes = min(4u, n - j);
    v = gt_program_write(gt_place((first + i) * n + j, lanes), v);
    follow_put(i, j, WIDE, v, lanes);
  }
  follow_rows(first, LINES, WIDE);
}

void main() {
  uint me = gl_LocalInvocationID.x, share = me / LINES, line = me % LINES;
  uint first = (gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * LINES;
  if (first >= m) return;
  vec4 sum[QUADS];
  [[unroll]] for (uint q = 0u; q < QUADS; q++) sum[q] = vec4(0.0);
  if (first + line < m) add_share(sum, first + line, share);
  [[unroll]] for (uint q = 0u; q < QUADS; q++) sums[q * LOCAL_X + me] = sum[q];
  join(share);
  write(first);
}
