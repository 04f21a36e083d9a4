#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/gather.h"
#define GT_SCALAR
#include "lib/math.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_GATHER_SPEC_QUADS) const uint QUADS = 0u;
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;

/* Each iteration copies one value, or a vec4. */
void main() {
  uint pieces = QUADS != 0u ? width >> 2 : width, stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < n * pieces; i += stride) {
    uint item = i / pieces, row = index.at[item]; /* negative indices are large as uint */
    uint from = row * pieces + (i - item * pieces);
    bool inside = row < rows;
    if (QUADS == 0u) {
      float v = gt_nan();
      if (inside) v = table.at[from];
      y.at[i] = v;
    } else if (ALIGNED != 0u) {
      vec4 v = vec4(gt_nan());
      if (inside) v = GT_CAST(GT_FLOATS4, table).at[from];
      GT_CAST(GT_FLOATS4, y).at[i] = v;
    } else {
      for (uint k = 0u; k < 4u; k++) {
        float v = gt_nan();
        if (inside) v = table.at[4u * from + k];
        y.at[4u * i + k] = v;
      }
    }
  }
}
