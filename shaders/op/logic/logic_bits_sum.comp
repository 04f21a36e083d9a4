#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic_bits_sum.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 32u;

shared uint partial[LOCAL_X];

/* A workgroup computes one word (32 samples) of a group, with LOCAL_X / 32 invocations per sample, among which the
 * group's rows are divided. */
void main() {
  uint bit = gl_LocalInvocationID.x % 32u, part = gl_LocalInvocationID.x / 32u, parts = LOCAL_X / 32u;
  for (uint i = gl_WorkGroupID.x; i < groups * words; i += gl_NumWorkGroups.x) {
    uint group = i / words, word = i - group * words, count = 0u;
    for (uint row = part; row < group_size; row += parts)
      count += x.at[(group * group_size + row) * words + word] >> bit & 1u;
    partial[gl_LocalInvocationID.x] = count;
    barrier();
    if (part == 0u && 32u * word + bit < batch) {
      for (uint p = 1u; p < parts; p++) count += partial[32u * p + bit];
      y.at[(32u * word + bit) * groups + group] = float(count) * scale;
    }
    barrier();
  }
}
