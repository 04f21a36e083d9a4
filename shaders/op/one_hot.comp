#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/one_hot.h"
#define GT_SCALAR
#include "lib/math.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

void main() {
  uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < rows * width; i += stride) {
    uint item = i / width, f = i - item * width;
    uint column = features.at[f]; /* a negative column is large as uint */
    int code = int(features.at[width + f]);
    float v = gt_nan();
    if (column < stored) v = x.at[item * stored + column];
    y.at[i] = code < 0 ? v : (v == float(code) ? 1.0 : 0.0);
  }
}
