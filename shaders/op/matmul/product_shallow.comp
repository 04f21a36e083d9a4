/* Forward convolution with few input channels: im2col tiles and weights in shared memory. */
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "op/matmul/product_shallow.h"
#define GT_PROGRAM_X 4
#define row_length n
#include "lib/program.glsl"
#include "op/matmul/fetch.glsl"
#include "op/matmul/spot.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SHALLOW_SPEC_QUADS) const uint QUADS = 8u;
layout(constant_id = GT_SHALLOW_SPEC_WIDE) const uint WIDE = 2u;
layout(constant_id = GT_SHALLOW_SPEC_SETS) const uint SETS = 16u;
layout(constant_id = GT_SHALLOW_SPEC_CHUNKS) const uint CHUNKS = 1u;
layout(constant_id = GT_STAGE_SPEC_BATCH) const uint BATCH = 5u;
layout(constant_id = GT_SHALLOW_SPEC_UNROLL) const uint UNROLL = 3u;
layout(constant_id = GT_SHALLOW_SPEC_ROWS) const uint ROWS = 9u;

const uint LANES = QUADS / WIDE, LOCAL = LANES * SETS, POSITIONS = 4u * SETS;
const uint STRIDE = SETS + 1u; /* padded against bank conflicts */
shared vec4 pool[ROWS * STRIDE];
shared vec4 weights[ROWS * QUADS];
#define GT_STAGE_IMAGE a
#define GT_STAGE_COLUMNS k
#include "op/matmul/stage_patches.glsl"

/* Stages B's columns from n0 on, [element][column]; 0 if an element or a column does not exist. */
void stage_weights(uint me, uint n0) {
  for (uint i = me; i < 4u * QUADS * ROWS; i += LOCAL) {
    uint column = i / ROWS, element = i % ROWS;
    bool has = n0 + column < n && element < k;
    float w = b.at[has ? (n0 + column) * k + element : 0u];
    weights[element * QUADS + column / 4u][column & 3u] = has ? w : 0.0;
  }
}

void main() {
  uint me = gl_LocalInvocationID.x, lane = me % LANES, set = me / LANES;
  uint across = (n + 4u * QUADS - 1u) / (4u * QUADS), number = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
  uint m0 = number / across * (CHUNKS * POSITIONS), n0 = number % across * (4u * QUADS);
  if (m0 >= m) return;
  stage_begin(me);
  stage_weights(me, n0);
  for (uint at = m0; at < min(m0 + CHUNKS * POSITIONS, m); at += POSITIONS) {
    vec4 sum[8]; /* [two quads of columns, at most][four rows] */
    stage_patches(me, at, m);
    barrier();
    [[unroll]] for (uint i = 0u; i < 8u; i++) sum[i] = vec4(0.0);
    for (uint first = 0u; first < ROWS; first += UNROLL) {
      [[unroll]] for (uint u = 0u; u < GT_SHALLOW_MOST_UNROLL; u++)
        if (u < UNROLL) {
          vec4 x = pool[(first + u) * STRIDE + set];
          [[unroll]] for (uint w = 0u; w < 2u; w++)
            if (w < WIDE) {
              vec4 right = weights[(first + u) * QUADS + w * LANES + lane];
              [[unroll]] for (uint i = 0u; i < 4u; i++) sum[4u * w + i] = fma(vec4(x[i]), right, sum[4u * w + i]);
            }
        }
    }
    [[unroll]] for (uint w = 0u; w < 2u; w++)
      [[unroll]] for (uint i = 0u; i < 4u; i++) {
        uint line = at + 4u * set + i, column = n0 + 4u * (w * LANES + lane);
        if (w < WIDE && line < m && column < n)
          gt_program_write(gt_place(line * n + column, min(n - column, 4u)), sum[4u * w + i]);
      }
    barrier();
  }
}
