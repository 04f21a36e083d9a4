/* Split-K reduction as a second kernel: adds the partial sums of each element, then runs the epilogue. */
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "op/matmul/matmul_finish.h"
#define GT_PROGRAM_X 4
#define GT_PROGRAM_QUADS (IN_QUADS != 0u)
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 1u;
layout(constant_id = GT_FINISH_SPEC_SETS) const uint SETS = 1u;
layout(constant_id = GT_FINISH_SPEC_QUADS) const uint IN_QUADS = 0u;
#include "lib/program.glsl"
const uint QUADS = LOCAL_X / SETS; /* of the result, at a time */
shared vec4 sums[LOCAL_X];

/* Elements of part s; 0 if there is no such part. gt_load_same decides whether they can be read as a vec4. */
vec4 part(uint s, gt_place at) {
  vec4 v = gt_load_same(partial, gt_place(min(s, split - 1u) * count + at.first, at.lanes));
  return s < split ? v : vec4(0.0);
}

/* Adds every SETS-th part. */
vec4 sum_of_set(uint set, gt_place at) {
  vec4 sum = vec4(0.0), v[GT_FINISH_AT_ONCE];
  for (uint s = set; s < split; s += GT_FINISH_AT_ONCE * SETS) {
    [[unroll]] for (uint j = 0u; j < GT_FINISH_AT_ONCE; j++) v[j] = part(s + j * SETS, at);
    [[unroll]] for (uint j = 0u; j < GT_FINISH_AT_ONCE; j++) sum += v[j];
  }
  return sum;
}

void main() {
  uint quads = (count + 3u) / 4u, me = gl_LocalInvocationID.x, quad = me % QUADS, set = me / QUADS;
  for (uint first = gl_WorkGroupID.x * QUADS; first < quads; first += gl_NumWorkGroups.x * QUADS) {
    uint i = min(first + quad, quads - 1u);
    gt_place at = gt_place(4u * i, min(count - 4u * i, 4u));
    vec4 sum = sum_of_set(set, at);
    if (SETS > 1u) {
      sums[me] = sum;
      barrier();
      for (uint lower = SETS / 2u; lower > 0u; lower /= 2u) {
        if (set < lower) sums[me] += sums[me + lower * QUADS];
        barrier();
      }
      sum = sums[me];
    }
    if (set == 0u && first + quad < quads) gt_program_write(at, sum);
  }
}
