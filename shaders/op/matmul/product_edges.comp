/* Per-edge dgrad of a KAN layer with few outputs: one thread computes the gradients of four neighboring
 * inputs of a row. */
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "op/matmul/product_edges.h"
#define GT_PROGRAM_X 4
#define row_length n
#include "lib/program.glsl"
#include "op/matmul/fetch.glsl"
#include "op/matmul/spot.glsl"
#include "op/matmul/load_basis.glsl"
#include "op/matmul/load_scaled.glsl"
#include "op/matmul/load_segments.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 1u; /* GT_EDGES_LINES * SHARES */
layout(constant_id = GT_EDGES_SPEC_OUTPUTS) const uint OUTPUTS = 1u;
const uint SHARES = LOCAL_X / GT_EDGES_LINES;
shared vec4 sums[LOCAL_X];

/* Indices of the rows of coefficients of four neighboring inputs, and of their factors. */
struct gt_rows {
  uvec4 at, scale;
};

gt_rows rows_of(uint input_) {
  gt_rows rows;
  [[unroll]] for (uint l = 0u; l < 4u; l++) {
    gt_spot spot = coefficients_line(min(input_ + l, n - 1u));
    rows.at[l] = spot.at;
    rows.scale[l] = uint(spot.place.x);
  }
  return rows;
}

/* Row `line` of g, repeated for each of the four inputs, times the factors of function `term` if it has any. */
void scale_gradient(out vec4 g[GT_EDGES_MOST_OUTPUTS], uint line, gt_rows rows, uint term) {
  gt_spot position = coefficients_position(term * SEGMENT);
  [[unroll]] for (uint o = 0u; o < OUTPUTS; o++) {
    g[o] = vec4(a.at[line * OUTPUTS + o]);
    if (SCALED_PARTS != 0u && position.place.y != 0) g[o] *= gt_gather(scaled_by(), rows.scale + uint(position.place.x) + o);
  }
}

/* The sum over every SHARES-th function of the gradient of four inputs of a line. */
vec4 share_of(uint share, uint line, uint input_, int left) {
  gt_rows rows = rows_of(input_);
  vec4 x = segments_inputs(partial, line, input_, left, false), total = vec4(0.0), g[GT_EDGES_MOST_OUTPUTS];
  for (uint term = share; term < BASIS_TOTAL; term += SHARES) {
    uint along = coefficients_position(term * SEGMENT).at;
    vec4 sum = vec4(0.0);
    bool new_factors = term == share;
    if (BASIS_HAS_BASE != 0u && SCALED_PARTS != 0u) new_factors = new_factors || term == BASIS_TERMS;
    if (new_factors) scale_gradient(g, line, rows, term);
    [[unroll]] for (uint o = 0u; o < OUTPUTS; o++) sum = fma(g[o], gt_gather(b, rows.at + along + o), sum);
    total = fma(sum, basis_values(x, term, partial, input_, left), total);
  }
  return total;
}

void main() {
  uint me = gl_LocalInvocationID.x, number = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
  uint across = (n + 3u) / 4u, share = me / GT_EDGES_LINES, input_ = number % across * 4u;
  uint line = number / across * GT_EDGES_LINES + me % GT_EDGES_LINES;
  int left = int(min(4u, n - input_));
  basis_begin();
  segments_outputs = OUTPUTS;
  vec4 total = vec4(0.0);
  if (line < m) total = share_of(share, line, input_, left);
  sums[me] = total;
  barrier();
  if (share != 0u || line >= m) return;
  for (uint other = 1u; other < SHARES; other++) total += sums[other * GT_EDGES_LINES + me];
  gt_program_write(gt_place(line * n + input_, uint(left)), total);
}
