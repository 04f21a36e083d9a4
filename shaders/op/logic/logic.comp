#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic.h"
#include "op/logic/logic.glsl"
layout(constant_id = GT_LOGIC_SPEC_LANES) const uint LANES = 1u; /* invocations that share a run of gates */
const uint RUN = GT_LOGIC_RUN;

/* Computes items s, s + LANES, … below `end` for each gate of the run that starts at gate `first`. If the run extends
 * beyond the layer's last gate, its rest loads that gate again and stores nothing. */
void run_of_gates(uint first, uint s, uint end, uint width) {
  uint row_a[RUN], row_b[RUN];
  vec4 c[RUN];
  [[unroll]] for (uint j = 0u; j < RUN; j++) {
    uint gate = min(first + j, gates - 1u);
    row_a[j] = wiring.at[gate] * width;
    row_b[j] = wiring.at[gates + gate] * width;
    c[j] = gt_logic_gate(gate);
  }
  for (; s < end; s += LANES) {
    vec4 a[RUN], b[RUN];
    [[unroll]] for (uint j = 0u; j < RUN; j++) {
      a[j] = gt_logic_load(x, row_a[j] + s, TYPE_X);
      b[j] = gt_logic_load(x, row_b[j] + s, TYPE_X);
    }
    [[unroll]] for (uint j = 0u; j < RUN; j++)
      if (first + j < gates)
        gt_logic_store((first + j) * width + s, (c[j].x + c[j].y * a[j]) + b[j] * (c[j].z + c[j].w * a[j]));
  }
}

/* A workgroup computes LOCAL_X / LANES runs at a time, in one slice of the batch. */
void main() {
  uint me = gl_LocalInvocationID.x, runs_at_once = LOCAL_X / LANES, width = gt_logic_width();
  uint length = gt_logic_slice(width), slices = width / length;
  uint chunks = (gates + runs_at_once * RUN - 1u) / (runs_at_once * RUN);
  for (uint c = gl_WorkGroupID.x; c < chunks * slices; c += gl_NumWorkGroups.x) {
    uint slice = c / chunks, first = ((c - slice * chunks) * runs_at_once + me / LANES) * RUN;
    if (first < gates) run_of_gates(first, slice * length + me % LANES, (slice + 1u) * length, width);
  }
}
