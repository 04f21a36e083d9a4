/* Shared by the kernels of trees of gates (op/logic/logic_conv.h). The values of a tree are an array in registers:
 * every loop over it has constant bounds and must be unrolled. Include after op/logic/logic_conv.h. */
#ifndef GT_LOGIC_CONV_GLSL
#define GT_LOGIC_CONV_GLSL
#include "op/logic/logic.glsl"
#include "op/logic/logic_conv_places.glsl"

/* Item s (four samples or one, as in op/logic/logic.glsl) of the input value that a leaf of the tree reads. */
vec4 gt_conv_leaf(uvec2 corner, uvec3 place, uint s, uint items) {
  uint row = corner.x + place.x, column = corner.y + place.y;
  vec4 v = vec4(0.0);
  if (row < height && column < width)
    v = gt_logic_load(x, ((row * width + column) * CHANNELS + place.z) * items + s, TYPE_X);
  return v;
}

/* c0 + c1 a + c2 b + c3 ab, in the same order of operations in all kernels. */
vec4 gt_conv_gate(vec4 c, vec4 a, vec4 b) { return (c.x + c.y * a) + b * (c.z + c.w * a); }
#endif
