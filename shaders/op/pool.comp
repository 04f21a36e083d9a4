#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/pool.h"
#define GT_PROGRAM_X 8
#define GT_PROGRAM_LAYOUT
#define GT_PROGRAM_NO_STORE
#include "op/pool.glsl"

/* The maximum so far: its value, its sort key, and its position in the window. */
vec4 largest;
uvec4 order, place;

/* An integer whose order is that of the values, computed from their bits because drivers may assume that there is no
 * NaN: -infinity … infinity, with -0 equal to 0, then NaN. All keys are above 0, the key of an empty window. */
uvec4 sort_key(vec4 v) {
  uvec4 bits = floatBitsToUint(v), size = bits & 0x7fffffffu;
  uvec4 result = mix(bits | 0x80000000u, ~bits, equal(bits >> 31, uvec4(1u)));
  result = mix(result, uvec4(0x80000000u), equal(size, uvec4(0u)));
  return mix(result, uvec4(0xffffffffu), greaterThan(size, uvec4(0x7f800000u)));
}

/* Updates the maximum with the value at position k. As in PyTorch, the first of equal values stays the maximum, but
 * each NaN replaces an earlier one. */
void update_max(vec4 v, uint k) {
  uvec4 key = sort_key(v);
  bvec4 more = greaterThan(key, min(order, uvec4(0xfffffffeu)));
  largest = mix(largest, v, more);
  order = mix(order, key, more);
  place = mix(place, uvec4(k), more);
}

void store_index(uint i) {
  if (INDEX == GT_POOL_INDEX_BYTES) {
    uvec4 byte = (place & 255u) << uvec4(0u, 8u, 16u, 24u);
    index.at[i] = byte.x | byte.y | byte.z | byte.w;
  }
  if (INDEX != GT_POOL_INDEX_WORDS) return;
  if (QUADS == 0u) index.at[i] = place.x;
  else
    for (uint k = 0u; k < 4u; k++) index.at[4u * i + k] = place[k];
}

/* First and end of the positions in a window to visit, along one axis: all positions of a small window, so that the
 * loop count is a constant; of a large one, which may be mostly padding, only those inside the image. */
uvec2 places_of(uint axis, int first, int end) {
  uint window = window_of(axis), dilation = dilation_of(axis);
  if (window <= 16u) return uvec2(0u, window);
  uint skipped = (uint(max(-first, 0)) + dilation - 1u) / dilation;
  return uvec2(skipped, min(window, (uint(max(end - first, 0)) + dilation - 1u) / dilation));
}

/* Piece i (one channel or four) of prologue(x). */
vec4 element(uint i) {
  vec4 result[GT_PROGRAM_OUTPUTS];
  if (CODE_COUNT == 0u && INPUT_COUNT != 0u && LOAD_0 == GT_LOAD_SAME) return gt_load(x[0], i);
  gt_program(QUADS != 0u ? gt_place(4u * i, 4u) : gt_place(i, 1u), vec4(0.0), result);
  return result[0];
}

/* Visits piece `piece` of all pixels in the window (d, h, w) of the image that begins at plane `image` of x. Returns
 * their sum for a mean; otherwise updates the maximum. */
vec4 reduce_window(uint image, uint d, uint h, uint w, uint piece) {
  vec4 sum = vec4(0.0);
  int first_d = window_begin(0u, d), first_h = window_begin(1u, h), first_w = window_begin(2u, w);
  int end_d = window_end(0u, d), end_h = window_end(1u, h), end_w = window_end(2u, w);
  uvec2 in_d = places_of(0u, first_d, end_d), in_h = places_of(1u, first_h, end_h);
  uvec2 in_w = places_of(2u, first_w, end_w);
  for (uint i = in_d.x; i < in_d.y; i++) {
    int at_d = first_d + int(i * DILATION_D);
    if (at_d < 0 || at_d >= end_d) continue;
    for (uint j = in_h.x; j < in_h.y; j++) {
      int at_h = first_h + int(j * DILATION_H);
      if (at_h < 0 || at_h >= end_h) continue;
      uint row = (image + uint(at_d)) * in_size[1] + uint(at_h);
      for (uint k = in_w.x; k < in_w.y; k++) {
        int at_w = first_w + int(k * DILATION_W);
        if (at_w < 0 || at_w >= end_w) continue;
        vec4 v = element((row * in_size[2] + uint(at_w)) * pieces_per_pixel() + piece);
        if (AVERAGE != 0u) sum += v;
        else update_max(v, (i * WINDOW_H + j) * WINDOW_W + k);
      }
    }
  }
  return sum;
}

void main() {
  uint pieces = pieces_per_pixel(), count = batch * out_size[0] * out_size[1] * out_size[2] * pieces;
  uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < count; i += step) {
    uint at = i / pieces, piece = i - at * pieces;
    uint w = at % out_size[2], row = at / out_size[2];
    uint h = row % out_size[1], plane = row / out_size[1];
    uint d = plane % out_size[0], sample_ = plane / out_size[0];
    largest = uintBitsToFloat(uvec4(0xff800000u));
    order = uvec4(0u);
    place = uvec4(GT_POOL_NOWHERE);
    vec4 sum = reduce_window(sample_ * in_size[0], d, h, w, piece);
    if (AVERAGE != 0u) {
      gt_store(y, i, sum / window_divisor(d, h, w));
    } else {
      gt_store(y, i, largest);
      store_index(i);
    }
  }
}
