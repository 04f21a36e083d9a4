/* Backward of the per-edge factors of a KAN: gradients of coefficients and of factors in one pass. */
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
/* A workgroup processes EDGES consecutive edges [input, output], or EDGES vec4s of edges (QUADS). Its invocations are
 * divided into SHARES shares, each of which sums every SHARES-th function. Then the sums of the shares are added in
 * order. */
#include "op/kan/kan_scale.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 1u;
layout(constant_id = GT_SPEC_CHECKED) const uint CHECKED = 0u;
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;
layout(constant_id = GT_KAN_SCALE_SPEC_QUADS) const uint QUADS = 0u;
layout(constant_id = GT_KAN_SCALE_SPEC_SHARES) const uint SHARES = 1u;
layout(constant_id = GT_KAN_SCALE_SPEC_TERMS) const uint TERMS = 1u;
layout(constant_id = GT_KAN_SCALE_SPEC_BASE) const uint BASE = 0u;
layout(constant_id = GT_KAN_SCALE_SPEC_BLOCK) const uint BLOCK = 1u;
layout(constant_id = GT_KAN_SCALE_SPEC_PARTS) const uint PARTS = 1u;
layout(constant_id = GT_KAN_SCALE_SPEC_THERE) const uint THERE = 0u;
#include "lib/math.glsl"
#include "lib/quads.glsl"
const uint EDGES = LOCAL_X / SHARES;
shared vec4 shares[LOCAL_X]; /* sums, [share][edge] */

/* Sets the flag to 0 if a gradient is not finite. Called for all gradients, also for those that stay where they are. */
void check(vec4 value) {
  if (CHECKED != 0u && any(not(gt_finite(value)))) atomicAnd(flag.at[0], 0u);
}

void put(GT_FLOATS to, uint at, vec4 value) {
  gt_store(to, at, value);
  check(value);
}

/* The gradients of the base. at, at_f: indices of its coefficients and of its factors, if it has any. */
void base(uint at, uint at_f) {
  if (PARTS == 2u) {
    vec4 slope = gt_load(w, at);
    put(df, at_f, slope * gt_load(c, at));
    put(dc, at, slope * gt_load(f, at_f));
  } else if (THERE == 0u) put(dc, at, gt_load(w, at));
  else if (CHECKED != 0u) check(gt_load(w, at));
}

void main() {
  uint me = gl_LocalInvocationID.x, share = me / EDGES, width = QUADS != 0u ? outputs / 4u : outputs;
  for (uint first = gl_WorkGroupID.x * EDGES; first < inputs * width; first += gl_NumWorkGroups.x * EDGES) {
    uint edge = first + me % EDGES, input_ = edge / width, along = edge - input_ * width;
    uint block = input_ / BLOCK, place = input_ - block * BLOCK;
    uint at = (block * (TERMS + BASE) * BLOCK + place) * width + along;
    uint at_f = (block * PARTS * BLOCK + place) * width + along;
    vec4 sum = vec4(0.0);
    if (edge < inputs * width) {
      vec4 factor = gt_load(f, at_f);
      for (uint t = share; t < TERMS; t += SHARES) {
        uint here = at + t * BLOCK * width;
        vec4 slope = gt_load(w, here);
        sum += slope * gt_load(c, here);
        put(dc, here, slope * factor);
      }
      if (BASE != 0u && share == TERMS % SHARES) base(at + TERMS * BLOCK * width, at_f + BLOCK * width);
    }
    shares[me] = sum;
    barrier();
    if (share == 0u && edge < inputs * width) {
      for (uint s = 1u; s < SHARES; s++) sum += shares[me + s * EDGES];
      put(df, at_f, sum);
    }
    barrier(); /* before the next iteration overwrites `shares` */
  }
}
