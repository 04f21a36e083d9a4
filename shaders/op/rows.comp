#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "op/rows.h"
layout(constant_id = GT_ROWS_SPEC_WHOLE) const uint WHOLE = 0u;
#define GT_PROGRAM_X 8
#define GT_PROGRAM_ROWS
#define GT_PROGRAM_NO_STORE
#define GT_PROGRAM_QUADS (WHOLE != 0u)
#include "lib/program.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 1u;
layout(constant_id = GT_ROWS_SPEC_LANES) const uint LANES = 1u;
layout(constant_id = GT_ROWS_SPEC_PASSES) const uint PASSES = 0u;
layout(constant_id = GT_ROWS_SPEC_NARROW) const uint NARROW = 0u;
layout(constant_id = GT_ROWS_SPEC_EACH) const uint EACH = 1u;
layout(constant_id = GT_ROWS_SPEC_KEPT) const uint KEPT = 0u;
layout(constant_id = GT_ROWS_SPEC_REDUCTION) const uint REDUCTION_0 = 0u;
layout(constant_id = GT_ROWS_SPEC_REDUCTION + 1) const uint REDUCTION_1 = 0u;
layout(constant_id = GT_ROWS_SPEC_REDUCTION + 2) const uint REDUCTION_2 = 0u;
layout(constant_id = GT_ROWS_SPEC_REDUCTION + 3) const uint REDUCTION_3 = 0u;
layout(constant_id = GT_ROWS_SPEC_OPCODE) const uint OPCODE_0 = 0u;
layout(constant_id = GT_ROWS_SPEC_OPCODE + 1) const uint OPCODE_1 = 0u;
layout(constant_id = GT_ROWS_SPEC_OPCODE + 2) const uint OPCODE_2 = 0u;
layout(constant_id = GT_ROWS_SPEC_OPCODE + 3) const uint OPCODE_3 = 0u;

/* The reduction over the lanes of a row has two levels: at the first, GROUPS lanes combine FAN values each; at the
 * second, these GROUPS values are combined. With few lanes there is only the second. */
const uint FAN = LANES > 64u ? 16u : 8u, GROUPS = LANES > FAN ? LANES / FAN : LANES;

/* The partial results of each invocation, one component per reduction. */
shared vec4 partial[LOCAL_X];

/* The per-element inputs of this invocation's vec4s. */
V kept[EACH][GT_PROGRAM_X];

#include "lib/row_reductions.glsl"

#define READ(k, load) \
  if (INPUT_COUNT > k && GT_LOAD_MODE(load) == GT_LOAD_SAME) kept[i][k] = gt_load_same(x[k], at);
#define WRITE(k) \
  if (OUTPUT_COUNT > k) { \
    if ((NARROW >> k & 1u) != 0u) row_value[k] = result[i][k].x; \
    else if (is_stored) gt_store(y[k], at, result[i][k]); \
  }
#define WRITE_NARROW(k) \
  if (OUTPUT_COUNT > k && (NARROW >> k & 1u) != 0u) y[k].at[gt_row_now] = row_value[k];
#define EACH_QUAD [[unroll]] for (uint i = 0u; i < EACH; i++)
/* A row is processed in rounds of EACH * LANES vec4s. q: the first vec4 of this invocation in the round. With KEPT
 * there is only one round. */
#define EACH_ROUND(quads) for (uint q = lane; q - lane < (KEPT != 0u ? 1u : quads); q += EACH * LANES)

/* Combines n partial results that are `apart` invocations apart. */
vec4 combine_some(uint first, uint apart, uint n) {
  vec4 v = partial[first];
  [[unroll]] for (uint i = 1u; i < n; i++) v = gt_reductions_combine(v, partial[first + i * apart]);
  return v;
}

/* Combines the partial results of the lanes of a row; the order of additions depends only on LANES. Every lane computes
 * the second level itself, which is faster than waiting for one lane to do so. */
vec4 combine_lanes(vec4 mine) {
  if (LANES == 1u) return mine;
  uint me = gl_LocalInvocationID.x, lane = me % LANES;
  partial[me] = mine;
  barrier();
  if (LANES > FAN) {
    if (lane < GROUPS) partial[me] = combine_some(me, GROUPS, FAN);
    barrier();
  }
  vec4 all = combine_some(me - lane, 1u, GROUPS);
  barrier();
  return all;
}

/* True if the row has vec4 number q, the i-th of this invocation in the round. With KEPT, at least the first half of an
 * invocation's vec4s exist, so they need no test. */
bool has_quad(uint i, uint q, uint quads) { return KEPT != 0u && i < EACH / 2u || q < quads; }

/* A vec4 beyond the end of the row is replaced by the last one, and the result is not used: a branch would make drivers
 * wait for the loads in flight. */
gt_place place_of(uint i, uint q, uint quads) {
  uint column = 4u * (has_quad(i, q, quads) ? q : quads - 1u);
  return gt_place(gt_row_now * row_length + column, WHOLE != 0u ? 4u : min(row_length - column, 4u));
}

/* Reads the per-element inputs of one round. */
void read(uint q, uint quads) {
  EACH_QUAD {
    gt_place at = place_of(i, q + i * LANES, quads);
    READ(0, LOAD_0)
    READ(1, LOAD_1)
    READ(2, LOAD_2)
    READ(3, LOAD_3)
    READ(4, LOAD_4)
    READ(5, LOAD_5)
    READ(6, LOAD_6)
    READ(7, LOAD_7)
  }
}

/* Computes the reductions of one pass over the row. */
void reduce_row(uint pass, uint lane, uint quads) {
  V sum[GT_PROGRAM_REDUCTIONS], result[GT_PROGRAM_OUTPUTS];
  gt_reductions_neutral(sum);
  EACH_ROUND(quads) {
    if (KEPT == 0u) read(q, quads);
    EACH_QUAD {
      gt_place at = place_of(i, q + i * LANES, quads);
      uint lanes = has_quad(i, q + i * LANES, quads) ? at.lanes : 0u;
      gt_row_input = kept[i];
      gt_program(at, V(0.0), result);
      gt_reductions_accumulate(sum, lanes, pass);
    }
  }
  gt_reductions_set(combine_lanes(gt_reductions_partial(sum, pass)), pass);
}

/* The last pass. Computes all results of a round before its first store: a driver cannot know that stores do not
 * overlap later loads, so it would keep their order. */
void write_row(uint lane, uint quads, bool exists) {
  V result[EACH][GT_PROGRAM_OUTPUTS];
  float row_value[GT_PROGRAM_OUTPUTS];
  EACH_ROUND(quads) {
    if (KEPT == 0u) read(q, quads);
    EACH_QUAD {
      gt_row_input = kept[i];
      gt_program(place_of(i, q + i * LANES, quads), V(0.0), result[i]);
    }
    EACH_QUAD {
      gt_place at = place_of(i, q + i * LANES, quads);
      bool is_stored = exists && has_quad(i, q + i * LANES, quads);
      WRITE(0)
      WRITE(1)
      WRITE(2)
      WRITE(3)
    }
  }
  if (NARROW == 0u) return;
  barrier(); /* an output with one value per row may overwrite an input that all lanes of the row read */
  if (lane == 0u && exists) {
    WRITE_NARROW(0)
    WRITE_NARROW(1)
    WRITE_NARROW(2)
    WRITE_NARROW(3)
  }
}

/* Invocations without a row (r >= rows) compute the last row without storing it, because all must reach the
 * barriers. */
void run_row(uint r) {
  uint lane = gl_LocalInvocationID.x % LANES, quads = (row_length + 3u) / 4u;
  gt_row_now = min(r, rows - 1u);
  gt_reductions_reset();
  if (KEPT != 0u) read(lane, quads);
  [[unroll]] for (uint pass = 0u; pass < PASSES; pass++) reduce_row(pass, lane, quads);
  write_row(lane, quads, r < rows);
}

void main() {
  uint rows_at_once = LOCAL_X / LANES, row_in_group = gl_LocalInvocationID.x / LANES;
  for (uint first = gl_WorkGroupID.x * rows_at_once; first < rows; first += gl_NumWorkGroups.x * rows_at_once)
    run_row(first + row_in_group);
}
