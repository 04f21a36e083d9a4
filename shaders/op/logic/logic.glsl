/* Shared by the kernels of a logic layer. An item is four samples if the batch is a multiple of four (QUADS), else one
 * sample. Values between two layers may have 16 bits: x as f16, gradients as bf16, which has the range of float.
 * Include after op/logic/logic.h. */
#ifndef GT_LOGIC_GLSL
#define GT_LOGIC_GLSL
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 1u;
layout(constant_id = GT_LOGIC_SPEC_QUADS) const uint QUADS = 0u;
layout(constant_id = GT_LOGIC_SPEC_SLICE) const uint SLICE = 0u;
/* Types of x, g and y: 0 f32, 1 f16, 2 bf16; the 16-bit types need QUADS and aligned buffers. */
layout(constant_id = GT_LOGIC_SPEC_X) const uint TYPE_X = 0u;
layout(constant_id = GT_LOGIC_SPEC_G) const uint TYPE_G = 0u;
layout(constant_id = GT_LOGIC_SPEC_Y) const uint TYPE_Y = 0u;
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer GT_HALVES4 { uvec2 at[]; };

/* Items per row, and per slice of a row. */
uint gt_logic_width() { return QUADS != 0u ? batch >> 2 : batch; }
uint gt_logic_slice(uint width) { return SLICE != 0u ? SLICE : width; }

/* Large batches are processed slice by slice: all rows for some of the samples, then all rows for the next samples. So
 * the part of x that a slice reads, at random rows, stays in the cache. Returns the row (.x) and the item of that row
 * (.y) that is processed as number i. */
uvec2 gt_logic_place(uint i, uint rows, uint width) {
  uvec2 place;
  if (SLICE != 0u) {
    uint r = i / SLICE, slice = r / rows;
    place = uvec2(r - slice * rows, slice * SLICE + i % SLICE);
  } else {
    place.x = i / width;
    place.y = i - place.x * width;
  }
  return place;
}

/* Four floats, from index 4 i on. */
vec4 gt_logic_four(GT_FLOATS from, uint i) {
  vec4 v;
  if (ALIGNED != 0u) v = GT_CAST(GT_FLOATS4, from).at[i];
  else v = vec4(from.at[4u * i], from.at[4u * i + 1u], from.at[4u * i + 2u], from.at[4u * i + 3u]);
  return v;
}

/* The coefficients of a gate. */
vec4 gt_logic_gate(uint gate) { return gt_logic_four(coefficients, gate); }

/* Item i of a tensor; for a single sample the other three components are 0. */
vec4 gt_logic_load(GT_FLOATS from, uint i, uint type) {
  vec4 v;
  if (type == GT_LOGIC_F16) {
    uvec2 pairs = GT_CAST(GT_HALVES4, from).at[i];
    v = vec4(unpackHalf2x16(pairs.x), unpackHalf2x16(pairs.y));
  } else if (type == GT_LOGIC_BF16) {
    uvec2 pairs = GT_CAST(GT_HALVES4, from).at[i];
    v = uintBitsToFloat(uvec4(pairs.x << 16, pairs.x & 0xffff0000u, pairs.y << 16, pairs.y & 0xffff0000u));
  } else if (QUADS != 0u) v = gt_logic_four(from, i);
  else v = vec4(from.at[i], 0.0, 0.0, 0.0);
  return v;
}

/* Rounds to nearest, ties to even; a NaN stays a NaN. */
uvec4 gt_logic_bf16(vec4 v) {
  uvec4 bits = floatBitsToUint(v), rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return mix(rounded, uvec4(0x7fc0u), greaterThan(bits & 0x7fffffffu, uvec4(0x7f800000u)));
}

/* Stores item i of y. */
void gt_logic_store(uint i, vec4 v) {
  if (TYPE_Y == GT_LOGIC_F16) GT_CAST(GT_HALVES4, y).at[i] = uvec2(packHalf2x16(v.xy), packHalf2x16(v.zw));
  else if (TYPE_Y == GT_LOGIC_BF16) {
    uvec4 h = gt_logic_bf16(v);
    GT_CAST(GT_HALVES4, y).at[i] = uvec2(h.x | h.y << 16, h.z | h.w << 16);
  } else if (QUADS == 0u) y.at[i] = v.x;
  else if (ALIGNED != 0u) GT_CAST(GT_FLOATS4, y).at[i] = v;
  else
    for (uint k = 0u; k < 4u; k++) y.at[4u * i + k] = v[k];
}
#endif
