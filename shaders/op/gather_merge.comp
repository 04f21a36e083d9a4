#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/gather_order.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;

/* The position of a key in the merged run is its position in its own run plus the number of keys of the other run that
 * come before it: for a key of the first run, the smaller keys of the second; for a key of the second run, the smaller
 * or equal keys of the first. */
void main() {
  uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < n; i += stride) {
    uint key = x.at[i], key_run = i / run, pair = (key_run & ~1u) * run;
    bool second = (key_run & 1u) != 0u;
    uint low = second ? pair : min(pair + run, n), start = low;
    uint high = second ? pair + run : min(pair + 2u * run, n);
    while (low < high) {
      uint middle = low + (high - low) / 2u, other = x.at[middle];
      if (other < key || (second && other == key)) low = middle + 1u;
      else high = middle;
    }
    uint place = pair + (i - key_run * run) + (low - start);
    y.at[place] = key;
    y.at[n + place] = x.at[n + i];
  }
}
