#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/matmul/matmul_finish.h"
#define GT_PROGRAM_X 4
#include "lib/program.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

void main() {
  uint quads = (count + 3u) / 4u, stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < quads; i += stride) {
    gt_place at = gt_place(4u * i, min(count - 4u * i, 4u));
    vec4 sum = gt_load_same(partial, at);
    for (uint s = 1u; s < split; s++) {
      /* The partial sums lie one after another: whether four may be read at once depends on count. */
      gt_place part = gt_place(s * count + at.first, at.lanes);
      sum += gt_load_same(partial, part);
    }
    gt_program_write(at, sum);
  }
}
