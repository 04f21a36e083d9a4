/* What the kernels of trees of gates share (op/logic/logic_conv.h). A tree's values are an array that stays in
 * registers: every loop over it has constant bounds and is to be unrolled. Include after op/logic/logic_conv.h. */
#ifndef GT_LOGIC_CONV_GLSL
#define GT_LOGIC_CONV_GLSL
#include "op/logic/logic.glsl"
#include "op/logic/logic_conv_places.glsl"

/* Item s of what a leaf reads. */
vec4 gt_conv_leaf(uvec2 corner, uvec3 place, uint s, uint items) {
  uint row = corner.x + place.x, column = corner.y + place.y;
  vec4 v = vec4(0.0);
  if (row < height && column < width)
    v = gt_logic_load(x, ((row * width + column) * CHANNELS + place.z) * items + s, TYPE_X);
  return v;
}

/* c0 + c1 a + c2 b + c3 ab, the same way everywhere. */
vec4 gt_conv_gate(vec4 c, vec4 a, vec4 b) { return (c.x + c.y * a) + b * (c.z + c.w * a); }
#endif
