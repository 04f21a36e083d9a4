/* Sums over the batch of g, g a, g b, g a b for RUN gates at a time, by LANES invocations. Include after
 * op/logic/logic.glsl. */
#ifndef GT_LOGIC_SUMS_GLSL
#define GT_LOGIC_SUMS_GLSL
#extension GL_EXT_control_flow_attributes : require
/* A power of two, at least RUN, that divides the size of the workgroup. */
layout(constant_id = GT_LOGIC_SPEC_LANES) const uint LANES = 1u;
const uint RUN = GT_LOGIC_RUN;

shared vec4 partial[RUN][LOCAL_X];

float fold(vec4 v) { return (v.x + v.y) + (v.z + v.w); }

/* The sums of g, g a, g b and g ab over four samples; slope: g. */
vec4 gate_sums(vec4 slope, vec4 a, vec4 b) {
  vec4 slope_a = slope * a;
  return vec4(fold(slope), fold(slope_a), fold(slope * b), fold(slope_a * b));
}

/* gt_add_lanes adds the sums of the lanes that share a run. The lanes are divided among the run's gates: first each
 * lane adds RUN sums of its gate (gt_gate_of_lane), then the first lane of each gate (gt_has_total) adds the results
 * and returns the total. */
uint gt_gate_of_lane() { return gl_LocalInvocationID.x % LANES / (LANES / RUN); }
bool gt_has_total() { return gl_LocalInvocationID.x % (LANES / RUN) == 0u; }

vec4 gt_add_lanes(vec4 sums[RUN]) {
  const uint parts = LANES / RUN;
  uint me = gl_LocalInvocationID.x, lane = me % LANES, from = me - lane + lane % parts, j = gt_gate_of_lane();
  [[unroll]] for (uint k = 0u; k < RUN; k++) partial[k][me] = sums[k];
  barrier();
  vec4 total = partial[j][from];
  [[unroll]] for (uint k = 1u; k < RUN; k++) total += partial[j][from + k * parts];
  barrier();
  partial[0][me] = total;
  barrier();
  if (gt_has_total())
    for (uint k = 1u; k < parts; k++) total += partial[0][me + k];
  barrier();
  return total;
}

void gt_store_sums(GT_FLOATS to, uint gate, vec4 total) {
  if (ALIGNED != 0u) GT_CAST(GT_FLOATS4, to).at[gate] = total;
  else
    for (uint i = 0u; i < 4u; i++) to.at[4u * gate + i] = total[i];
}
#endif
