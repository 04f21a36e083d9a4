#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/group_sum.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 1u;
layout(constant_id = GT_GROUP_SUM_SPEC_LANES) const uint LANES = 1u;
layout(constant_id = GT_GROUP_SUM_SPEC_QUADS) const uint QUADS = 0u;
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;
#include "lib/quads.glsl"

shared vec4 partial[LOCAL_X];

/* A workgroup computes the sums of one group for LOCAL_X / LANES neighboring items of the batch. */
void main() {
  uint me = gl_LocalInvocationID.x, width = QUADS != 0u ? batch >> 2 : batch;
  const uint columns = LOCAL_X / LANES;
  uint lane = me / columns, blocks = (width + columns - 1u) / columns;
  for (uint w = gl_WorkGroupID.x; w < groups * blocks; w += gl_NumWorkGroups.x) {
    uint group = w / blocks, s = (w - group * blocks) * columns + me % columns;
    vec4 even = vec4(0.0), odd = vec4(0.0);
    if (s < width) {
      uint r = lane;
      for (; r + LANES < group_size; r += 2u * LANES) {
        even += gt_load(x, (group * group_size + r) * width + s);
        odd += gt_load(x, (group * group_size + r + LANES) * width + s);
      }
      if (r < group_size) even += gt_load(x, (group * group_size + r) * width + s);
    }
    partial[me] = even + odd;
    barrier();
    for (uint left = LANES / 2u; left > 0u; left /= 2u) {
      if (lane < left) partial[me] += partial[me + left * columns];
      barrier();
    }
    if (lane == 0u && s < width) {
      vec4 sum = partial[me] * scale;
      if (QUADS == 0u) y.at[s * groups + group] = sum.x;
      else
        for (uint k = 0u; k < 4u; k++) y.at[(4u * s + k) * groups + group] = sum[k];
    }
    barrier();
  }
}
