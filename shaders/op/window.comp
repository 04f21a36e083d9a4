#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
/* A workgroup copies ROWS neighboring rows. First it computes where the sample of each row starts. */
#include "op/window.h"
#include "lib/philox.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_WINDOW_SPEC_ORDER) const uint ORDER = 0u;
layout(constant_id = GT_WINDOW_SPEC_NARROW) const uint NARROW = 0u;
layout(constant_id = GT_WINDOW_SPEC_ROWS) const uint ROWS = 1u;
shared uint start_of[ROWS];
#include "op/batch_order.glsl"

/* Rows after the end of the data are filled with sample 0; their weight is 0. */
uint start_of_row(uint r) {
  uint s = sample_of_row(r);
  return (s == NONE ? 0u : s) * stride + begin;
}

/* Element i of the data. */
uint value(uint i) {
  uint word = NARROW != 0u ? data.at[i >> 2] >> 8u * (i & 3u) & 255u : data.at[i];
  return word;
}

void copy_rows(uint first) {
  uint me = gl_LocalInvocationID.x, size = gl_WorkGroupSize.x, rows = min(batch - first, ROWS);
  for (uint r = me; r < rows; r += size) start_of[r] = start_of_row(first + r);
  barrier();
  for (uint i = me; i < rows * width; i += size) {
    uint r = i / width;
    y.at[first * width + i] = value(start_of[r] + (i - r * width));
  }
  barrier(); /* before the next rows overwrite start_of */
}

void main() {
  for (uint g = gl_WorkGroupID.x; g * ROWS < batch; g += gl_NumWorkGroups.x) copy_rows(g * ROWS);
}
