/* What the kernels of trees of gates share (op/logic_conv.h). A tree's values are an array that stays in
 * registers: every loop over it has constant bounds and is to be unrolled. Include after op/logic_conv.h. */
#ifndef GT_LOGIC_CONV_GLSL
#define GT_LOGIC_CONV_GLSL
#include "lib/logic.glsl"
layout(constant_id = 3) const uint DEPTH = 1u;
layout(constant_id = 9) const uint FIELD = 1u;
layout(constant_id = 10) const uint POOL = 1u;
layout(constant_id = 11) const uint STRIDE = 1u;
layout(constant_id = 12) const uint CHANNELS = 1u;
layout(constant_id = 13) const uint KERNELS = 1u;
layout(constant_id = 14) const uint COLUMNS = 1u;
const uint LEAVES = 1u << DEPTH, GATES = LEAVES - 1u, SLOTS = POOL * POOL;

/* A leaf's place in the field: row, column and channel. */
uvec3 gt_conv_place(uint word) {
  uint at = word / CHANNELS;
  return uvec3(at / FIELD, at % FIELD, word % CHANNELS);
}

/* Position `slot` of a window, where its field begins; negative numbers are very large ones. */
uvec2 gt_conv_corner(uint window, uint slot) {
  uvec2 position = uvec2(window / COLUMNS, window % COLUMNS) * POOL + uvec2(slot / POOL, slot % POOL);
  return position * STRIDE - padding;
}

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
