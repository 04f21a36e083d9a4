#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/slice_rows.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

void main() {
  uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x, values = count * width;
  for (uint i = gl_GlobalInvocationID.x; i < slices * values; i += stride) {
    uint b = i / values, v = i - b * values, first = start.at[b];
    /* A negative start is large as uint. For other starts the sum fits, because all sizes are below 2^31. */
    uint r = first + begin + v / width;
    y.at[i] = first < rows && r < rows ? data.at[(first + begin) * width + v] : outside;
  }
}
