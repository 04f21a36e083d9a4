/* Writes a KAN's basis functions of inputs to memory as a matrix, for the few consumers that cannot compute
 * them on load. */
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
/* An invocation computes up to four neighboring elements of a line. */
#include "op/kan/kan_basis.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;
layout(constant_id = GT_KAN_BASIS_SPEC_QUADS) const uint QUADS = 0u;
#include "lib/quads.glsl"
#include "op/matmul/fetch.glsl"
#include "op/matmul/spot.glsl"
#include "op/matmul/load_basis.glsl"

void main() {
  uint each = QUADS != 0u ? 4u : 1u, pieces = length / each, count = lines * pieces;
  basis_begin();
  for (uint n = gl_GlobalInvocationID.x; n < count; n += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    uint line = n / pieces, position = (n - line * pieces) * each;
    gt_store(y, n, basis_quad(x, basis_line(line), basis_position(position), position, int(each)));
  }
}
