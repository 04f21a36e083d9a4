#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/step_count.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

void main() {
  for (uint b = gl_GlobalInvocationID.x; b < batch; b += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    const int length = int(lengths.at[b]), above = length > 0 ? length * multiplier + offset : 0;
    y.at[b] = uint(min(above > 0 ? above / divisor : 0, most));
  }
}
