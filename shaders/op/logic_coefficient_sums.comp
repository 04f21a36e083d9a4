#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic.h"
#include "lib/logic.glsl"
layout(constant_id = 3) const uint LANES = 1u; /* invocations that share a gate */

shared vec4 partial[LOCAL_X];

float fold(vec4 v) { return (v.x + v.y) + (v.z + v.w); }

/* Over the items from `s` to `end` that belong to this lane. */
vec4 gate_sums(uint gate, uint s, uint end, uint width) {
  vec4 g0 = vec4(0.0), g1 = vec4(0.0), g2 = vec4(0.0), g3 = vec4(0.0);
  uint row_a = wiring.at[gate] * width, row_b = wiring.at[gates + gate] * width;
  for (; s < end; s += LANES) {
    vec4 slope = gt_logic_load(g, gate * width + s, TYPE_G);
    vec4 a = gt_logic_load(x, row_a + s, TYPE_X), b = gt_logic_load(x, row_b + s, TYPE_X);
    vec4 slope_a = slope * a;
    g0 += slope;
    g1 += slope_a;
    g2 += slope * b;
    g3 += slope_a * b;
  }
  return vec4(fold(g0), fold(g1), fold(g2), fold(g3));
}

/* A workgroup takes LOCAL_X / LANES gates at a time, in one slice; the tree's shape depends on LANES only. */
void main() {
  uint me = gl_LocalInvocationID.x, lane = me % LANES, each = LOCAL_X / LANES, width = gt_logic_width();
  uint length = gt_logic_slice(width), slices = width / length, chunks = (gates + each - 1u) / each;
  for (uint c = gl_WorkGroupID.x; c < chunks * slices; c += gl_NumWorkGroups.x) {
    uint slice = c / chunks, gate = (c - slice * chunks) * each + me / LANES;
    vec4 sums = vec4(0.0);
    if (gate < gates) sums = gate_sums(gate, slice * length + lane, (slice + 1u) * length, width);
    partial[me] = sums;
    barrier();
    for (uint left = LANES / 2u; left > 0u; left /= 2u) {
      if (lane < left) partial[me] += partial[me + left];
      barrier();
    }
    if (lane == 0u && gate < gates) {
      vec4 total = partial[me];
      for (uint i = 0u; i < 4u; i++) y.at[4u * (slice * gates + gate) + i] = total[i];
    }
    barrier();
  }
}
