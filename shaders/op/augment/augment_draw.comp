#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "lib/philox.glsl"
#include "op/augment/rules.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

void main() {
  uvec2 key = uvec2(clock.at[1], clock.at[2]);
  for (uint row = gl_GlobalInvocationID.x; row < batch; row += gl_NumWorkGroups.x * gl_WorkGroupSize.x)
    gt_draw_row(table, y, key, clock.at[0], row, stages, boxes, tones);
}
