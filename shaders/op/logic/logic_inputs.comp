#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic.h"
#include "op/logic/logic.glsl"

/* An invocation adds the gradients from all gates that read an input, in ascending order, so that the order of
 * additions is fixed. */
void main() {
  uint width = gt_logic_width(), total = inputs * width, stride = gl_NumWorkGroups.x * LOCAL_X;
  for (uint i = gl_GlobalInvocationID.x; i < total; i += stride) {
    uvec2 place = gt_logic_place(i, inputs, width);
    uint feature = place.x, s = place.y, end = wiring.at[feature + 1u];
    vec4 sum = vec4(0.0);
    for (uint k = wiring.at[feature]; k < end; k++) {
      uint reader = wiring.at[inputs + 1u + 2u * k], other = wiring.at[inputs + 2u + 2u * k], gate = reader >> 1;
      vec4 c = gt_logic_gate(gate);
      float slope = c.y;
      if ((reader & 1u) != 0u) slope = c.z;
      vec4 b = gt_logic_load(x, other * width + s, TYPE_X);
      sum += gt_logic_load(g, gate * width + s, TYPE_G) * (slope + c.w * b);
    }
    gt_logic_store(feature * width + s, sum);
  }
}
