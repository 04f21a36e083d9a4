#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/logic/logic_pack.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_LOGIC_PACK_SPEC_BY_WORD) const uint BY_WORD = 0u;

void main() {
  uint total = batch * values;
  for (uint i = gl_GlobalInvocationID.x; i < total; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    uint sample_ = i / values, value = i - sample_ * values, word = sample_ >> 5;
    uint at = word * values + value;
    if (BY_WORD == 0u) at = value * words + word;
    x.at[i] = float(packed.at[at] >> (sample_ & 31u) & 1u);
  }
}
