#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/elementwise.h"
layout(constant_id = GT_ELEMENTWISE_SPEC_QUADS) const uint QUADS = 0u;
#define GT_PROGRAM_QUADS (QUADS != 0u)
#define GT_PROGRAM_X 8
#define GT_PROGRAM_LAYOUT
#include "lib/program.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

/* Grid-stride loop; four consecutive elements per invocation. */
void main() {
  uint quads = (count + 3u) / 4u, stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < quads; i += stride)
    gt_program_write(gt_place(4u * i, min(count - 4u * i, 4u)), V(0.0));
}
