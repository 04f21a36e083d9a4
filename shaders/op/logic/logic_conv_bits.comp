#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic_conv_bits.h"
#include "op/logic/logic_bits.glsl"
#include "op/logic/logic_conv_places.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

/* A word of the input value that a leaf reads. */
uint leaf(uvec2 corner, uvec3 place, uint word) {
  uint row = corner.x + place.x, column = corner.y + place.y, bits = 0u;
  if (row < height && column < width) bits = x.at[((row * width + column) * CHANNELS + place.z) * words + word];
  return bits;
}

/* Each result is the OR over the positions of a window, at which the same tree is evaluated. */
void main() {
  uint total = rows * COLUMNS * KERNELS * words;
  for (uint i = gl_GlobalInvocationID.x; i < total; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    uint result = i / words, word = i - result * words, window = result / KERNELS, kernel = result % KERNELS;
    uvec3 place[LEAVES];
    uint value[LEAVES], any_of = 0u;
    [[unroll]] for (uint l = 0u; l < LEAVES; l++) place[l] = gt_conv_place(wiring.at[kernel * LEAVES + l]);
    for (uint slot = 0u; slot < SLOTS; slot++) {
      uvec2 corner = gt_conv_corner(window, slot);
      uint gate = kernel * GATES;
      [[unroll]] for (uint l = 0u; l < LEAVES; l++) value[l] = leaf(corner, place[l], word);
      [[unroll]] for (uint level = 1u; level <= DEPTH; level++)
        [[unroll]] for (uint l = 0u; l < LEAVES >> level; l++)
          value[l] = gt_logic_of_bits(codes.at[gate++], value[2u * l], value[2u * l + 1u]);
      any_of |= value[0];
    }
    y.at[i] = any_of;
  }
}
