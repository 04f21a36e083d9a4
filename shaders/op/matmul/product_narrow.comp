/* Wgrad of a convolution with few input channels: im2col tiles in shared memory, sums in registers. */
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "op/matmul/product_narrow.h"
#define GT_PROGRAM_X 4
#define row_length n
#include "lib/program.glsl"
#include "op/matmul/fetch.glsl"
#include "op/matmul/spot.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_NARROW_SPEC_QUADS) const uint QUADS = 8u;
layout(constant_id = GT_NARROW_SPEC_GROUPS) const uint GROUPS = 1u;
layout(constant_id = GT_NARROW_SPEC_SETS) const uint SETS = 8u;
layout(constant_id = GT_NARROW_SPEC_TAPS) const uint TAPS = 9u;
layout(constant_id = GT_NARROW_SPEC_CHUNK) const uint CHUNK = 1u;
layout(constant_id = GT_STAGE_SPEC_BATCH) const uint BATCH = 5u;

const uint LOCAL = QUADS * GROUPS * SETS, POSITIONS = 4u * GROUPS * SETS;
const uint ROWS = GROUPS * TAPS, STRIDE = POSITIONS / 4u + 1u; /* padded against bank conflicts */
/* Shared memory: the patches (stage_patches.glsl), then, if there are several groups, the lines of A. At the end the
 * sums of half of the sets. */
const uint A_AT = ROWS * STRIDE, STAGED = A_AT + (GROUPS > 1u ? POSITIONS * QUADS : 0u);
const uint SUMS = SETS / 2u * QUADS * GROUPS * TAPS, POOL = STAGED > SUMS ? STAGED : SUMS;
shared vec4 pool[POOL];

#define GT_STAGE_IMAGE b
#define GT_STAGE_COLUMNS n
#include "op/matmul/stage_patches.glsl"

/* A quad of a line of A, from position i on; 0 for a line from `end` on. Elements after the end of the line are
 * replaced by others. */
vec4 read_line(uint line, uint i, uint end, bool aligned) {
  uint at = min(line, end - 1u) * m;
  vec4 v;
  if (aligned) v = GT_CAST(GT_FLOATS4, a).at[at + min(i, m - 4u) >> 2];
  else v = vec4(a.at[at + min(i, m - 1u)], a.at[at + min(i + 1u, m - 1u)], a.at[at + min(i + 2u, m - 1u)],
                a.at[at + min(i + 3u, m - 1u)]);
  return line < end ? v : vec4(0.0);
}

/* The line of the f-th quad that an invocation loads. If several groups share the quads, neighboring invocations load
 * neighboring quads; otherwise each invocation loads the quads that it multiplies. */
uint line_read(uint me, uint f) { return GROUPS > 1u ? (me + f * LOCAL) / QUADS : me / QUADS * 4u + f; }

#define READ(at) \
  [[unroll]] for (uint f = 0u; f < 4u; f++) next[f] = read_line(at + line_read(me, f), i, k_end, aligned);

void main() {
  uint me = gl_LocalInvocationID.x, quad = me % QUADS, group = me / QUADS % GROUPS, set = me / (QUADS * GROUPS);
  uint i = 4u * (gl_WorkGroupID.x * QUADS + quad), part = gl_WorkGroupID.y;
  uint k0 = part * CHUNK, k_end = min(k0 + CHUNK, k), first = group * TAPS;
  bool aligned = ALIGNED != 0u && (m & 3u) == 0u;
  vec4 now[4], next[4], sum[GT_NARROW_MOST_TAPS];
  stage_begin(me);
  [[unroll]] for (uint t = 0u; t < GT_NARROW_MOST_TAPS; t++) sum[t] = vec4(0.0);
  READ(k0)
  for (uint at = k0; at < k_end; at += POSITIONS) {
    stage_patches(me, at, k_end);
    [[unroll]] for (uint f = 0u; f < 4u; f++) {
      if (GROUPS > 1u) pool[A_AT + me + f * LOCAL] = next[f];
      else now[f] = next[f];
    }
    barrier();
    READ(at + POSITIONS)
    /* line_quad: which four neighboring lines of the staged ones. */
    for (uint turn = 0u; turn < GROUPS; turn++) {
      uint line_quad = turn * SETS + set;
      if (GROUPS > 1u) {
        [[unroll]] for (uint f = 0u; f < 4u; f++) now[f] = pool[A_AT + (4u * line_quad + f) * QUADS + quad];
      }
      [[unroll]] for (uint t = 0u; t < GT_NARROW_MOST_TAPS; t++)
        if (t < TAPS) {
          vec4 x = pool[(first + t) * STRIDE + line_quad];
          [[unroll]] for (uint f = 0u; f < 4u; f++) sum[t] = fma(vec4(x[f]), now[f], sum[t]);
        }
    }
    barrier();
  }
  /* Tree reduction over the sets: the lower half of the sets adds the sums of the upper half, until one set is left. */
  for (uint lower = SETS / 2u; lower > 0u; lower /= 2u) {
    uint lanes = lower * QUADS * GROUPS;
    [[unroll]] for (uint t = 0u; t < GT_NARROW_MOST_TAPS; t++)
      if (t < TAPS && set >= lower && set < 2u * lower) pool[t * lanes + me - lanes] = sum[t];
    barrier();
    [[unroll]] for (uint t = 0u; t < GT_NARROW_MOST_TAPS; t++)
      if (t < TAPS && set < lower) sum[t] += pool[t * lanes + me];
    barrier();
  }
  [[unroll]] for (uint t = 0u; t < GT_NARROW_MOST_TAPS; t++)
    if (t < TAPS && set == 0u && first + t < n) {
      [[unroll]] for (uint l = 0u; l < 4u; l++)
        if (i + l < m) partial.at[(part * m + i + l) * n + first + t] = sum[t][l];
    }
}
