/* What the kernels of a logic layer share: samples are worked on in fours where the batch is a multiple of
 * four and all addresses are aligned, else one by one. Include after op/logic.h. */
#ifndef GT_LOGIC_GLSL
#define GT_LOGIC_GLSL
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_X = 1u;
layout(constant_id = 4) const uint QUADS = 0u; /* 1: the batch is a multiple of 4 */
layout(constant_id = 15) const uint ALIGNED = 0u;
layout(constant_id = 5) const uint SLICE = 0u; /* fours of a row in a slice; 0: the whole row */
const bool WIDE = QUADS != 0u && ALIGNED != 0u;

/* Items in a row: fours, or single samples. */
uint gt_logic_width() { return WIDE ? batch >> 2 : batch; }

/* Wide batches are worked on slice by slice: all rows for some of the samples, then all rows for the next
 * ones, so that the rows a slice gathers at random stay in the cache. Item i of `rows` rows is item .y of row
 * .x. */
uint gt_logic_slice(uint width) { return SLICE == 0u ? width : WIDE ? SLICE : 4u * SLICE; }

uvec2 gt_logic_place(uint i, uint rows, uint width) {
  uvec2 place;
  if (SLICE != 0u) {
    uint length = gt_logic_slice(width), r = i / length, piece = r / rows;
    place = uvec2(r - piece * rows, piece * length + i % length);
  } else {
    place.x = i / width;
    place.y = i - place.x * width;
  }
  return place;
}

vec4 gt_logic_gate(uint gate) {
  vec4 c;
  if (ALIGNED != 0u) c = GT_FLOATS4(coefficients).at[gate];
  else
    c = vec4(coefficients.at[4u * gate], coefficients.at[4u * gate + 1u], coefficients.at[4u * gate + 2u],
             coefficients.at[4u * gate + 3u]);
  return c;
}

/* Item i of a tensor; of a single sample the other three are 0. */
vec4 gt_logic_load(GT_FLOATS from, uint i) {
  vec4 v;
  if (WIDE) v = GT_FLOATS4(from).at[i];
  else v = vec4(from.at[i], 0.0, 0.0, 0.0);
  return v;
}

void gt_logic_store(GT_FLOATS to, uint i, vec4 v) {
  if (WIDE) GT_FLOATS4(to).at[i] = v;
  else to.at[i] = v.x;
}
#endif
