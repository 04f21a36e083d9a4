/* Loops over the rows of a matrix, one row per invocation or per workgroup (GT_SPEC_PER_LANE). A kernel is written once
 * for both: its loop over rows runs from gt_first_row() in steps of gt_row_stride(), and its loop over the columns of a
 * row from gt_first_column() in steps of gt_column_stride(). Include after lib/args.h. */
#ifndef GT_ROW_GLSL
#define GT_ROW_GLSL
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 1u;
layout(constant_id = GT_SPEC_PER_LANE) const uint PER_LANE = 0u;

shared float gt_row_value[LOCAL_X];

uint gt_first_row() { return PER_LANE != 0u ? gl_GlobalInvocationID.x : gl_WorkGroupID.x; }
uint gt_row_stride() { return PER_LANE != 0u ? gl_NumWorkGroups.x * LOCAL_X : gl_NumWorkGroups.x; }
uint gt_first_column() { return PER_LANE != 0u ? 0u : gl_LocalInvocationID.x; }
uint gt_column_stride() { return PER_LANE != 0u ? 1u : LOCAL_X; }
/* True in the one invocation that writes the row's single result. */
bool gt_row_leader() { return PER_LANE != 0u || gl_LocalInvocationID.x == 0u; }

/* Reduces the partial values of the row's invocations to the sum (kind 0), maximum (1) or minimum (2) of the row and
 * returns it to all of them; with one row per invocation, returns `value`. The order of additions depends only on the
 * size of the workgroup. */
float gt_row_join(float value, uint kind) {
  if (PER_LANE == 0u) {
    uint me = gl_LocalInvocationID.x;
    gt_row_value[me] = value;
    barrier();
    for (uint left = LOCAL_X; left > 1u;) {
      uint half_left = (left + 1u) / 2u;
      if (me + half_left < left) {
        float a = gt_row_value[me], b = gt_row_value[me + half_left];
        gt_row_value[me] = kind == 0u ? a + b : kind == 1u ? max(a, b) : min(a, b);
      }
      barrier();
      left = half_left;
    }
    value = gt_row_value[0];
    barrier();
  }
  return value;
}

float gt_row_sum(float value) { return gt_row_join(value, 0u); }
float gt_row_max(float value) { return gt_row_join(value, 1u); }
float gt_row_min(float value) { return gt_row_join(value, 2u); }
#endif
