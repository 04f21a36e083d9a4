#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/step_weights.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_STEP_WEIGHTS_SPEC_KIND) const uint KIND = 0u;
layout(constant_id = GT_STEP_WEIGHTS_SPEC_TIME_MAJOR) const uint TIME_MAJOR = 0u;

void main() {
  for (uint i = gl_GlobalInvocationID.x; i < steps * batch; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    const uint step = TIME_MAJOR != 0u ? i / batch : i % steps, row = TIME_MAJOR != 0u ? i % batch : i / steps;
    const int length = int(lengths.at[row]);
    const bool has_weight = KIND == GT_WEIGHT_LAST ? int(step) == length - 1 : int(step) < length;
    float weight = 0.0;
    if (has_weight) weight = KIND == GT_WEIGHT_MEAN ? 1.0 / float(length) : 1.0;
    y.at[i] = weight;
  }
}
