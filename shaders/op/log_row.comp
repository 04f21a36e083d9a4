#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/log_row.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

void main() {
  uint to = clock.at[0] % rows * count;
  if (gl_WorkGroupID.x != 0u) return;
  for (uint k = 0u; k < inputs; k++) {
    for (uint i = gl_LocalInvocationID.x; i < width[k]; i += gl_WorkGroupSize.x) log.at[to + i] = x[k].at[i];
    to += width[k];
  }
}
