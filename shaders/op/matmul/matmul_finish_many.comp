#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
/* As matmul_finish, for many parts: a workgroup has QUADS quads of the result, and sums them over SETS sets of parts
 * side by side. */
#include "op/matmul/matmul_finish.h"
#define GT_PROGRAM_X 4
#include "lib/program.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 256u;
const uint QUADS = GT_FINISH_QUADS, SETS = LOCAL_X / QUADS;
shared vec4 sums[LOCAL_X];

vec4 part(uint s, gt_place at) {
  vec4 v = gt_load_same(partial, gt_place(min(s, split - 1u) * count + at.first, at.lanes));
  return s < split ? v : vec4(0.0);
}

void main() {
  uint quads = (count + 3u) / 4u, me = gl_LocalInvocationID.x, quad = me % QUADS, set = me / QUADS;
  for (uint first = gl_WorkGroupID.x * QUADS; first < quads; first += gl_NumWorkGroups.x * QUADS) {
    uint i = min(first + quad, quads - 1u);
    gt_place at = gt_place(4u * i, min(count - 4u * i, 4u));
    vec4 sum = vec4(0.0);
    for (uint s = set; s < split; s += 4u * SETS) {
      vec4 v[4];
      [[unroll]] for (uint j = 0u; j < 4u; j++) v[j] = part(s + j * SETS, at);
      [[unroll]] for (uint j = 0u; j < 4u; j++) sum += v[j];
    }
    sums[me] = sum;
    barrier();
    for (uint lower = SETS / 2u; lower > 0u; lower /= 2u) {
      if (set < lower) sums[me] += sums[me + lower * QUADS];
      barrier();
    }
    if (set == 0u && first + quad < quads) gt_program_write(at, sums[me]);
  }
}
