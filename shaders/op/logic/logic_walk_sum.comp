#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic_walk.h"
#include "op/logic/logic.glsl"
layout(constant_id = GT_LOGIC_SPEC_LANES) const uint LANES = 1u;  /* invocations that share the runs of a chunk */
layout(constant_id = GT_LOGIC_SPEC_GROUPS) const uint GROUPS = 1u; /* at most GT_LOGIC_MAX_GROUPS */
const uint RUN = GT_LOGIC_RUN;
#include "op/logic/logic_walk.glsl"

shared vec4 sums[GROUPS][LOCAL_X]; /* [group][invocation] */

/* Adds the values of the run's gates, for item s, to the sums of this invocation. */
void add_run(uint s) {
  uint me = gl_LocalInvocationID.x;
  vec4 v[RUN + 1u];
  [[unroll]] for (uint j = 0u; j <= RUN; j++) v[j] = gt_logic_load(x, run_row[j] + s, TYPE_X);
  [[unroll]] for (uint j = 0u; j < RUN; j++) {
    bool swapped = (run_pin[j] & 1u) != 0u;
    vec4 a = swapped ? v[j + 1u] : v[j], b = swapped ? v[j] : v[j + 1u], c = run_gate[j];
    if (j < run_gates) sums[(run_pin[j] >> 1) / gates_per_row][me] += (c.x + c.y * a) + b * (c.z + c.w * a);
  }
}

/* A workgroup processes LOCAL_X / LANES neighboring items of the batch, and one chunk of the runs. */
void main() {
  uint me = gl_LocalInvocationID.x, width = gt_logic_width();
  const uint columns = LOCAL_X / LANES;
  uint blocks = (width + columns - 1u) / columns;
  for (uint w = gl_WorkGroupID.x; w < chunks * blocks; w += gl_NumWorkGroups.x) {
    uint chunk = w / blocks, s = (w - chunk * blocks) * columns + me % columns;
    uint end = min((chunk + 1u) * chunk_runs, runs);
    for (uint group = 0u; group < GROUPS; group++) sums[group][me] = vec4(0.0);
    for (uint run = chunk * chunk_runs + me / columns; s < width && run < end; run += LANES) {
      load_run(run, width);
      add_run(s);
    }
    barrier();
    for (uint i = me; i < GROUPS * columns; i += LOCAL_X) {
      uint group = i / columns, column = i % columns, item = (w - chunk * blocks) * columns + column;
      vec4 total = sums[group][column];
      for (uint lane = 1u; lane < LANES; lane++) total += sums[group][lane * columns + column];
      if (item < width) gt_logic_store((group * chunks + chunk) * width + item, total);
    }
    barrier();
  }
}
