/* Addresses within packed operands (packed.h). Include after lib/matrix.glsl, load.glsl and range.glsl, with the
 * constant PLANES. The address of the packed operands is passed in an argument that the operands do not need:
 * `geometry` if they are dense, otherwise stride_a and stride_b, or input GT_PACKED_X if these have the address of the
 * coefficients' factors. */
#include "op/matmul/packed.h"
/* Octets of a matrix, and of a plane: the matrices of a group in one step. */
const uint LEFT_MATRIX = SUBGROUP * GT_LEFT_OCTETS, LEFT_PLANE = GT_PACKED_LINES / MATRIX_M * LEFT_MATRIX;
const uint RIGHT_MATRIX = SUBGROUP * GT_RIGHT_OCTETS, RIGHT_PLANE = GT_PACKED_LINES / MATRIX_N * RIGHT_MATRIX;
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer gt_octets { uvec4 at[]; };

/* True if A consists of basis functions: then only B is packed, and each lane computes its elements of A (not in
 * bfloat16). */
#ifdef GT_MATRIX_BFLOAT
const bool MADE = false;
#else
const bool MADE = KIND_A == GT_FACTOR_BASIS;
#endif
const bool PACKED_DENSE = KIND_A == GT_FACTOR_DENSE && KIND_B == GT_FACTOR_DENSE;
/* True if A is repeated in each segment: then only one segment is packed. */
const bool PACKED_REPEATS = KIND_A == GT_FACTOR_REPEATED;
const uint PACKED_SEGMENT = SEGMENT / MATRIX_K; /* steps */
gt_octets packed_operands() {
  uvec2 at = uvec2(geometry);
  if (SCALED_PARTS != 0u) at = uvec2(x[GT_PACKED_X]);
  else if (!PACKED_DENSE) at = uvec2(stride_a, stride_b);
  return gt_octets(at);
}

/* The column of A and row of B at a position along K of the packed operands. */
uint packed_place(uint position) {
  uint place = position;
  if (MADE && BASIS_APART) {
    gt_spot spot = basis_woven(position);
    place = basis_column(spot.at - (spot.phase == BASIS_TERMS ? basis_raw : 0u), spot.phase);
  }
  return place;
}

uint packed_steps() { return (k + 2u * MATRIX_K - 1u) / (2u * MATRIX_K) * 2u; }
uint packed_steps_a() { return PACKED_REPEATS ? PACKED_SEGMENT : packed_steps(); }
uint packed_groups(uint wide) { return (wide + GT_PACKED_LINES - 1u) / GT_PACKED_LINES; }
/* Index of the first octet of a step of matrix `number` (MATRIX_M rows or MATRIX_N columns) in batch entry z. */
uint packed_a(uint z, uint number, uint step) {
  uint each = GT_PACKED_LINES / MATRIX_M, entry = range_entries(KIND_A, stride_a) == 1u ? 0u : z;
  uint group = entry * packed_groups(m) + min(number / each, packed_groups(m) - 1u);
  return (group * packed_steps_a() + step) * PLANES * LEFT_PLANE + number % each * LEFT_MATRIX;
}
uint packed_b(uint z, uint number, uint step) {
  uint each = GT_PACKED_LINES / MATRIX_N, entry = range_entries(KIND_B, stride_b) == 1u ? 0u : z;
  uint group = entry * packed_groups(n) + min(number / each, packed_groups(n) - 1u);
  uint groups_a = range_entries(KIND_A, stride_a) * packed_groups(m);
  uint of_a = MADE ? 0u : groups_a * packed_steps_a() * PLANES * LEFT_PLANE;
  return of_a + (group * packed_steps() + step) * PLANES * RIGHT_PLANE + number % each * RIGHT_MATRIX;
}
