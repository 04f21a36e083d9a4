#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
/* One workgroup computes a BM x BN tile of the product, an invocation TM x TN of it in registers. Tiles of
 * A and B, BK deep, go through shared memory, both with k as the outer index; the next ones are fetched
 * from memory into registers while the present ones are multiplied. BM, BN and BK are multiples of 4; TM
 * and TN are 1, 2 or multiples of 4. */
#include "op/matmul.h"
#define GT_PROGRAM_X 4
#define row n
#include "lib/program.glsl"
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_X = 64u; /* (BM / TM) * (BN / TN) */
layout(constant_id = 3) const uint BM = 32u;
layout(constant_id = 4) const uint BN = 32u;
layout(constant_id = 5) const uint BK = 8u;
layout(constant_id = 6) const uint TM = 4u;
layout(constant_id = 7) const uint TN = 4u;
layout(constant_id = 8) const uint TRANS_A = 0u;
layout(constant_id = 9) const uint TRANS_B = 0u;
layout(constant_id = 10) const uint SPLIT = 1u;

const uint ROW_GROUPS = (TM + 3u) / 4u, COLUMN_GROUPS = (TN + 3u) / 4u;
const uint THREADS_N = BN / TN, THREADS_M = BM / TM;
const uint A_STRIDE = BM / 4u + 1u, B_STRIDE = BN / 4u + 1u; /* padded against bank conflicts */
const uint A_QUADS = BM * BK / 4u, B_QUADS = BN * BK / 4u;
const uint A_FETCHES = (A_QUADS + LOCAL_X - 1u) / LOCAL_X, B_FETCHES = (B_QUADS + LOCAL_X - 1u) / LOCAL_X;

shared vec4 a_tile[BK * A_STRIDE];
shared vec4 b_tile[BK * B_STRIDE];

/* Four elements from index i, of which `left` exist; the others are 0. */
vec4 fetch(GT_FLOATS from, uint i, int left, bool aligned) {
  vec4 v = vec4(0.0);
  if (left >= 4) {
    if (aligned) v = GT_FLOATS4(from).at[i >> 2];
    else v = vec4(from.at[i], from.at[i + 1u], from.at[i + 2u], from.at[i + 3u]);
  } else {
    if (left > 0) v.x = from.at[i];
    if (left > 1) v.y = from.at[i + 1u];
    if (left > 2) v.z = from.at[i + 2u];
  }
  return v;
}

/* Quad q of a tile of `wide` (rows of A, columns of B) by BK elements at (w0, k0) of a matrix of size w,
 * k. k_major: w is the contiguous axis in memory. */
vec4 fetch_quad(GT_FLOATS from, uint base, bool k_major, uint wide, uint q, uvec2 at, uint w, uint k_end,
                bool aligned) {
  uint i, j;
  int left;
  if (k_major) {
    j = at.y + q / (wide / 4u);
    i = at.x + 4u * (q % (wide / 4u));
    left = j < k_end ? int(w) - int(i) : 0;
    base += j * w + i;
  } else {
    i = at.x + q / (BK / 4u);
    j = at.y + 4u * (q % (BK / 4u));
    left = i < w ? int(k_end) - int(j) : 0;
    base += i * k + j;
  }
  return fetch(from, base, left, aligned);
}

void put_a(uint q, vec4 v) {
  if (TRANS_A != 0u) a_tile[q / (BM / 4u) * A_STRIDE + q % (BM / 4u)] = v;
  else {
    uint i = q / (BK / 4u), j = 4u * (q % (BK / 4u));
    for (uint c = 0u; c < 4u; c++) a_tile[(j + c) * A_STRIDE + i / 4u][i & 3u] = v[c];
  }
}

void put_b(uint q, vec4 v) {
  if (TRANS_B == 0u) b_tile[q / (BN / 4u) * B_STRIDE + q % (BN / 4u)] = v;
  else {
    uint i = q / (BK / 4u), j = 4u * (q % (BK / 4u));
    for (uint c = 0u; c < 4u; c++) b_tile[(j + c) * B_STRIDE + i / 4u][i & 3u] = v[c];
  }
}

/* Where in the tile an invocation's i-th row and g-th group of columns lie: fours of them are spread over
 * the tile, so that neighbours read neighbouring words of shared memory. */
uint tile_row(uint ty, uint i) { return TM < 4u ? ty * TM + i : (i / 4u * THREADS_M + ty) * 4u + i % 4u; }
uint tile_column(uint tx, uint g) { return TN < 4u ? tx * TN : (g * THREADS_N + tx) * 4u; }

/* The g-th group of an invocation's rows of A (of its columns of B) at depth j; of fewer than four only
 * those count. */
vec4 a_values(uint j, uint ty, uint g) {
  uint at = j * A_STRIDE, i = ty * TM;
  vec4 v = vec4(0.0);
  if (TM >= 4u) v = a_tile[at + g * THREADS_M + ty];
  if (TM < 4u) v.x = a_tile[at + i / 4u][i & 3u];
  if (TM == 2u) v.y = a_tile[at + i / 4u][i & 2u | 1u];
  return v;
}

vec4 b_values(uint j, uint tx, uint g) {
  uint at = j * B_STRIDE, i = tx * TN;
  vec4 v = vec4(0.0);
  if (TN >= 4u) v = b_tile[at + g * THREADS_N + tx];
  if (TN < 4u) v.x = b_tile[at + i / 4u][i & 3u];
  if (TN == 2u) v.y = b_tile[at + i / 4u][i & 2u | 1u];
  return v;
}

vec4 multiply_add(float left, vec4 right, vec4 sum) {
  if (TN == 1u) sum.x = fma(left, right.x, sum.x);
  if (TN == 2u) sum.xy = fma(vec2(left), right.xy, sum.xy);
  if (TN >= 4u) sum = fma(vec4(left), right, sum);
  return sum;
}

void write(uint z, uint i, uint j, vec4 v) {
  if (i < m && j < n) {
    uint lanes = min(TN < 4u ? TN : 4u, n - j);
    if (SPLIT > 1u) gt_store(partial, gt_place(((gl_WorkGroupID.y * batch + z) * m + i) * n + j, lanes), v);
    else gt_program_write(gt_place((z * m + i) * n + j, lanes), v);
  }
}

#define FETCH(k_at) \
  [[unroll]] for (uint f = 0u; f < A_FETCHES; f++) \
    a_next[f] = fetch_quad(a, z * stride_a, TRANS_A != 0u, BM, me + f * LOCAL_X, uvec2(m0, k_at), m, k_end, \
                           a_aligned); \
  [[unroll]] for (uint f = 0u; f < B_FETCHES; f++) \
    b_next[f] = fetch_quad(b, z * stride_b, TRANS_B == 0u, BN, me + f * LOCAL_X, uvec2(n0, k_at), n, k_end, \
                           b_aligned);

void tile(uint z) {
  uint tiles_n = (n + BN - 1u) / BN, me = gl_LocalInvocationID.x;
  uint m0 = gl_WorkGroupID.x / tiles_n * BM, n0 = gl_WorkGroupID.x % tiles_n * BN;
  uint tx = me % THREADS_N, ty = me / THREADS_N;
  uint k0 = SPLIT > 1u ? gl_WorkGroupID.y * k_chunk : 0u, k_end = SPLIT > 1u ? min(k0 + k_chunk, k) : k;
  bool a_aligned = ALIGNED != 0u && (((TRANS_A != 0u ? m : k) | stride_a | k0) & 3u) == 0u;
  bool b_aligned = ALIGNED != 0u && (((TRANS_B != 0u ? k : n) | stride_b | k0) & 3u) == 0u;
  vec4 a_next[A_FETCHES], b_next[B_FETCHES], sum[TM * COLUMN_GROUPS];

  [[unroll]] for (uint i = 0u; i < TM * COLUMN_GROUPS; i++) sum[i] = vec4(0.0);
  FETCH(k0)
  for (uint at = k0; at < k_end; at += BK) {
    [[unroll]] for (uint f = 0u; f < A_FETCHES; f++)
      if (me + f * LOCAL_X < A_QUADS) put_a(me + f * LOCAL_X, a_next[f]);
    [[unroll]] for (uint f = 0u; f < B_FETCHES; f++)
      if (me + f * LOCAL_X < B_QUADS) put_b(me + f * LOCAL_X, b_next[f]);
    barrier();
    if (at + BK < k_end) { FETCH(at + BK) }
    [[unroll]] for (uint j = 0u; j < BK; j++) {
      vec4 left[ROW_GROUPS], right[COLUMN_GROUPS];
      [[unroll]] for (uint g = 0u; g < ROW_GROUPS; g++) left[g] = a_values(j, ty, g);
      [[unroll]] for (uint g = 0u; g < COLUMN_GROUPS; g++) right[g] = b_values(j, tx, g);
      [[unroll]] for (uint i = 0u; i < TM; i++)
        [[unroll]] for (uint g = 0u; g < COLUMN_GROUPS; g++) {
          uint to = i * COLUMN_GROUPS + g;
          sum[to] = multiply_add(left[i / 4u][i % 4u], right[g], sum[to]);
        }
    }
    barrier();
  }
  [[unroll]] for (uint i = 0u; i < TM; i++)
    [[unroll]] for (uint g = 0u; g < COLUMN_GROUPS; g++)
      write(z, m0 + tile_row(ty, i), n0 + tile_column(tx, g), sum[i * COLUMN_GROUPS + g]);
}

void main() {
  for (uint z = gl_WorkGroupID.z; z < batch; z += gl_NumWorkGroups.z) tile(z);
}
