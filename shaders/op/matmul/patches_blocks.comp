/* Amax of blocks of images, the first pass to the scales of an im2col operand. */
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "op/matmul/patches_blocks.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = GT_BLOCKS_GROUP;
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;
layout(constant_id = GT_BLOCKS_SPEC_ALONG) const uint ALONG = 0u;
const uint QUADS = 1u;
#include "lib/quads.glsl"
shared uint largest[GT_BLOCKS_GROUP];

/* One channel at GT_RANGE_PLACES pixels; an invocation computes four blocks, of neighboring channels. */
void along_places(uint block) {
  uint quads = all_channels / 4u, quad = block % quads, first = block / quads * GT_RANGE_PLACES;
  uvec4 most = uvec4(0u);
  if (first >= places) return;
  [[dont_unroll]] for (uint p = 0u; p < GT_RANGE_PLACES; p += 8u)
    [[unroll]] for (uint i = 0u; i < 8u; i++)
      most = max(most, gt_magnitude(gt_load(image, min(first + p + i, places - 1u) * quads + quad)));
  [[unroll]] for (uint i = 0u; i < 4u; i++) blocks.at[block * 4u + i] = most[i];
}

/* Neighboring channels of one pixel; GT_BLOCKS_SHARES invocations compute a block. */
void of_channels(uint block) {
  uint quads = channels / 4u, me = gl_LocalInvocationIndex, share = me % GT_BLOCKS_SHARES;
  bool exists = block < places * (all_channels / channels);
  uvec4 most = uvec4(0u);
  for (uint i = share; i < quads && exists; i += GT_BLOCKS_SHARES)
    most = max(most, gt_magnitude(gt_load(image, block * quads + i)));
  largest[me] = max(max(most.x, most.y), max(most.z, most.w));
  barrier();
  if (share == 0u && exists) {
    uint bits = 0u;
    [[unroll]] for (uint i = 0u; i < GT_BLOCKS_SHARES; i++) bits = max(bits, largest[me + i]);
    blocks.at[block] = bits;
  }
}

void main() {
  uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x, i = group * LOCAL_X + gl_LocalInvocationIndex;
  if (ALONG != 0u) along_places(i);
  else of_channels(i / GT_BLOCKS_SHARES);
}
