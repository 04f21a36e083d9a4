#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/pool_gradient.h"
#define GT_PROGRAM_X 4
#include "op/pool.glsl"

/* Along an axis, element i is in windows first_window to end_window - 1, unless it is between the elements of a dilated
 * window. */
uint first_window(uint axis, uint i) {
  uint stride = stride_of(axis), reach = (window_of(axis) - 1u) * dilation_of(axis), at = i + padding_of(axis);
  if (stride == 0u) return i * out_size[axis] / in_size[axis];
  return at > reach ? (at - reach + stride - 1u) / stride : 0u;
}

uint end_window(uint axis, uint i) {
  uint stride = stride_of(axis);
  if (stride == 0u) return ((i + 1u) * out_size[axis] + in_size[axis] - 1u) / in_size[axis];
  return min((i + padding_of(axis)) / stride + 1u, out_size[axis]);
}

/* Sets `place` to the position of element i in window o. Returns false if the element is between those of a dilated
 * window. */
bool element_of(uint axis, uint i, uint o, out uint place) {
  uint distance = uint(int(i) - window_begin(axis, o));
  place = distance / dilation_of(axis);
  return place * dilation_of(axis) == distance;
}

/* The gradient of piece `piece` of window number `at` for channels whose maximum is at `place` in the window; 0 for the
 * others. */
vec4 routed_gradient(uint at, uint piece, uint place) {
  uint i = at * pieces_per_pixel() + piece;
  uvec4 max_place = uvec4(GT_POOL_NOWHERE);
  if (INDEX == GT_POOL_INDEX_BYTES) max_place = (uvec4(index.at[i]) >> uvec4(0u, 8u, 16u, 24u)) & 255u;
  else if (QUADS == 0u) max_place.x = index.at[i];
  else
    for (uint k = 0u; k < 4u; k++) max_place[k] = index.at[4u * i + k];
  return mix(vec4(0.0), gt_load(output_gradient, i), equal(max_place, uvec4(place)));
}

/* The gradient of one piece of the input: the sum over all windows that contain the pixel. */
vec4 sum_over_windows(uint image, uint d, uint h, uint w, uint piece) {
  vec4 sum = vec4(0.0);
  uint end_d = end_window(0u, d), end_h = end_window(1u, h), end_w = end_window(2u, w);
  for (uint i = first_window(0u, d); i < end_d; i++) {
    uint place_d, place_h, place_w;
    if (!element_of(0u, d, i, place_d)) continue;
    for (uint j = first_window(1u, h); j < end_h; j++) {
      if (!element_of(1u, h, j, place_h)) continue;
      uint row = ((image + i) * out_size[1] + j) * out_size[2];
      for (uint k = first_window(2u, w); k < end_w; k++) {
        if (!element_of(2u, w, k, place_w)) continue;
        uint at = (row + k) * pieces_per_pixel() + piece;
        if (AVERAGE != 0u) sum += gt_load(output_gradient, at) / window_divisor(i, j, k);
        else sum += routed_gradient(row + k, piece, (place_d * WINDOW_H + place_h) * WINDOW_W + place_w);
      }
    }
  }
  return sum;
}

void main() {
  uint pieces = pieces_per_pixel(), count = batch * in_size[0] * in_size[1] * in_size[2] * pieces;
  uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < count; i += step) {
    uint at = i / pieces, piece = i - at * pieces;
    uint w = at % in_size[2], row = at / in_size[2];
    uint h = row % in_size[1], plane = row / in_size[1];
    uint d = plane % in_size[0], sample_ = plane / in_size[0];
    gt_place place = QUADS != 0u ? gt_place(4u * i, 4u) : gt_place(i, 1u);
    gt_program_write(place, sum_over_windows(sample_ * out_size[0], d, h, w, piece));
  }
}
