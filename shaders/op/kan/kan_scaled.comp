/* Multiplies a KAN's coefficients by the factors of their edges, elementwise. */
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/kan/kan_scaled.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;
layout(constant_id = GT_KAN_SCALE_SPEC_QUADS) const uint QUADS = 0u;
layout(constant_id = GT_KAN_SCALE_SPEC_TERMS) const uint TERMS = 1u;
layout(constant_id = GT_KAN_SCALE_SPEC_BASE) const uint BASE = 0u;
layout(constant_id = GT_KAN_SCALE_SPEC_BLOCK) const uint BLOCK = 1u;
layout(constant_id = GT_KAN_SCALE_SPEC_PARTS) const uint PARTS = 1u;
#include "lib/quads.glsl"

void main() {
  uint width = QUADS != 0u ? outputs / 4u : outputs, stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < lines * width; i += stride) {
    uint line = i / width, block = line / ((TERMS + BASE) * BLOCK), rest = line - block * ((TERMS + BASE) * BLOCK);
    uint term = rest / BLOCK, part = term == TERMS ? 1u : 0u, place = rest - term * BLOCK;
    vec4 v = gt_load(c, i);
    if (part < PARTS) v *= gt_load(f, ((block * PARTS + part) * BLOCK + place) * width + i - line * width);
    gt_store(y, i, v);
  }
}
