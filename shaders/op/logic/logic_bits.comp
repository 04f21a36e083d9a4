#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic_bits.h"
#include "op/logic/logic_bits.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

/* Indices are clamped to the inputs of the layer, because the wiring of a damaged file may be out of range. */
void main() {
  uint total = gates * words;
  for (uint i = gl_GlobalInvocationID.x; i < total; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    uint gate = i / words, word = i - gate * words;
    uint a = min(wiring.at[gate], inputs - 1u), b = min(wiring.at[gates + gate], inputs - 1u);
    y.at[i] = gt_logic_of_bits(codes.at[gate], x.at[a * words + word], x.at[b * words + word]);
  }
}
