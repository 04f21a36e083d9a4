#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic_pack.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_LOGIC_PACK_SPEC_BY_WORD) const uint BY_WORD = 0u;

/* Neighboring invocations read neighboring values of one sample. */
void main() {
  uint total = values * words;
  for (uint i = gl_GlobalInvocationID.x; i < total; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    uint word = i / values, value = i - word * values, samples = min(32u, batch - 32u * word), bits = 0u;
    for (uint s = 0u; s < samples; s++)
      if (x.at[(32u * word + s) * values + value] > 0.5) bits |= 1u << s;
    uint at = i;
    if (BY_WORD == 0u) at = value * words + word;
    packed.at[at] = bits;
  }
}
