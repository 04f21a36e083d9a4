#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/gather_order.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 1u; /* a divisor of the length of the run */

shared uint keys[LOCAL_X];

/* The position of a key in the sorted run is the number of keys that are smaller, or equal and earlier. */
void main() {
  uint me = gl_LocalInvocationID.x;
  for (uint start = gl_WorkGroupID.x * LOCAL_X; start < n; start += gl_NumWorkGroups.x * LOCAL_X) {
    uint i = start + me, first = start / run * run, end = min(first + run, n), place = first, key = 0u;
    if (i < n) key = x.at[i];
    for (uint t = first; t < end; t += LOCAL_X) {
      if (t + me < end) keys[me] = x.at[t + me];
      barrier();
      uint count = min(LOCAL_X, end - t);
      for (uint k = 0u; k < count; k++) {
        uint other = keys[k];
        place += uint(other < key || (other == key && t + k < i));
      }
      barrier();
    }
    if (i < n) {
      y.at[place] = key;
      y.at[n + place] = i;
    }
  }
}
