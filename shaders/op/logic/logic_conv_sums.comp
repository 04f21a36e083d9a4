#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic_conv_sums.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

void main() {
  for (uint i = gl_GlobalInvocationID.x; i < count; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    float sum = x.at[i];
    for (uint slice = 1u; slice < slices; slice++) sum += x.at[slice * count + i];
    y.at[i] = sum;
  }
}
