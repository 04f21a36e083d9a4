#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/move.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

void main() {
  uint rank = layout_.at[0], stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < count; i += stride) {
    uint rest = i, from = 0u, to = out_offset;
    bool inside = true;
    for (uint d = rank; d > 0u; d--) {
      uint axis = 7u * d - 6u; /* {dim, mul, add, div, limit, stride, out_stride} */
      uint dim = layout_.at[axis], divisor = layout_.at[axis + 3u];
      uint index = rest % dim;
      rest /= dim;
      int j = int(index * layout_.at[axis + 1u] + layout_.at[axis + 2u]);
      uint quotient = uint(max(j, 0)) / divisor;
      inside = inside && j >= 0 && quotient * divisor == uint(j) && quotient < layout_.at[axis + 4u];
      from += quotient * layout_.at[axis + 5u];
      to += index * layout_.at[axis + 6u];
    }
    uint value = fill;
    if (inside) value = x.at[from];
    y.at[to] = value;
  }
}
