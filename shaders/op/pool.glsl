/* Shared by both pooling kernels: the bounds of windows, and elementwise programs whose rows are the channels. Include
 * after the definitions that lib/program.glsl needs. */
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_POOL_SPEC_AVERAGE) const uint AVERAGE = 0u;
layout(constant_id = GT_POOL_SPEC_INDEX) const uint INDEX = 0u;
layout(constant_id = GT_POOL_SPEC_WINDOW_D) const uint WINDOW_D = 1u;
layout(constant_id = GT_POOL_SPEC_WINDOW_H) const uint WINDOW_H = 1u;
layout(constant_id = GT_POOL_SPEC_WINDOW_W) const uint WINDOW_W = 1u;
layout(constant_id = GT_POOL_SPEC_STRIDE_D) const uint STRIDE_D = 1u;
layout(constant_id = GT_POOL_SPEC_STRIDE_H) const uint STRIDE_H = 1u;
layout(constant_id = GT_POOL_SPEC_STRIDE_W) const uint STRIDE_W = 1u;
layout(constant_id = GT_POOL_SPEC_PADDING_D) const uint PADDING_D = 0u;
layout(constant_id = GT_POOL_SPEC_PADDING_H) const uint PADDING_H = 0u;
layout(constant_id = GT_POOL_SPEC_PADDING_W) const uint PADDING_W = 0u;
layout(constant_id = GT_POOL_SPEC_DILATION_D) const uint DILATION_D = 1u;
layout(constant_id = GT_POOL_SPEC_DILATION_H) const uint DILATION_H = 1u;
layout(constant_id = GT_POOL_SPEC_DILATION_W) const uint DILATION_W = 1u;
layout(constant_id = GT_POOL_SPEC_INCLUDE) const uint INCLUDE = 0u;
layout(constant_id = GT_POOL_SPEC_DIVISOR) const uint DIVISOR = 0u;
layout(constant_id = GT_POOL_SPEC_QUADS) const uint QUADS = 0u;
#define row_length channels
#define GT_PROGRAM_QUADS (QUADS != 0u)
#include "lib/program.glsl"
#undef row_length
#include "lib/quads.glsl"

uint window_of(uint axis) { return axis == 0u ? WINDOW_D : axis == 1u ? WINDOW_H : WINDOW_W; }
uint stride_of(uint axis) { return axis == 0u ? STRIDE_D : axis == 1u ? STRIDE_H : STRIDE_W; }
uint padding_of(uint axis) { return axis == 0u ? PADDING_D : axis == 1u ? PADDING_H : PADDING_W; }
uint dilation_of(uint axis) { return axis == 0u ? DILATION_D : axis == 1u ? DILATION_H : DILATION_W; }
/* A piece is a vec4 of channels, or one channel. */
uint pieces_per_pixel() { return QUADS != 0u ? channels >> 2 : channels; }

/* The first element of window o along the axis; negative in the padding. */
int window_begin(uint axis, uint o) {
  uint stride = stride_of(axis);
  return stride != 0u ? int(o * stride) - int(padding_of(axis)) : int(o * in_size[axis] / out_size[axis]);
}

/* The elements of window o are below this: the end of the image or, for an adaptive window, its own end. */
int window_end(uint axis, uint o) {
  uint in_all = in_size[axis], out_all = out_size[axis];
  return stride_of(axis) != 0u ? int(in_all) : int(((o + 1u) * in_all + out_all - 1u) / out_all);
}

/* The number of elements along the axis by which a mean divides. */
uint window_count(uint axis, uint o) {
  int first = window_begin(axis, o), end = window_end(axis, o);
  if (stride_of(axis) != 0u) {
    if (INCLUDE != 0u) end += int(padding_of(axis));
    end = min(end, first + int(window_of(axis)));
  }
  return uint(end - (INCLUDE != 0u ? first : max(first, 0)));
}

/* The divisor of the mean of a window. */
float window_divisor(uint d, uint h, uint w) {
  return DIVISOR != 0u ? uintBitsToFloat(DIVISOR) : float(window_count(0u, d) * window_count(1u, h) * window_count(2u, w));
}
