/* The positions that the trees of a convolution read (op/logic/logic_conv.h). Include after the argument struct, which
 * has `padding`. */
#ifndef GT_LOGIC_CONV_PLACES_GLSL
#define GT_LOGIC_CONV_PLACES_GLSL
layout(constant_id = GT_CONV_SPEC_DEPTH) const uint DEPTH = 1u;
layout(constant_id = GT_CONV_SPEC_FIELD) const uint FIELD = 1u;
layout(constant_id = GT_CONV_SPEC_POOL) const uint POOL = 1u;
layout(constant_id = GT_CONV_SPEC_STRIDE) const uint STRIDE = 1u;
layout(constant_id = GT_CONV_SPEC_CHANNELS) const uint CHANNELS = 1u;
layout(constant_id = GT_CONV_SPEC_KERNELS) const uint KERNELS = 1u;
layout(constant_id = GT_CONV_SPEC_COLUMNS) const uint COLUMNS = 1u;
const uint LEAVES = 1u << DEPTH, GATES = LEAVES - 1u, SLOTS = POOL * POOL;

/* The position of a leaf in the receptive field, from its word of the wiring: row, column and channel. */
uvec3 gt_conv_place(uint word) {
  uint at = word / CHANNELS;
  return uvec3(at / FIELD, at % FIELD, word % CHANNELS);
}

/* The first row and column of the receptive field at position `slot` of a window; negative ones wrap to large uints. */
uvec2 gt_conv_corner(uint window, uint slot) {
  uvec2 position = uvec2(window / COLUMNS, window % COLUMNS) * POOL + uvec2(slot / POOL, slot % POOL);
  return position * STRIDE - padding;
}
#endif
