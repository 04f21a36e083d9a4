#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/rows.h"
#define GT_PROGRAM_X 8
#define GT_PROGRAM_ROWS
#define GT_PROGRAM_READS
#include "lib/program.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 1u;
layout(constant_id = GT_ROWS_SPEC_LANES) const uint LANES = 1u;
layout(constant_id = GT_ROWS_SPEC_PASSES) const uint PASSES = 0u;
layout(constant_id = GT_ROWS_SPEC_NARROW) const uint NARROW = 0u;
layout(constant_id = GT_ROWS_SPEC_REDUCTION) const uint REDUCTION_0 = 0u;
layout(constant_id = GT_ROWS_SPEC_REDUCTION + 1) const uint REDUCTION_1 = 0u;
layout(constant_id = GT_ROWS_SPEC_REDUCTION + 2) const uint REDUCTION_2 = 0u;
layout(constant_id = GT_ROWS_SPEC_REDUCTION + 3) const uint REDUCTION_3 = 0u;
layout(constant_id = GT_ROWS_SPEC_OPCODE) const uint OPCODE_0 = 0u;
layout(constant_id = GT_ROWS_SPEC_OPCODE + 1) const uint OPCODE_1 = 0u;
layout(constant_id = GT_ROWS_SPEC_OPCODE + 2) const uint OPCODE_2 = 0u;
layout(constant_id = GT_ROWS_SPEC_OPCODE + 3) const uint OPCODE_3 = 0u;

/* Of each invocation, a component for each reduction. */
shared vec4 partial[LOCAL_X];

#define START(opcode) \
  (opcode == GT_I_ROW_MAX ? -gt_infinity() : opcode == GT_I_ROW_MIN ? gt_infinity() : 0.0)

vec4 join(vec4 a, vec4 b, uint opcode) {
  vec4 value = a + b;
  if (opcode == GT_I_ROW_MAX) value = max(a, b);
  if (opcode == GT_I_ROW_MIN) value = min(a, b);
  return value;
}

/* What the lanes that are none hold is another's value: it counts nothing. */
vec4 only(vec4 value, uint lanes, uint opcode) { return mix(vec4(START(opcode)), value, lessThan(uvec4(0u, 1u, 2u, 3u), uvec4(lanes))); }

float fold(vec4 v, uint opcode) {
  float value = (v.x + v.y) + (v.z + v.w);
  if (opcode == GT_I_ROW_MAX) value = max(max(v.x, v.y), max(v.z, v.w));
  if (opcode == GT_I_ROW_MIN) value = min(min(v.x, v.y), min(v.z, v.w));
  return value;
}

vec4 join_all(vec4 a, vec4 b) {
  vec4 value = a;
  if (REDUCTION_0 != 0u) value.x = join(a, b, OPCODE_0).x;
  if (REDUCTION_1 != 0u) value.y = join(a, b, OPCODE_1).y;
  if (REDUCTION_2 != 0u) value.z = join(a, b, OPCODE_2).z;
  if (REDUCTION_3 != 0u) value.w = join(a, b, OPCODE_3).w;
  return value;
}

#define WRITE(k) \
  if (OUTPUT_COUNT > k) { \
    if ((NARROW >> k & 1u) == 0u) gt_store(y[k], at, result[k]); \
    else own[k] = result[k].x; \
  }
#define WRITE_NARROW(k) \
  if (OUTPUT_COUNT > k && (NARROW >> k & 1u) != 0u) y[k].at[r] = own[k];
#define JOIN(k, pass_of, opcode) \
  if (pass_of == pass + 1u) sum[k] = join(sum[k], only(gt_row_operand[k], at.lanes, opcode), opcode);
#define FOLD(k, pass_of, opcode) \
  if (pass_of == pass + 1u) mine[k] = fold(sum[k], opcode);
#define KNOW(k, pass_of) \
  if (pass_of == pass + 1u) gt_row_known[k] = all[k];

/* The row's values from those of its lanes, by a tree whose shape depends on the number of lanes only. */
vec4 join_lanes(vec4 mine) {
  uint me = gl_LocalInvocationID.x, lane = me % LANES;
  partial[me] = mine;
  barrier();
  for (uint left = LANES / 2u; left > 0u; left /= 2u) {
    if (lane < left) partial[me] = join_all(partial[me], partial[me + left]);
    barrier();
  }
  vec4 all = partial[me - lane];
  barrier();
  return all;
}

void work_on_row(uint r, bool exists) {
  uint lane = gl_LocalInvocationID.x % LANES, quads = exists ? (row + 3u) / 4u : 0u;
  V result[GT_PROGRAM_OUTPUTS];
  float own[GT_PROGRAM_OUTPUTS];
  for (uint k = 0u; k < GT_PROGRAM_REDUCTIONS; k++) gt_row_known[k] = 0.0;
  for (uint pass = 0u; pass < PASSES; pass++) {
    V sum[GT_PROGRAM_REDUCTIONS];
    sum[0] = V(START(OPCODE_0));
    sum[1] = V(START(OPCODE_1));
    sum[2] = V(START(OPCODE_2));
    sum[3] = V(START(OPCODE_3));
    for (uint q = lane; q < quads; q += LANES) {
      gt_place at = gt_place(r * row + 4u * q, min(row - 4u * q, 4u));
      gt_program(at, V(0.0), result);
      JOIN(0, REDUCTION_0, OPCODE_0)
      JOIN(1, REDUCTION_1, OPCODE_1)
      JOIN(2, REDUCTION_2, OPCODE_2)
      JOIN(3, REDUCTION_3, OPCODE_3)
    }
    vec4 mine = vec4(0.0);
    FOLD(0, REDUCTION_0, OPCODE_0)
    FOLD(1, REDUCTION_1, OPCODE_1)
    FOLD(2, REDUCTION_2, OPCODE_2)
    FOLD(3, REDUCTION_3, OPCODE_3)
    vec4 all = join_lanes(mine);
    KNOW(0, REDUCTION_0)
    KNOW(1, REDUCTION_1)
    KNOW(2, REDUCTION_2)
    KNOW(3, REDUCTION_3)
  }
  for (uint q = lane; q < quads; q += LANES) {
    gt_place at = gt_place(r * row + 4u * q, min(row - 4u * q, 4u));
    gt_program(at, V(0.0), result);
    WRITE(0)
    WRITE(1)
    WRITE(2)
    WRITE(3)
  }
  if (NARROW == 0u) return;
  barrier(); /* what has one value a row may take the place of what all of the row reads */
  if (lane == 0u && exists) {
    WRITE_NARROW(0)
    WRITE_NARROW(1)
    WRITE_NARROW(2)
    WRITE_NARROW(3)
  }
}

void main() {
  uint each = LOCAL_X / LANES, mine = gl_LocalInvocationID.x / LANES;
  for (uint first = gl_WorkGroupID.x * each; first < rows; first += gl_NumWorkGroups.x * each)
    work_on_row(first + mine, first + mine < rows);
}
