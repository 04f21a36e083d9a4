#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/upsample.h"
#include "op/upsample.glsl"

/* The weight with which output position o reads input position i. */
float weight_in(uint axis, uint i, uint o) {
  uint entry = outputs[axis] + 2u * o, first = table.at[entry];
  float next_weight = uintBitsToFloat(table.at[entry + 1u]), weight = 1.0;
  if (interpolates(axis)) {
    weight = first == i ? 1.0 - next_weight : 0.0;
    if (min(first + 1u, in_size[axis] - 1u) == i) weight += next_weight;
  }
  return weight;
}

/* The range of output positions that read input position i of an axis. */
uint first_of(uint axis, uint i) { return table.at[inputs[axis] + 2u * i]; }
uint end_of(uint axis, uint i) { return table.at[inputs[axis] + 2u * i + 1u]; }

void main() {
  uint pieces = pieces_per_pixel(), count = batch * in_size[0] * in_size[1] * in_size[2] * pieces;
  uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint n = gl_GlobalInvocationID.x; n < count; n += step) {
    uint at = n / pieces, piece = n - at * pieces;
    uint w = at % in_size[2], row = at / in_size[2];
    uint h = row % in_size[1], plane = row / in_size[1];
    uint d = plane % in_size[0], image = plane / in_size[0] * out_size[0];
    uint end_d = end_of(0u, d), end_h = end_of(1u, h), first_w = first_of(2u, w), end_w = end_of(2u, w);
    vec4 sum = vec4(0.0);
    for (uint i = first_of(0u, d); i < end_d; i++) {
      float weight_d = weight_in(0u, d, i);
      for (uint j = first_of(1u, h); j < end_h; j++) {
        float weight_h = weight_d * weight_in(1u, h, j);
        uint to = ((image + i) * out_size[1] + j) * out_size[2];
        for (uint k = first_w; k < end_w; k++)
          sum += weight_h * weight_in(2u, w, k) * gt_load(x, (to + k) * pieces + piece);
      }
    }
    gt_store(y, n, sum);
  }
}
