#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/group_sum.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

void main() {
  uint total = groups * group_size * batch;
  for (uint i = gl_GlobalInvocationID.x; i < total; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    uint row = i / batch;
    y.at[i] = scale * x.at[row / group_size * batch + (i - row * batch)];
  }
}
