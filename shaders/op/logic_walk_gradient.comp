#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic_walk.h"
#include "lib/logic.glsl"
#include "lib/logic_walk.glsl"

shared vec4 partial[RUN][LOCAL_X];

float fold(vec4 v) { return (v.x + v.y) + (v.z + v.w); }

/* The slope of a gate in its input: the walk goes through its pin. */
vec4 slope(vec4 c, bool in_b, vec4 other) { return (in_b ? c.z : c.y) + c.w * other; }

/* Where the gradient of x begins in y, in items. */
uint gradient_start() { return QUADS == 0u ? 4u * gates : TYPE_Y == 0u ? gates : 2u * gates; }

/* Over the items of this lane: the gradient of each of the run's inputs but the last, to which its two gates
 * have their part, and the sums of each of the run's gates. */
void run_sums(uint run, uint width, inout vec4 sums[RUN]) {
  uint before = run * GT_LOGIC_WALK_WORDS, first = gradient_start();
  uint row_before = walk.at[before] * width, pin_before = walk.at[before + 1u];
  uint g_before = (pin_before >> 1) / share * width, g_row[RUN];
  vec4 c_before = gt_logic_gate(pin_before >> 1);
  load_run(run, width);
  [[unroll]] for (uint j = 0u; j < RUN; j++) g_row[j] = (run_pin[j] >> 1) / share * width;
  for (uint s = gl_LocalInvocationID.x % LANES; s < width; s += LANES) {
    vec4 v[RUN + 1u], d[RUN];
    vec4 v_before = gt_logic_load(x, row_before + s, TYPE_X);
    vec4 d_before = scale * gt_logic_load(g, g_before + s, TYPE_G);
    [[unroll]] for (uint j = 0u; j <= RUN; j++) v[j] = gt_logic_load(x, run_row[j] + s, TYPE_X);
    [[unroll]] for (uint j = 0u; j < RUN; j++) d[j] = scale * gt_logic_load(g, g_row[j] + s, TYPE_G);
    vec4 carried = d_before * slope(c_before, (pin_before & 1u) == 0u, v_before);
    [[unroll]] for (uint j = 0u; j < RUN; j++) {
      bool turned = (run_pin[j] & 1u) != 0u;
      vec4 here = d[j] * slope(run_gate[j], turned, v[j + 1u]);
      if (j < run_gates) gt_logic_store(first + run_row[j] + s, carried + here);
      carried = d[j] * slope(run_gate[j], !turned, v[j]);
      vec4 of_a = d[j] * (turned ? v[j + 1u] : v[j]), b = turned ? v[j] : v[j + 1u];
      sums[j] += vec4(fold(d[j]), fold(of_a), fold(d[j] * b), fold(of_a * b));
    }
  }
}

/* A gate's sums over the lanes: each lane adds RUN of one gate's, then the first lane of a gate adds those. */
void join_lanes(uint run, vec4 sums[RUN]) {
  uint me = gl_LocalInvocationID.x, lane = me % LANES, base = me - lane;
  const uint parts = LANES / RUN;
  uint j = lane / parts, part = lane % parts;
  [[unroll]] for (uint k = 0u; k < RUN; k++) partial[k][me] = sums[k];
  barrier();
  vec4 total = partial[j][base + part];
  [[unroll]] for (uint k = 1u; k < RUN; k++) total += partial[j][base + part + k * parts];
  barrier();
  partial[0][me] = total;
  barrier();
  if (part == 0u && run < runs && j < walk.at[run * GT_LOGIC_WALK_WORDS + 2u]) {
    for (uint k = 1u; k < parts; k++) total += partial[0][me + k];
    uint gate = walk.at[run * GT_LOGIC_WALK_WORDS + 4u + j] >> 1;
    if (ALIGNED != 0u) GT_FLOATS4(y).at[gate] = total;
    else
      for (uint i = 0u; i < 4u; i++) y.at[4u * gate + i] = total[i];
  }
  barrier();
}

void main() {
  uint each = LOCAL_X / LANES, width = gt_logic_width();
  for (uint chunk = gl_WorkGroupID.x; chunk * each < runs; chunk += gl_NumWorkGroups.x) {
    uint run = chunk * each + gl_LocalInvocationID.x / LANES;
    vec4 sums[RUN];
    [[unroll]] for (uint j = 0u; j < RUN; j++) sums[j] = vec4(0.0);
    if (run < runs) run_sums(run, width, sums);
    join_lanes(run, sums);
  }
}
