#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic_conv.h"
#include "op/logic/logic_conv.glsl"
layout(constant_id = GT_CONV_SPEC_RECALL) const uint RECALL = 0u;

/* A workgroup processes the items of one chunk for one kernel, whose coefficients and leaf positions it loads once. */
shared vec4 gate[GATES];
shared uvec3 place[LEAVES];
shared vec4 lane_sum[LOCAL_X];

/* The values of one tree: leaves, then gates; gate g reads values 2g and 2g + 1. */
vec4 value[2u * LEAVES];
vec4 gate_sum[GATES]; /* the sums of d, d a, d b and d ab of each gate, over this invocation's items */

void read_leaves(uint window, uint slot, uint s, uint items) {
  uvec2 corner = gt_conv_corner(window, slot);
  [[unroll]] for (uint l = 0u; l < LEAVES; l++) value[l] = gt_conv_leaf(corner, place[l], s, items);
}

void evaluate() {
  [[unroll]] for (uint g = 0u; g < GATES; g++)
    value[LEAVES + g] = gt_conv_gate(gate[g], value[2u * g], value[2u * g + 1u]);
}

/* Evaluates the tree at all positions of the window and returns the position of the maximum, for each sample. Sets
 * `value` to the leaves at that position. */
uvec4 evaluate_window(uint window, uint s, uint items) {
  uvec4 best_slot = uvec4(0u);
  read_leaves(window, 0u, s, items);
  if (SLOTS > 1u) {
    evaluate();
    vec4 kept[LEAVES], best = value[LEAVES + GATES - 1u];
    [[unroll]] for (uint l = 0u; l < LEAVES; l++) kept[l] = value[l];
    for (uint slot = 1u; slot < SLOTS; slot++) {
      read_leaves(window, slot, s, items);
      evaluate();
      bvec4 better = greaterThan(value[LEAVES + GATES - 1u], best);
      best = mix(best, value[LEAVES + GATES - 1u], better);
      best_slot = mix(best_slot, uvec4(slot), better);
      [[unroll]] for (uint l = 0u; l < LEAVES; l++) kept[l] = mix(kept[l], value[l], better);
    }
    [[unroll]] for (uint l = 0u; l < LEAVES; l++) value[l] = kept[l];
  }
  return best_slot;
}

/* The same in fewer registers: the leaves at the position of the maximum are loaded again. */
uvec4 evaluate_window_reloading(uint window, uint s, uint items) {
  uvec4 best_slot = uvec4(0u);
  vec4 best = vec4(0.0);
  for (uint slot = 0u; slot < SLOTS; slot++) {
    read_leaves(window, slot, s, items);
    evaluate();
    vec4 root = value[LEAVES + GATES - 1u];
    bvec4 better = greaterThan(root, best);
    if (slot == 0u) better = bvec4(true);
    best = mix(best, root, better);
    best_slot = mix(best_slot, uvec4(slot), better);
  }
  for (uint slot = 0u; slot < SLOTS; slot++) {
    bvec4 here = equal(best_slot, uvec4(slot));
    if (!any(here)) continue;
    uvec2 corner = gt_conv_corner(window, slot);
    [[unroll]] for (uint l = 0u; l < LEAVES; l++)
      value[l] = mix(value[l], gt_conv_leaf(corner, place[l], s, items), here);
  }
  return best_slot;
}

/* Backpropagates from the root to the leaves and replaces each value by its gradient. With RECALL the gates are loaded
 * again. The index of the load must look different to the compiler, which would otherwise keep all gates in registers
 * from evaluate() on. */
void backpropagate() {
  uint zero = 0u;
  if (RECALL != 0u) zero = batch >> 31u; /* 0, because a batch has less than 2^31 samples */
  [[unroll]] for (uint k = 1u; k <= GATES; k++) {
    uint n = GATES - k;
    vec4 c = gate[n + zero], d = value[LEAVES + n], a = value[2u * n], b = value[2u * n + 1u], da = d * a;
    gate_sum[n] += vec4((d.x + d.y) + (d.z + d.w), (da.x + da.y) + (da.z + da.w), dot(d, b), dot(da, b));
    value[2u * n] = d * (c.y + c.w * b);
    value[2u * n + 1u] = d * (c.z + c.w * a);
  }
}

void store_leaf(uint i, vec4 v) {
  if (QUADS == 0u) leaves.at[i] = v.x;
  else if (ALIGNED != 0u) GT_CAST(GT_FLOATS4, leaves).at[i] = v;
  else
    for (uint k = 0u; k < 4u; k++) leaves.at[4u * i + k] = v[k];
}

void process_chunk(uint kernel, uint chunk) {
  uint items = gt_logic_width(), total = rows * COLUMNS * items;
  for (uint i = chunk * LOCAL_X + gl_LocalInvocationID.x; i < total; i += chunks * LOCAL_X) {
    uint window = i / items, s = i - window * items;
    uvec4 best_slot;
    if (RECALL != 0u && SLOTS > 1u) best_slot = evaluate_window_reloading(window, s, items);
    else best_slot = evaluate_window(window, s, items);
    evaluate();
    value[LEAVES + GATES - 1u] = gt_logic_load(g, (window * KERNELS + kernel) * items + s, TYPE_G);
    backpropagate();
    if (has_dx == 0u) continue;
    winner.at[kernel * total + i] = best_slot.x | best_slot.y << 8 | best_slot.z << 16 | best_slot.w << 24;
    [[unroll]] for (uint l = 0u; l < LEAVES; l++) store_leaf((kernel * LEAVES + l) * total + i, value[l]);
  }
}

/* Adds the invocations' sums of gate n and stores the total. The order of additions depends only on LOCAL_X. */
void store_gate_sum(uint n, uint to) {
  uint me = gl_LocalInvocationID.x;
  lane_sum[me] = gate_sum[n];
  barrier();
  for (uint left = LOCAL_X / 2u; left > 0u; left /= 2u) {
    if (me < left) lane_sum[me] += lane_sum[me + left];
    barrier();
  }
  if (me == 0u)
    for (uint k = 0u; k < 4u; k++) sums.at[4u * (to + n) + k] = lane_sum[0][k];
  barrier();
}

void main() {
  for (uint group = gl_WorkGroupID.x; group < KERNELS * chunks; group += gl_NumWorkGroups.x) {
    uint kernel = group % KERNELS;
    for (uint l = gl_LocalInvocationID.x; l < LEAVES; l += LOCAL_X) {
      place[l] = gt_conv_place(wiring.at[kernel * LEAVES + l]);
      if (l < GATES) gate[l] = gt_logic_gate(kernel * GATES + l);
    }
    [[unroll]] for (uint n = 0u; n < GATES; n++) gate_sum[n] = vec4(0.0);
    barrier();
    process_chunk(kernel, group / KERNELS);
    [[unroll]] for (uint n = 0u; n < GATES; n++) store_gate_sum(n, group * GATES);
  }
}
