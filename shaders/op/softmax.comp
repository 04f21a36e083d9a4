#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/softmax.h"
#define GT_SCALAR
#include "lib/math.glsl"
#include "lib/row.glsl"
layout(constant_id = GT_SOFTMAX_SPEC_LOG) const uint LOG = 0u;

void main() {
  for (uint r = gt_first_row(); r < rows; r += gt_row_stride()) {
    uint base = r * columns;
    float largest = -gt_infinity(), sum = 0.0;
    for (uint c = gt_first_column(); c < columns; c += gt_column_stride())
      largest = max(largest, x.at[base + c]);
    largest = gt_row_max(largest);
    for (uint c = gt_first_column(); c < columns; c += gt_column_stride())
      sum += gt_exp(x.at[base + c] - largest);
    sum = gt_row_sum(sum);
    for (uint c = gt_first_column(); c < columns; c += gt_column_stride()) {
      float z = x.at[base + c] - largest;
      if (LOG != 0u) y.at[base + c] = z - gt_log(sum);
      else y.at[base + c] = gt_exp(z) / sum;
    }
  }
}
