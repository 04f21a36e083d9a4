#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic_conv.h"
#include "op/logic/logic_conv.glsl"

vec4 load_leaf(uint i) {
  vec4 v = vec4(0.0);
  if (QUADS != 0u) v = gt_logic_four(leaves, i);
  else v.x = leaves.at[i];
  return v;
}

/* An invocation computes the gradient of one input value. Each leaf reads the value in at most one window, at one
 * position of it; if the tree's maximum in that window is at this position, the gradient of the leaf is added. The
 * leaves are visited in ascending order, so that the order of additions is fixed. */
void main() {
  uint items = gt_logic_width(), leaf_items = rows * COLUMNS * items;
  uint total = height * width * CHANNELS * items;
  for (uint i = gl_GlobalInvocationID.x; i < total; i += gl_NumWorkGroups.x * LOCAL_X) {
    uint feature = i / items, s = i - feature * items, channel = feature % CHANNELS;
    uint pixel = feature / CHANNELS, row = pixel / width, column = pixel - row * width;
    uint end = wiring.at[channel + 1u];
    vec4 sum = vec4(0.0);
    for (uint k = wiring.at[channel]; k < end; k++) {
      uint leaf = wiring.at[CHANNELS + 1u + 2u * k], at = wiring.at[CHANNELS + 2u + 2u * k];
      uvec2 corner = uvec2(row, column) + padding - uvec2(at / FIELD, at % FIELD);
      uvec2 position = corner / STRIDE, window = position / POOL, within = position % POOL;
      if (corner % STRIDE != uvec2(0u) || window.x >= rows || window.y >= COLUMNS) continue;
      uint item = (window.x * COLUMNS + window.y) * items + s, slot = within.x * POOL + within.y;
      if (SLOTS == 1u) {
        sum += load_leaf(leaf * leaf_items + item);
        continue;
      }
      uint word = winner.at[(leaf >> DEPTH) * leaf_items + item];
      uvec4 best_slot = uvec4(word) >> uvec4(0u, 8u, 16u, 24u) & 255u;
      bvec4 is_maximum = equal(best_slot, uvec4(slot));
      if (any(is_maximum)) sum += mix(vec4(0.0), load_leaf(leaf * leaf_items + item), is_maximum);
    }
    gt_logic_store(i, sum);
  }
}
