#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/gather_sum.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 1u;
layout(constant_id = GT_GATHER_SUM_SPEC_BLOCKS) const uint BLOCKS = 0u;
layout(constant_id = GT_GATHER_SUM_SPEC_QUADS) const uint QUADS = 0u;
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;
#include "lib/quads.glsl"

shared uint begins[LOCAL_X];

/* The first position at or after `low` whose key is at least `key`. */
uint lower_bound(uint low, uint key) {
  uint high = n;
  while (low < high) {
    uint middle = low + (high - low) / 2u;
    if (order.at[middle] < key) low = middle + 1u;
    else high = middle;
  }
  return low;
}

/* Adds piece c (a vec4, or one value) of the rows at positions first … last - 1, in this order, with four loads in
 * flight. */
vec4 add_rows(vec4 sum, uint first, uint last, uint c, uint pieces) {
  uint i = first;
  for (; i + 4u <= last; i += 4u) {
    vec4 v0 = gt_load(x, order.at[n + i] * pieces + c), v1 = gt_load(x, order.at[n + i + 1u] * pieces + c);
    vec4 v2 = gt_load(x, order.at[n + i + 2u] * pieces + c), v3 = gt_load(x, order.at[n + i + 3u] * pieces + c);
    sum += v0;
    sum += v1;
    sum += v2;
    sum += v3;
  }
  for (; i < last; i++) sum += gt_load(x, order.at[n + i] * pieces + c);
  return sum;
}

/* Sums piece c over block b if all keys of the block are equal. */
void block_sum(uint b, uint c, uint pieces) {
  uint first = b * block, last = first + block;
  if (order.at[first] == order.at[last - 1u])
    gt_store(partial, b * pieces + c, add_rows(vec4(0.0), first, last, c, pieces));
}

/* Sums piece c of a row of y over the positions first … last - 1. */
void row_sum(uint row, uint first, uint last, uint c, uint pieces) {
  vec4 sum = vec4(0.0);
  if (block != 0u) {
    uint b = (first + block - 1u) / block, head = min(b * block, last);
    sum = add_rows(sum, first, head, c, pieces);
    first = head;
    for (; first + block <= last; first += block) sum += gt_load(partial, b++ * pieces + c);
  }
  gt_store(y, row * pieces + c, add_rows(sum, first, last, c, pieces));
}

/* A workgroup computes LOCAL_X neighboring pieces. It finds the first position of each row once; begins[r] is that of
 * row `top` + r. */
void main() {
  uint pieces = QUADS != 0u ? width >> 2 : width, total = (BLOCKS != 0u ? n / block : rows) * pieces;
  uint me = gl_LocalInvocationID.x, stride = gl_NumWorkGroups.x * LOCAL_X;
  for (uint start = gl_WorkGroupID.x * LOCAL_X; start < total; start += stride) {
    uint i = start + me, item = i / pieces, c = i - item * pieces;
    if (BLOCKS != 0u) {
      if (i < total) block_sum(item, c, pieces);
    } else {
      uint top = start / pieces, count = (min(start + LOCAL_X, total) - 1u) / pieces - top + 1u;
      if (me < count) begins[me] = lower_bound(0u, top + me);
      barrier();
      if (i < total) {
        uint first = begins[item - top], last = first;
        bool has_keys = first < n && order.at[first] == item && item != padding;
        if (has_keys && item - top + 1u < count) last = begins[item - top + 1u];
        else if (has_keys) last = lower_bound(first + 1u, item + 1u);
        row_sum(item, first, last, c, pieces);
      }
      barrier();
    }
  }
}
