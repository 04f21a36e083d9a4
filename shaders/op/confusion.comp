#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/confusion.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

void main() {
  uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint r = gl_GlobalInvocationID.x; r < rows; r += stride) {
    uint label = labels.at[r], best = 0u;
    if (label >= columns || !(weight.at[r] > 0.0)) continue;
    float largest = logits.at[r * columns];
    for (uint c = 1u; c < columns; c++) {
      float value = logits.at[r * columns + c];
      if (value > largest) {
        largest = value;
        best = c;
      }
    }
    uint cell = (label * columns + best) * words;
    atomicAdd(counts.at[cell], 1u);
    if (words == 1u) continue;
    uint more = uint(weight.at[r] * scale), before = atomicAdd(counts.at[cell + 1u], more);
    if (before + more < before) atomicAdd(counts.at[cell + 2u], 1u);
  }
}
