#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "op/conv/depthwise.h"
#define GT_PROGRAM_X 4
#define row_length channels
#include "lib/program.glsl"
#include "op/matmul/fetch.glsl"
#include "op/matmul/spot.glsl"
#include "op/matmul/load_patches.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

/* An invocation computes four channels of a line, which is one output position. */
void main() {
  uint quads = (channels + 3u) / 4u, stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  bool aligned = ALIGNED != 0u && (channels & 3u) == 0u;
  patches_begin();
  for (uint i = gl_GlobalInvocationID.x; i < lines * quads; i += stride) {
    uint line = i / quads, channel = 4u * (i % quads), left = min(channels - channel, 4u);
    gt_spot at = patches_line(0u, line);
    vec4 sum = vec4(0.0);
    for (uint t = 0u; t < taps; t++) {
      gt_spot tap = patches_entry(t);
      if (patches_has(at, tap)) {
        vec4 w = vec4(0.0);
        [[unroll]] for (uint l = 0u; l < 4u; l++)
          if (l < left) w[l] = other.at[(channel + l) * taps + t];
        sum = fma(fetch(image, at.at + tap.at + channel, int(left), aligned), w, sum);
      }
    }
    gt_program_write(gt_place(line * channels + channel, left), sum);
  }
}
