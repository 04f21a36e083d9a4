#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic_conv.h"
#include "op/logic/logic_conv.glsl"

/* Each result is the maximum over the positions of a window, at which the same tree is evaluated. NaN is propagated. */
void main() {
  uint items = gt_logic_width(), total = rows * COLUMNS * KERNELS * items;
  for (uint i = gl_GlobalInvocationID.x; i < total; i += gl_NumWorkGroups.x * LOCAL_X) {
    uint result = i / items, s = i - result * items, window = result / KERNELS, kernel = result % KERNELS;
    uvec3 place[LEAVES];
    vec4 value[LEAVES], best = vec4(0.0);
    [[unroll]] for (uint l = 0u; l < LEAVES; l++) place[l] = gt_conv_place(wiring.at[kernel * LEAVES + l]);
    for (uint slot = 0u; slot < SLOTS; slot++) {
      uvec2 corner = gt_conv_corner(window, slot);
      uint gate = kernel * GATES;
      [[unroll]] for (uint l = 0u; l < LEAVES; l++) value[l] = gt_conv_leaf(corner, place[l], s, items);
      [[unroll]] for (uint level = 1u; level <= DEPTH; level++)
        [[unroll]] for (uint l = 0u; l < LEAVES >> level; l++)
          value[l] = gt_conv_gate(gt_logic_gate(gate++), value[2u * l], value[2u * l + 1u]);
      bvec4 keep = notEqual(best, best);
      for (uint k = 0u; k < 4u; k++) keep[k] = keep[k] || value[0][k] <= best[k];
      best = slot == 0u ? value[0] : mix(value[0], best, keep);
    }
    gt_logic_store(i, best);
  }
}
