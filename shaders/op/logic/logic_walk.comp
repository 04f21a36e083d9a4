#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic_walk.h"
#include "op/logic/logic.glsl"
#extension GL_EXT_control_flow_attributes : require
layout(constant_id = GT_LOGIC_SPEC_LANES) const uint LANES = 1u; /* invocations that share a run */
const uint RUN = GT_LOGIC_RUN;
#include "op/logic/logic_walk.glsl"

void main() {
  uint me = gl_LocalInvocationID.x, runs_at_once = LOCAL_X / LANES, width = gt_logic_width();
  for (uint run = gl_WorkGroupID.x * runs_at_once + me / LANES; run < runs; run += gl_NumWorkGroups.x * runs_at_once) {
    load_run(run, width);
    for (uint s = me % LANES; s < width; s += LANES) {
      vec4 v[RUN + 1u];
      [[unroll]] for (uint j = 0u; j <= RUN; j++) v[j] = gt_logic_load(x, run_row[j] + s, TYPE_X);
      [[unroll]] for (uint j = 0u; j < RUN; j++) {
        bool swapped = (run_pin[j] & 1u) != 0u;
        vec4 a = swapped ? v[j + 1u] : v[j], b = swapped ? v[j] : v[j + 1u], c = run_gate[j];
        if (j < run_gates)
          gt_logic_store((run_pin[j] >> 1) * width + s, (c.x + c.y * a) + b * (c.z + c.w * a));
      }
    }
  }
}
