#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
/* The reduction of reduce.h for many inner elements, a multiple of four: a workgroup has ACROSS vec4s of them, each
 * invocation reduces every DOWN-th r of one vec4, and a tree reduction combines the results. */
#include "op/reduce.h"
/* A constant, so that there is no branch between loads and all of them are in flight at once. */
layout(constant_id = GT_REDUCE_SPEC_QUADS) const uint QUADS = 0u;
#define GT_PROGRAM_QUADS (QUADS != 0u)
#define GT_PROGRAM_X 8
#define GT_PROGRAM_LAYOUT
#define GT_PROGRAM_NO_STORE
#include "lib/program.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 1u;
layout(constant_id = GT_REDUCE_SPEC_KIND) const uint KIND = 0u;
layout(constant_id = GT_REDUCE_SPEC_ACROSS) const uint ACROSS = 1u;
const uint DOWN = LOCAL_X / ACROSS;
#include "op/reduce.glsl"

shared vec4 partial[LOCAL_X];

vec4 element(uint o, uint r, uint n) {
  vec4 result[GT_PROGRAM_OUTPUTS];
  gt_program(gt_place((o * reduced + r) * inner + n, 4u), vec4(0.0), result);
  return result[0];
}

void main() {
  uint quads = inner / 4u, tiles = (quads + ACROSS - 1u) / ACROSS;
  uint me = gl_LocalInvocationID.x, lane = me / ACROSS;
  for (uint i = gl_WorkGroupID.x; i < outer * chunks * tiles; i += gl_NumWorkGroups.x) {
    uint quad = i % tiles * ACROSS + me % ACROSS, c = i / tiles % chunks, o = i / tiles / chunks;
    bool exists = quad < quads;
    partial[me] = neutral();
    if (exists) partial[me] = reduce_range(o, c * chunk + lane, 4u * quad, min(c * chunk + chunk, reduced), DOWN);
    barrier();
    for (uint left = DOWN; left > 1u;) {
      uint half_left = (left + 1u) / 2u;
      if (lane + half_left < left) partial[me] = combine(partial[me], partial[me + half_left * ACROSS]);
      barrier();
      left = half_left;
    }
    if (lane == 0u && exists) {
      gt_place at = gt_place((o * chunks + c) * inner + 4u * quad, 4u);
      vec4 value = partial[me] * scale;
      gt_store(y, at, value);
      if (CHECKED != 0u) gt_check(flag, at, value);
    }
    barrier();
  }
}
