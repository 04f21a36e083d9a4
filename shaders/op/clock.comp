#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/clock.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

void main() {
  uint me = gl_LocalInvocationID.x, step = state.at[0];
  if (gl_WorkGroupID.x == 0u) {
    uint from = step % rows * scalars;
    for (uint i = me; i < scalars; i += gl_WorkGroupSize.x) now.at[4u + i] = table.at[from + i];
    if (me < 4u) now.at[me] = me == 3u ? 0u : state.at[me];
  }
  /* Every invocation must have read `step` before one of them increments it. */
  memoryBarrierBuffer();
  barrier();
  if (gl_WorkGroupID.x == 0u && me == 0u) state.at[0] = step + 1u;
}
