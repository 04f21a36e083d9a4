/* Where in memory packed factors stand (packed.h). Include after lib/matrix.glsl and range.glsl, with the constant PLANES. */
#include "op/matmul/packed.h"
const uint LEFT_MATRIX = SUBGROUP * GT_LEFT_OCTETS, LEFT_PLANE = GT_PACKED_LINES / MATRIX_M * LEFT_MATRIX;
const uint RIGHT_MATRIX = SUBGROUP * GT_RIGHT_OCTETS, RIGHT_PLANE = GT_PACKED_LINES / MATRIX_N * RIGHT_MATRIX;
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer gt_octets { uvec4 at[]; };

uint packed_steps() { return (k + 2u * MATRIX_K - 1u) / (2u * MATRIX_K) * 2u; }
/* The octet at which matrix `number` of all those along the lines of entry z has its step. */
uint packed_a(uint z, uint number, uint step) {
  uint each = GT_PACKED_LINES / MATRIX_M, entry = range_entries(KIND_A, stride_a) == 1u ? 0u : z;
  uint group = entry * (range_padded(m) / GT_PACKED_LINES) + number / each;
  return (group * packed_steps() + step) * PLANES * LEFT_PLANE + number % each * LEFT_MATRIX;
}
uint packed_b(uint z, uint number, uint step) {
  uint each = GT_PACKED_LINES / MATRIX_N, entry = range_entries(KIND_B, stride_b) == 1u ? 0u : z;
  uint group = entry * (range_padded(n) / GT_PACKED_LINES) + number / each;
  uint of_a = range_entries(KIND_A, stride_a) * (range_padded(m) / GT_PACKED_LINES) * packed_steps() * PLANES * LEFT_PLANE;
  return of_a + (group * packed_steps() + step) * PLANES * RIGHT_PLANE + number % each * RIGHT_MATRIX;
}
