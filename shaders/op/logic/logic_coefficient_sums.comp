#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic.h"
#define GT_SCALAR
#include "lib/math.glsl"
#include "op/logic/logic.glsl"
#include "op/logic/logic_sums.glsl"
#include "op/logic/logic_weights.glsl"
layout(constant_id = GT_LOGIC_SPEC_TO_LOGITS) const uint TO_LOGITS = 0u;

/* Adds the items of this lane to the sums of the run of gates that begins at `first`. After the layer's last gate, that
 * gate is repeated. */
void run_sums(uint first, uint width, inout vec4 sums[RUN]) {
  uint row[RUN], row_a[RUN], row_b[RUN];
  [[unroll]] for (uint j = 0u; j < RUN; j++) {
    uint gate = min(first + j, gates - 1u);
    row[j] = gate * width;
    row_a[j] = wiring.at[gate] * width;
    row_b[j] = wiring.at[gates + gate] * width;
  }
  for (uint s = gl_LocalInvocationID.x % LANES; s < width; s += LANES) {
    vec4 slope[RUN], a[RUN], b[RUN];
    [[unroll]] for (uint j = 0u; j < RUN; j++) {
      slope[j] = gt_logic_load(g, row[j] + s, TYPE_G);
      a[j] = gt_logic_load(x, row_a[j] + s, TYPE_X);
      b[j] = gt_logic_load(x, row_b[j] + s, TYPE_X);
    }
    [[unroll]] for (uint j = 0u; j < RUN; j++) sums[j] += gate_sums(slope[j], a[j], b[j]);
  }
}

void main() {
  uint runs_at_once = LOCAL_X / LANES, width = gt_logic_width();
  for (uint chunk = gl_WorkGroupID.x; chunk * runs_at_once * RUN < gates; chunk += gl_NumWorkGroups.x) {
    uint first = (chunk * runs_at_once + gl_LocalInvocationID.x / LANES) * RUN;
    vec4 sums[RUN];
    [[unroll]] for (uint j = 0u; j < RUN; j++) sums[j] = vec4(0.0);
    if (first < gates) run_sums(first, width, sums);
    vec4 total = gt_add_lanes(sums);
    uint gate = first + gt_gate_of_lane();
    if (!gt_has_total() || gate >= gates) continue;
    if (TO_LOGITS != 0u) gt_logits_gradient(coefficients, y, gate, total);
    else gt_store_sums(y, gate, total);
  }
}
