/* Scales of an im2col operand from the amax of blocks, the second pass. */
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
/* Writes the roots (range.h) of a GEMM's im2col operand from the amax of blocks (patches_blocks.h). An invocation
 * computes the root of one row of A or column of B in one scale block (depth) of K. */
#include "op/matmul/product_matrix.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 256u;
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;
layout(constant_id = GT_MATRIX_SPEC_BLOCK) const uint BLOCK = 32u; /* channels of a block; 0: blocks of pixels */
layout(constant_id = GT_MATRIX_SPEC_FORM) const uint FORM = 0u;
layout(constant_id = GT_FACTOR_SPEC_A) const uint KIND_A = 0u;
layout(constant_id = GT_FACTOR_SPEC_B) const uint KIND_B = 0u;
layout(constant_id = GT_FACTOR_SPEC_RESULT) const uint RESULT = 0u;
#define PATCHES_KEPT true
#include "op/matmul/load.glsl"
#include "op/matmul/range.glsl"

uint block_bits(uint block) { return floatBitsToUint(partial.at[block]); }

/* The amax (bits) of a patch in a scale block: over the blocks that its taps read there. */
uint largest_of_taps(uint z, uint depth, uint line) {
  gt_spot spot = patches_line(z, line);
  uint end = min((depth + 1u) * GT_RANGE_DEPTH, k), bits = 0u;
  for (uint at = depth * GT_RANGE_DEPTH; at < end; at += BLOCK) {
    gt_spot tap = patches_entry(at / 4u);
    bool has = patches_has(spot, tap);
    uint found = block_bits(has ? (spot.at + tap.at) / BLOCK : 0u);
    bits = max(bits, has ? found : 0u);
  }
  return bits;
}

/* The amax (bits) of one element of all patches in a scale block: over the blocks between the first and the last pixel
 * that it reads there, in the order of memory. slack: the most pixels by which a later position may be before an
 * earlier one. */
uint largest_along(uint z, uint depth, uint position) {
  uint all_channels = patches_step.x, bits = 0u, last = min((depth + 1u) * GT_RANGE_DEPTH, k) - 1u;
  gt_spot tap = patches_entry(position / 4u);
  uint channel = (tap.at + z * geometry.at[GT_PATCHES_CHANNELS] + position % 4u) % all_channels;
  uint images = k / (patches_positions.x * patches_positions.y * patches_positions.z);
  int places = int(images * (geometry.at[GT_PATCHES_IMAGE] / all_channels)), slack = int(geometry.at[GT_PATCHES_SLACK]);
  int offset = int(tap.at + position % 4u - channel);
  int low = (int(patches_line(z, depth * GT_RANGE_DEPTH).at) + offset) / int(all_channels) - slack;
  int high = (int(patches_line(z, last).at) + offset) / int(all_channels) + slack;
  uint from = uint(clamp(low, 0, places - 1)) / GT_RANGE_PLACES, to = uint(clamp(high, 0, places - 1)) / GT_RANGE_PLACES;
  for (uint block = from; block <= to; block++) bits = max(bits, block_bits(block * all_channels + channel));
  return bits;
}

void main() {
  bool of_a = KIND_A == GT_FACTOR_PATCHES;
  uint wide = of_a ? m : n, padded = range_padded(wide), depths = range_depths();
  uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x, i = group * LOCAL_X + gl_LocalInvocationIndex;
  uint line = min(i % padded, wide - 1u), depth = i / padded % depths, z = i / padded / depths, bits;
  if (z >= batch) return;
  patches_begin();
  if (BLOCK != 0u) bits = largest_of_taps(z, depth, line);
  else bits = largest_along(z, depth, line);
  range.at[(of_a ? range_a(z, depth) : range_b(z, depth)) + i % padded] = gt_range_root(bits);
}
