#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic_ca_sum.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 1u;
layout(constant_id = GT_CA_SUM_SPEC_MODE) const uint MODE = 0u;

const uint PIECES = 8u; /* invocations that share a gate */
shared vec4 part[LOCAL_X];

/* The slots of a gate within those of a workgroup: the first, their distance and their number. */
void find_slots(uint gate, out uint first, out uint step_, out uint count) {
  uint l = 0u;
  while (l + 1u < layers && gate >= shape.at[8u * (l + 1u) + 2u]) l++;
  step_ = shape.at[8u * l] * (l < perceptions ? kernels : 1u);
  first = shape.at[8u * l + 6u] + gate - shape.at[8u * l + 2u];
  count = shape.at[8u * l + 7u];
}

/* Every PIECES-th partial sum of a gate, added. */
vec4 partial_sum(uint gate, uint piece) {
  uint first, step_, count;
  vec4 sum = vec4(0.0);
  find_slots(gate, first, step_, count);
  for (uint i = piece; i < groups * count; i += PIECES)
    sum += GT_CAST(GT_FLOATS4, partial).at[i / count * slots + first + i % count * step_];
  return sum;
}

void coefficients() {
  uint me = gl_LocalInvocationID.x, gates_at_once = LOCAL_X / PIECES;
  for (uint base = gl_WorkGroupID.x * gates_at_once; base < gates; base += gl_NumWorkGroups.x * gates_at_once) {
    uint gate = base + me % gates_at_once;
    part[me] = gate < gates ? partial_sum(gate, me / gates_at_once) : vec4(0.0);
    barrier();
    if (me < gates_at_once && gate < gates) {
      vec4 sum = part[me];
      for (uint p = 1u; p < PIECES; p++) sum += part[me + p * gates_at_once];
      for (uint k = 0u; k < 4u; k++) y.at[4u * gate + k] = sum[k];
    }
    barrier();
  }
}

/* The gradient of channel c of a cell: the sum over the patches that contain the cell. The cell is at position j in the
 * patch of its neighbor at position 8 - j. */
float state_gradient(uint cell, uint c) {
  uint inside = cell % (height * width);
  float sum = 0.0;
  for (uint j = 0u; j < 9u; j++) {
    uint row = inside / width + (8u - j) / 3u + height - 1u;
    uint column = inside % width + (8u - j) % 3u + width - 1u;
    bool outside = row < height || row >= 2u * height || column < width || column >= 2u * width;
    if (periodic != 0u || !outside) {
      uint other = cell - inside + row % height * width + column % width;
      sum += d_patch.at[(9u * other + j) * channels + c];
    }
  }
  return sum;
}

void main() {
  if (MODE == GT_CA_SUM_COEFFICIENTS) coefficients();
  else
    for (uint i = gl_GlobalInvocationID.x; i < cells * channels; i += gl_NumWorkGroups.x * LOCAL_X) {
      float g = state_gradient(i / channels, i % channels);
      if (d_states_given != 0u) g += d_states.at[i];
      y.at[i] = g;
    }
}
