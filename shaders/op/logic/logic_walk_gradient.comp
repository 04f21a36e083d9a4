#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic_walk.h"
#include "op/logic/logic.glsl"
#include "op/logic/logic_sums.glsl"
#include "op/logic/logic_walk.glsl"

/* The derivative of a gate with respect to its input a, or b if in_b. other: the value of its other input. */
vec4 derivative(vec4 c, bool in_b, vec4 other) { return (in_b ? c.z : c.y) + c.w * other; }

/* For the items of this lane: stores the gradients of the run's inputs except the last one, and adds to the sums of its
 * gates. The gradient of an input has a term from each of its two gates: `carried` is that of the previous gate. */
void run_sums(uint run, uint width, inout vec4 sums[RUN]) {
  uint before = run * GT_LOGIC_WALK_WORDS;
  uint row_before = walk.at[before] * width, pin_before = walk.at[before + 1u];
  uint g_before = (pin_before >> 1) / gates_per_row * width, g_row[RUN];
  vec4 c_before = gt_logic_gate(pin_before >> 1);
  load_run(run, width);
  [[unroll]] for (uint j = 0u; j < RUN; j++) g_row[j] = (run_pin[j] >> 1) / gates_per_row * width;
  for (uint s = gl_LocalInvocationID.x % LANES; s < width; s += LANES) {
    vec4 v[RUN + 1u], d[RUN];
    vec4 v_before = gt_logic_load(x, row_before + s, TYPE_X);
    vec4 d_before = scale * gt_logic_load(g, g_before + s, TYPE_G);
    [[unroll]] for (uint j = 0u; j <= RUN; j++) v[j] = gt_logic_load(x, run_row[j] + s, TYPE_X);
    [[unroll]] for (uint j = 0u; j < RUN; j++) d[j] = scale * gt_logic_load(g, g_row[j] + s, TYPE_G);
    vec4 carried = d_before * derivative(c_before, (pin_before & 1u) == 0u, v_before);
    [[unroll]] for (uint j = 0u; j < RUN; j++) {
      bool swapped = (run_pin[j] & 1u) != 0u;
      vec4 here = d[j] * derivative(run_gate[j], swapped, v[j + 1u]);
      if (j < run_gates) gt_logic_store(run_row[j] + s, carried + here);
      carried = d[j] * derivative(run_gate[j], !swapped, v[j]);
      sums[j] += gate_sums(d[j], swapped ? v[j + 1u] : v[j], swapped ? v[j] : v[j + 1u]);
    }
  }
}

void main() {
  uint runs_at_once = LOCAL_X / LANES, width = gt_logic_width();
  for (uint chunk = gl_WorkGroupID.x; chunk * runs_at_once < runs; chunk += gl_NumWorkGroups.x) {
    uint run = chunk * runs_at_once + gl_LocalInvocationID.x / LANES;
    vec4 sums[RUN];
    [[unroll]] for (uint j = 0u; j < RUN; j++) sums[j] = vec4(0.0);
    if (run < runs) run_sums(run, width, sums);
    vec4 total = gt_add_lanes(sums);
    uint at = run * GT_LOGIC_WALK_WORDS, j = gt_gate_of_lane();
    if (gt_has_total() && run < runs && j < walk.at[at + 2u])
      gt_store_sums(d_coefficients, walk.at[at + 4u + j] >> 1, total);
  }
}
