#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic.h"
#include "lib/logic.glsl"

void main() {
  uint width = gt_logic_width(), total = gates * width, stride = gl_NumWorkGroups.x * LOCAL_X;
  for (uint i = gl_GlobalInvocationID.x; i < total; i += stride) {
    uvec2 place = gt_logic_place(i, gates, width);
    uint gate = place.x, s = place.y;
    vec4 a = gt_logic_load(x, wiring.at[gate] * width + s, TYPE_X);
    vec4 b = gt_logic_load(x, wiring.at[gates + gate] * width + s, TYPE_X);
    vec4 c = gt_logic_gate(gate);
    gt_logic_store(gate * width + s, (c.x + c.y * a) + b * (c.z + c.w * a));
  }
}
