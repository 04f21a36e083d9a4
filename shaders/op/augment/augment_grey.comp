#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/augment/augment.h"
#include "op/augment/drawn.h"
#include "op/augment/light.glsl"
#define GT_SCALAR
#include "lib/math.glsl"
#include "lib/row.glsl"

/* The gray level of a pixel after the change of brightness by `factor`: the luma if there are three channels (RGB),
 * otherwise the mean of the channels. */
float gray_of(uint from, float factor) {
  float sum = 0.0;
  if (channels == 3u)
    return gt_gray(clamp(x.at[from] * factor, 0.0, white), clamp(x.at[from + 1u] * factor, 0.0, white),
                   clamp(x.at[from + 2u] * factor, 0.0, white));
  for (uint c = 0u; c < channels; c++) sum += clamp(x.at[from + c] * factor, 0.0, white);
  return sum / float(channels);
}

void main() {
  uint pixels = height * width;
  for (uint row = gt_first_row(); row < batch; row += gt_row_stride()) {
    float factor = drawn.at[row * words + GT_AUGMENT_BRIGHTNESS], sum = 0.0;
    for (uint i = gt_first_column(); i < pixels; i += gt_column_stride())
      sum += gray_of((row * pixels + i) * channels, factor);
    sum = gt_row_sum(sum);
    if (gt_row_leader()) y.at[row] = sum / float(pixels);
  }
}
