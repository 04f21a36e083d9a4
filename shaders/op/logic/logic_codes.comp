#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic_codes.h"
#include "op/logic/logic_hard.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

/* The code of one of the 16 functions, from its number: bits 0, 1, 2 and 3 are its values on (1,1), (1,0), (0,1) and
 * (0,0). */
uint code_of(uint function) {
  uint f11 = function & 1u, f10 = function >> 1 & 1u, f01 = function >> 2 & 1u, f00 = function >> 3;
  return f00 | (f00 ^ f10) << 1 | (f00 ^ f01) << 2 | (f00 ^ f10 ^ f01 ^ f11) << 3;
}

void main() {
  for (uint gate = gl_GlobalInvocationID.x; gate < gates; gate += gl_NumWorkGroups.x * gl_WorkGroupSize.x)
    codes.at[gate] = code_of(gt_first_largest(logits, gate));
}
