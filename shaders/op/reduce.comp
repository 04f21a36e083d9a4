#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/reduce.h"
#define GT_PROGRAM_X 8
#define GT_PROGRAM_LAYOUT
#define GT_SCALAR
#include "lib/program.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 1u;
layout(constant_id = GT_REDUCE_SPEC_KIND) const uint KIND = 0u;
layout(constant_id = GT_REDUCE_SPEC_PER_LANE) const uint PER_LANE = 0u;

shared float partial[LOCAL_X];

#include "op/reduce.glsl"

/* The value to reduce: the program's result for element (o, r, n); for GT_REDUCE_FINITE, 1 if it is not finite. */
float element(uint o, uint r, uint n) {
  float result[GT_PROGRAM_OUTPUTS];
  gt_program(gt_place((o * reduced + r) * inner + n, 1u), 0.0, result);
  if (KIND == GT_REDUCE_FINITE) return gt_finite(result[0]) ? 0.0 : 1.0;
  return result[0];
}

/* Stores output i and clears the flag if a check fails. */
void finish(uint i, float value) {
  bool bad = value != 0.0;
  if (KIND != GT_REDUCE_FINITE) {
    y.at[i] = value * scale;
    bad = CHECKED != 0u && !gt_finite(value * scale);
  }
  if (bad) atomicAnd(flag.at[0], 0u);
}

void per_invocation(uint outputs) {
  uint stride = gl_NumWorkGroups.x * LOCAL_X;
  for (uint i = gl_GlobalInvocationID.x; i < outputs; i += stride) {
    uint n = i % inner, c = i / inner % chunks, o = i / inner / chunks;
    finish(i, reduce_range(o, c * chunk, n, min(c * chunk + chunk, reduced), 1u));
  }
}

/* Tree reduction for any size of the workgroup: the upper half is combined with the lower until one value is left. */
void per_workgroup(uint outputs) {
  uint me = gl_LocalInvocationID.x;
  for (uint i = gl_WorkGroupID.x; i < outputs; i += gl_NumWorkGroups.x) {
    uint c = i % chunks, o = i / chunks;
    partial[me] = reduce_range(o, c * chunk + me, 0u, min(c * chunk + chunk, reduced), LOCAL_X);
    barrier();
    for (uint left = LOCAL_X; left > 1u;) {
      uint half_left = (left + 1u) / 2u;
      if (me + half_left < left) partial[me] = combine(partial[me], partial[me + half_left]);
      barrier();
      left = half_left;
    }
    if (me == 0u) finish(i, partial[0]);
    barrier();
  }
}

void main() {
  uint outputs = outer * chunks * inner;
  if (PER_LANE != 0u) per_invocation(outputs);
  else per_workgroup(outputs);
}
