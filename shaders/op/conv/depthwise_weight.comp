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

/* An invocation computes the gradient of one tap's weights for four channels, summed over one part of the lines. */
void main() {
  uint quads = (channels + 3u) / 4u, stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  bool aligned = ALIGNED != 0u && (channels & 3u) == 0u;
  patches_begin();
  for (uint i = gl_GlobalInvocationID.x; i < quads * taps * parts; i += stride) {
    uint channel = 4u * (i % quads), t = i / quads % taps, part = i / quads / taps, left = min(channels - channel, 4u);
    uint end = min((part + 1u) * lines_per_part, lines);
    gt_spot tap = patches_entry(t);
    vec4 sum = vec4(0.0);
    for (uint line = part * lines_per_part; line < end; line++) {
      gt_spot at = patches_line(0u, line);
      if (patches_has(at, tap)) {
        vec4 g = fetch(other, line * channels + channel, int(left), aligned);
        sum = fma(fetch(image, at.at + tap.at + channel, int(left), aligned), g, sum);
      }
    }
    for (uint l = 0u; l < left; l++) partial.at[(part * channels + channel + l) * taps + t] = sum[l];
  }
}
