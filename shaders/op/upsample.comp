#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/upsample.h"
#include "op/upsample.glsl"

/* The first (k = 0) or second (k = 1) input position that output position o of an axis reads, and its weight. */
uint source(uint axis, uint o, uint k, out float weight) {
  uint entry = outputs[axis] + 2u * o, first = table.at[entry];
  float next_weight = uintBitsToFloat(table.at[entry + 1u]);
  weight = !interpolates(axis) ? 1.0 : k == 0u ? 1.0 - next_weight : next_weight;
  return min(first + k, in_size[axis] - 1u);
}

void main() {
  uint pieces = pieces_per_pixel(), count = batch * out_size[0] * out_size[1] * out_size[2] * pieces;
  uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint n = gl_GlobalInvocationID.x; n < count; n += step) {
    uint at = n / pieces, piece = n - at * pieces;
    uint w = at % out_size[2], row = at / out_size[2];
    uint h = row % out_size[1], plane = row / out_size[1];
    uint d = plane % out_size[0], image = plane / out_size[0] * in_size[0];
    vec4 sum = vec4(0.0);
    for (uint i = 0u; i <= INTERPOLATE_D; i++) {
      float weight_d, weight_h, weight_w;
      uint from_d = image + source(0u, d, i, weight_d);
      for (uint j = 0u; j <= INTERPOLATE_H; j++) {
        uint from_h = from_d * in_size[1] + source(1u, h, j, weight_h);
        for (uint k = 0u; k <= INTERPOLATE_W; k++) {
          uint from = from_h * in_size[2] + source(2u, w, k, weight_w);
          sum += weight_d * weight_h * weight_w * gt_load(x, from * pieces + piece);
        }
      }
    }
    gt_store(y, n, sum);
  }
}
