/* Skinny-N GEMM with B staged in shared memory, for many rows. */
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "op/matmul/product_thin.h"
layout(constant_id = GT_FACTOR_SPEC_A) const uint KIND_A = 0u;
layout(constant_id = GT_FACTOR_SPEC_B) const uint KIND_B = 0u;
const uint RESULT = GT_RESULT_DENSE;
#define GT_PROGRAM_X 4
#define row_length n
#include "lib/program.glsl"
#include "op/matmul/load.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 64u; /* lines * SHARES */
layout(constant_id = GT_THIN_SPEC_COLUMNS) const uint COLUMNS_OF_B = 1u;
layout(constant_id = GT_THIN_SPEC_SHARES) const uint SHARES = 16u;
layout(constant_id = GT_THIN_SPEC_CHUNK) const uint CHUNK = 32u;
layout(constant_id = GT_MATMUL_SPEC_TRANS_B) const uint TRANS_B = 0u;
layout(constant_id = GT_MATMUL_SPEC_EXTENTS) const uint EXTENTS = 0u;
const bool A_ALIGNED = (EXTENTS & GT_MATMUL_QUADS_OF_A) != 0u && ALIGNED != 0u;
/* A B that is not transposed is staged as one sequence of elements. It consists of whole quads also if the length of
 * A's lines (k) is a multiple of 4. */
const bool B_ALIGNED = (EXTENTS & (GT_MATMUL_QUADS_OF_A | GT_MATMUL_QUADS_OF_B)) != 0u && ALIGNED != 0u;
const uint BLOCK_REST = BASIS_BLOCK % 4u;
const bool MAKES_A = KIND_A == GT_FACTOR_BASIS && BLOCK_REST == 0u;
const uint LINES = LOCAL_X / SHARES, QUADS = (COLUMNS_OF_B + 3u) / 4u, WIDE = 4u * QUADS, STEP = SHARES * GT_THIN_AT_ONCE;
const uint SUMS = GT_THIN_SUMS(COLUMNS_OF_B, SHARES), SUM_QUADS = LINES * SUMS / 4u, STAGED = COLUMNS_OF_B * CHUNK;
shared vec4 pool[STAGED > SUM_QUADS ? STAGED : SUM_QUADS]; /* B's quads along k, column by column; then sums */
shared float rows[LINES * (WIDE + 1u)];                    /* of the result */

void columns_put(uint word, float value) { rows[word] = value; }
float columns_get(uint word) { return rows[word]; }
#include "op/matmul/follow.glsl"

/* The i-th quad of memory to be staged for the chunk that begins at quad `at` of K: along K if B is transposed,
 * otherwise of the sequence of its rows. 0 after the end. */
vec4 staged_fetch(uint i, uint at) {
  vec4 v;
  if (TRANS_B != 0u) {
    uint along = at + i % CHUNK;
    int left = i < STAGED ? int(k) - int(4u * along) : 0;
    v = fetch(b, min(i / CHUNK, COLUMNS_OF_B - 1u) * k + 4u * along, left, B_ALIGNED);
  } else {
    uint from = 4u * (at * COLUMNS_OF_B + i);
    int left = i < STAGED ? int(k * COLUMNS_OF_B) - int(from) : 0;
    v = fetch(b, from, left, B_ALIGNED);
    if (KIND_B == GT_FACTOR_SCALED)
      [[unroll]] for (uint l = 0u; l < 4u; l++) {
        gt_spot line = scaled_line(min((from + l) / COLUMNS_OF_B, k - 1u));
        bool has = line.place.y != 0;
        float factor = scaled_by().at[has ? uint(line.place.x) + (from + l) % COLUMNS_OF_B : 0u];
        if (has) v[l] *= factor;
      }
  }
  return v;
}

/* Stores that quad to shared memory. */
void staged_put(uint i, vec4 v) {
  if (TRANS_B != 0u) pool[i] = v;
  else
    [[unroll]] for (uint l = 0u; l < 4u; l++) {
      uint line = (4u * i + l) / COLUMNS_OF_B, column = (4u * i + l) % COLUMNS_OF_B;
      pool[column * CHUNK + line / 4u][line & 3u] = v[l];
    }
}

void stage(uint at) {
  const uint AT_ONCE = 4u;
  for (uint first = gl_LocalInvocationID.x; first < STAGED; first += AT_ONCE * LOCAL_X) {
    vec4 v[AT_ONCE];
    [[unroll]] for (uint i = 0u; i < AT_ONCE; i++) v[i] = staged_fetch(first + i * LOCAL_X, at);
    [[unroll]] for (uint i = 0u; i < AT_ONCE; i++)
      if (first + i * LOCAL_X < STAGED) staged_put(first + i * LOCAL_X, v[i]);
  }
}

/* FETCH loads an invocation's quads of A from quad `quad` of K on; for basis functions it loads the inputs, and MAKE
 * computes the functions before the multiplication. */
#define EACH_QUAD [[unroll]] for (uint u = 0u; u < GT_THIN_AT_ONCE; u++)
#define FETCH(quad) \
  EACH_QUAD { \
    uint position = 4u * ((quad) + u * SHARES + share); \
    int left = int(k) - int(position); \
    GT_POSITION(spot[u], KIND_A, position) \
    if (MAKES_A) next[u] = fetch(a, line.at + spot[u].at, left > 0 ? 4 : 0, ALIGNED != 0u); \
    else GT_QUAD(next[u], KIND_A, a, line, spot[u], position, left, A_ALIGNED) \
  }
#define MAKE(quad) \
  EACH_QUAD { \
    bool exists = 4u * ((quad) + u * SHARES + share) < k; \
    now[u] = next[u]; \
    if (MAKES_A) now[u] = exists ? basis_values(next[u], spot[u].phase, a, spot[u].at, 4) : vec4(0.0); \
  }
#define MULTIPLY(quad) \
  EACH_QUAD { \
    [[unroll]] for (uint c = 0u; c < COLUMNS_OF_B; c++) { \
      vec4 right = pool[c * CHUNK + (quad) % CHUNK + u * SHARES + share]; \
      [[unroll]] for (uint l = 0u; l < 4u; l++) sum[c] = fma(now[u][l], right[l], sum[c]); \
    } \
  }

/* An element's sum over all shares, in a fixed order. */
float joined(uint line, uint column) {
  vec4 sum = vec4(0.0);
  for (uint s = 0u; s < SHARES; s += 4u) sum += pool[(line * SUMS + column * SHARES + s) / 4u];
  return (sum.x + sum.y) + (sum.z + sum.w);
}

void write(uint first) {
  for (uint q = gl_LocalInvocationID.x; q < LINES * QUADS; q += LOCAL_X) {
    uint i = q / QUADS, j = q % QUADS * 4u, lanes = min(4u, COLUMNS_OF_B - j);
    if (first + i < m) {
      vec4 v = vec4(0.0);
      [[unroll]] for (uint l = 0u; l < 4u; l++)
        if (l < lanes) v[l] = joined(i, j + l);
      v = gt_program_write(gt_place((first + i) * n + j, lanes), v);
      follow_put(i, j, WIDE, v, lanes);
    }
  }
  follow_rows(first, LINES, WIDE);
}

void main() {
  uint me = gl_LocalInvocationID.x, share = me % SHARES, my_line = me / SHARES, quads = (k + 3u) / 4u;
  uint first = (gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * LINES;
  if (first >= m) return;
  float sum[COLUMNS_OF_B];
  gt_spot line, spot[GT_THIN_AT_ONCE];
  vec4 now[GT_THIN_AT_ONCE], next[GT_THIN_AT_ONCE];
  GT_BEGIN(KIND_A)
  GT_LINE(line, KIND_A, 0u, min(first + my_line, m - 1u), k, 0u)
  [[unroll]] for (uint c = 0u; c < COLUMNS_OF_B; c++) sum[c] = 0.0;
  FETCH(0u)
  for (uint at = 0u; at < quads; at += STEP) {
    if (at % CHUNK == 0u) {
      barrier(); /* the previous chunk has been read */
      stage(at);
      barrier();
    }
    MAKE(at)
    FETCH(at + STEP)
    MULTIPLY(at)
  }
  barrier();
  [[unroll]] for (uint c = 0u; c < COLUMNS_OF_B; c++) {
    uint word = my_line * SUMS + c * SHARES + share;
    pool[word / 4u][word & 3u] = sum[c];
  }
  barrier();
  write(first);
}
