/* One workgroup computes a BM x BN tile of the product, a subgroup of it SM x SN, as sums of matrix units'
 * own size. Slabs of A and B, BK deep, go through shared memory in the order in which they lie in memory: the
 * units read them by rows or by columns. The next slab is fetched into registers while the present one is
 * multiplied.
 *
 * bfloat16 has the range of a float. float16 has not: each row of A and column of B is scaled by a power of
 * two, for each slab anew, so that its largest element lies in [2^14, 2^15), which is undone when the slab's
 * sums are added to the total. An element is then rounded to 11 bits, or to a 2^38th of the largest in its
 * slab's row; nothing overflows, and infinities and NaN stay what they are. */
#include "op/matmul/product_matrix.h"
#define GT_PROGRAM_X 4
#define row n
#include "lib/program.glsl"
#include "op/matmul/fetch.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 64u; /* SUBGROUP * (BM / SM) * (BN / SN) */
layout(constant_id = GT_MATRIX_SPEC_BM) const uint BM = 64u;
layout(constant_id = GT_MATRIX_SPEC_BN) const uint BN = 64u;
layout(constant_id = GT_MATRIX_SPEC_BK) const uint BK = 32u;
layout(constant_id = GT_MATRIX_SPEC_SM) const uint SM = 32u;
layout(constant_id = GT_MATRIX_SPEC_SN) const uint SN = 32u;
layout(constant_id = GT_MATRIX_SPEC_TRANS_A) const uint TRANS_A = 0u;
layout(constant_id = GT_MATRIX_SPEC_TRANS_B) const uint TRANS_B = 0u;
layout(constant_id = GT_MATRIX_SPEC_SPLIT) const uint SPLIT = 1u;
layout(constant_id = GT_MATRIX_SPEC_M) const uint MATRIX_M = 16u;
layout(constant_id = GT_MATRIX_SPEC_N) const uint MATRIX_N = 16u;
layout(constant_id = GT_MATRIX_SPEC_K) const uint MATRIX_K = 16u;
layout(constant_id = GT_MATRIX_SPEC_SUBGROUP) const uint SUBGROUP = 32u;
#include "lib/matrix.glsl"

/* A tile's lines, as they lie in memory: of constant k if that is not the contiguous axis. An octet is eight
 * neighbours in a line; lines are padded by one against bank conflicts. */
const bool A_K_LINES = TRANS_A != 0u, B_K_LINES = TRANS_B == 0u;
const uint A_LINE = (A_K_LINES ? BM : BK) / 8u, B_LINE = (B_K_LINES ? BN : BK) / 8u;
const uint A_STRIDE = A_LINE + 1u, B_STRIDE = B_LINE + 1u;
const uint A_LINES = A_K_LINES ? BK : BM, B_LINES = B_K_LINES ? BK : BN;
const uint A_OCTETS = A_LINES * A_LINE, B_OCTETS = B_LINES * B_LINE;
const uint A_FETCHES = (A_OCTETS + LOCAL_X - 1u) / LOCAL_X, B_FETCHES = (B_OCTETS + LOCAL_X - 1u) / LOCAL_X;
const uint DOWN = SM / MATRIX_M, ACROSS = SN / MATRIX_N, DEEP = BK / MATRIX_K, SUMS = MATRIX_M * MATRIX_N;
const uint SUBGROUPS_N = BN / SN, SUBGROUPS = LOCAL_X / SUBGROUP;

shared uvec4 a_tile[A_LINES * A_STRIDE];
shared uvec4 b_tile[B_LINES * B_STRIDE];
shared float finished[SUBGROUPS * SUMS]; /* a matrix of each subgroup, on its way out */

/* Octet q of a tile whose first element is at (w, k): where it lies in memory, in a matrix of `wide` by k, and
 * how many of its elements exist. */
uint octet_address(bool k_lines, uint line, uint q, uvec2 at, uint wide) {
  uint inner = 8u * (q % line), outer = q / line;
  return k_lines ? (at.y + outer) * wide + at.x + inner : (at.x + outer) * k + at.y + inner;
}
int octet_left(bool k_lines, uint line, uint q, uvec2 at, uint wide, uint k_end) {
  uint inner = 8u * (q % line), outer = q / line;
  bool exists = k_lines ? at.y + outer < k_end : at.x + outer < wide;
  int left = k_lines ? int(wide) - int(at.x + inner) : int(k_end) - int(at.y + inner);
  return exists ? left : 0;
}

#define FETCH_SIDE(next, from, K_LINES, LINE, OCTETS, FETCHES, first, at, wide, aligned) \
  GT_UNROLL for (uint f = 0u; f < FETCHES; f++) { \
    uint q = me + f * LOCAL_X, address = first + octet_address(K_LINES, LINE, q, at, wide); \
    int left = q < OCTETS ? octet_left(K_LINES, LINE, q, at, wide, k_end) : 0; \
    next[2u * f] = fetch(from, address, left, aligned); \
    next[2u * f + 1u] = fetch(from, address + 4u, left - 4, aligned); \
  }
#define FETCH(k_at) \
  FETCH_SIDE(a_next, a, A_K_LINES, A_LINE, A_OCTETS, A_FETCHES, z * stride_a, uvec2(m0, k_at), m, a_aligned) \
  FETCH_SIDE(b_next, b, B_K_LINES, B_LINE, B_OCTETS, B_FETCHES, z * stride_b, uvec2(n0, k_at), n, b_aligned)

/* Rounded to the nearest number with `bits` fewer digits, ties to even; infinities and NaN as they are. */
uvec4 rounded(vec4 v, uint bits) {
  uvec4 word = floatBitsToUint(v), half_digit = uvec4((1u << (bits - 1u)) - 1u);
  uvec4 up = word + half_digit + (word >> bits & 1u);
  bvec4 special = greaterThanEqual(word & 0x7fffffffu, uvec4(0x7f800000u));
  return mix(up, word, special) & ~(2u * half_digit + 1u) | mix(uvec4(0u), word & 0x007fffffu, special);
}

#ifdef GT_MATRIX_BFLOAT
uvec2 packed(vec4 v) {
  uvec4 word = rounded(v, 16u);
  /* A NaN may have all its digits in the lower half. */
  word |= mix(uvec4(0u), uvec4(0x00400000u), greaterThan(word & 0x7fffffffu, uvec4(0x7f800000u)));
  return word.xz >> 16 | word.yw & 0xffff0000u;
}
#define PUT_SIDE(tile, next, K_LINES, LINE, STRIDE, OCTETS, FETCHES, side) \
  GT_UNROLL for (uint f = 0u; f < FETCHES; f++) { \
    uint q = me + f * LOCAL_X; \
    if (q < OCTETS) tile[q / LINE * STRIDE + q % LINE] = uvec4(packed(next[2u * f]), packed(next[2u * f + 1u])); \
  }
#else
/* Of each row of A, then of each column of B, in this slab: the largest absolute value, as the bits of a float,
 * which order as it does, and the power of two that sums are to be multiplied by. */
shared uint largest[BM + BN];
shared float power[BM + BN];

/* 2^14 over the power of two of the largest, and its inverse: within what is no subnormal number. */
uint exponent(uint bits) { return clamp(bits >> 23, 15u, 254u); }
float scale(uint i) { return uintBitsToFloat(268u - exponent(largest[i]) << 23); }
float unscale(uint i) { return uintBitsToFloat(exponent(largest[i]) - 14u << 23); }

uvec2 packed(vec4 v) {
  vec4 short_ = uintBitsToFloat(rounded(v, 13u));
  return uvec2(packHalf2x16(short_.xy), packHalf2x16(short_.zw));
}

#define MEASURE_SIDE(next, K_LINES, LINE, OCTETS, FETCHES, side) \
  GT_UNROLL for (uint f = 0u; f < FETCHES; f++) { \
    uint q = me + f * LOCAL_X; \
    uvec4 low = floatBitsToUint(next[2u * f]) & 0x7fffffffu, high = floatBitsToUint(next[2u * f + 1u]) & 0x7fffffffu; \
    uvec4 most = max(low, high); \
    if (q < OCTETS && !K_LINES) atomicMax(largest[side + q / LINE], max(max(most.x, most.y), max(most.z, most.w))); \
    if (q < OCTETS && K_LINES) \
      GT_UNROLL for (uint i = 0u; i < 4u; i++) { \
        atomicMax(largest[side + 8u * (q % LINE) + i], low[i]); \
        atomicMax(largest[side + 8u * (q % LINE) + 4u + i], high[i]); \
      } \
  }
#define PUT_SIDE(tile, next, K_LINES, LINE, STRIDE, OCTETS, FETCHES, side) \
  GT_UNROLL for (uint f = 0u; f < FETCHES; f++) { \
    uint q = me + f * LOCAL_X; \
    if (q < OCTETS) { \
      vec4 low = vec4(scale(side + (K_LINES ? 8u * (q % LINE) : q / LINE))), high = low; \
      if (K_LINES) GT_UNROLL for (uint i = 0u; i < 4u; i++) { \
        low[i] = scale(side + 8u * (q % LINE) + i); \
        high[i] = scale(side + 8u * (q % LINE) + 4u + i); \
      } \
      tile[q / LINE * STRIDE + q % LINE] = uvec4(packed(low * next[2u * f]), packed(high * next[2u * f + 1u])); \
    } \
  }

void clear_largest() {
  for (uint i = gl_LocalInvocationIndex; i < BM + BN; i += LOCAL_X) largest[i] = 0u;
}
#endif

#define PUT \
  PUT_SIDE(a_tile, a_next, A_K_LINES, A_LINE, A_STRIDE, A_OCTETS, A_FETCHES, 0u) \
  PUT_SIDE(b_tile, b_next, B_K_LINES, B_LINE, B_STRIDE, B_OCTETS, B_FETCHES, BM)

void write(uint z, uint i, uint j, vec4 v) {
  if (i < m && j < n) {
    uint lanes = min(4u, n - j);
    if (SPLIT > 1u) gt_store(partial, gt_place(((gl_WorkGroupID.y * batch + z) * m + i) * n + j, lanes), v);
    else gt_program_write(gt_place((z * m + i) * n + j, lanes), v);
  }
}

/* Tiles go along y, too, where there are too many for x. The last may lie below the product: they write nothing. */
uint tile_number() {
  return SPLIT > 1u ? gl_WorkGroupID.x : gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
}

void tile(uint z) {
  uint tiles_n = (n + BN - 1u) / BN, me = gl_LocalInvocationIndex, number = tile_number();
  uint m0 = number / tiles_n * BM, n0 = number % tiles_n * BN;
  uint m_mine = gt_subgroup() / SUBGROUPS_N * SM, n_mine = gt_subgroup() % SUBGROUPS_N * SN;
  uint k0 = SPLIT > 1u ? gl_WorkGroupID.y * k_chunk : 0u, k_end = SPLIT > 1u ? min(k0 + k_chunk, k) : k;
  bool a_aligned = ALIGNED != 0u && (((A_K_LINES ? m : k) | stride_a) & 3u) == 0u;
  bool b_aligned = ALIGNED != 0u && (((B_K_LINES ? n : k) | stride_b) & 3u) == 0u;
  vec4 a_next[2u * A_FETCHES], b_next[2u * B_FETCHES];
  gt_sums total[DOWN * ACROSS];

  GT_UNROLL for (uint t = 0u; t < DOWN * ACROSS; t++) GT_SET_SUMS(total[t], 0.0);
#ifndef GT_MATRIX_BFLOAT
  clear_largest();
#endif
  FETCH(k0)
  for (uint at = k0; at < k_end; at += BK) {
    barrier(); /* the slab before is used up */
#ifndef GT_MATRIX_BFLOAT
    MEASURE_SIDE(a_next, A_K_LINES, A_LINE, A_OCTETS, A_FETCHES, 0u)
    MEASURE_SIDE(b_next, B_K_LINES, B_LINE, B_OCTETS, B_FETCHES, BM)
    barrier();
    for (uint i = me; i < BM + BN; i += LOCAL_X) power[i] = unscale(i);
#endif
    PUT
    barrier();
#ifndef GT_MATRIX_BFLOAT
    clear_largest();
#endif
    if (at + BK < k_end) { FETCH(at + BK) }
    gt_left left[DOWN * DEEP];
    gt_right right[ACROSS * DEEP];
    GT_UNROLL for (uint d = 0u; d < DEEP; d++) {
      GT_UNROLL for (uint i = 0u; i < DOWN; i++) {
        uint w = m_mine + i * MATRIX_M, deep = d * MATRIX_K;
        uint first = A_K_LINES ? deep * A_STRIDE + w / 8u : w * A_STRIDE + deep / 8u;
        GT_LOAD_LEFT(left[i * DEEP + d], a_tile, first, A_STRIDE, A_K_LINES);
      }
      GT_UNROLL for (uint j = 0u; j < ACROSS; j++) {
        uint w = n_mine + j * MATRIX_N, deep = d * MATRIX_K;
        uint first = B_K_LINES ? deep * B_STRIDE + w / 8u : w * B_STRIDE + deep / 8u;
        GT_LOAD_RIGHT(right[j * DEEP + d], b_tile, first, B_STRIDE, !B_K_LINES);
      }
    }
    GT_UNROLL for (uint i = 0u; i < DOWN; i++) {
#ifdef GT_MATRIX_BFLOAT
      GT_UNROLL for (uint j = 0u; j < ACROSS; j++)
        GT_UNROLL for (uint d = 0u; d < DEEP; d++)
          GT_MULTIPLY_ADD(total[i * ACROSS + j], left[i * DEEP + d], right[j * DEEP + d]);
#else
      gt_sums of_row;
      GT_LOAD_SUMS(of_row, power, m_mine + i * MATRIX_M, 0u, true);
      GT_UNROLL for (uint j = 0u; j < ACROSS; j++) {
        gt_sums of_column, sums;
        GT_SET_SUMS(sums, 0.0);
        GT_LOAD_SUMS(of_column, power, BM + n_mine + j * MATRIX_N, 0u, false);
        GT_UNROLL for (uint d = 0u; d < DEEP; d++)
          GT_MULTIPLY_ADD(sums, left[i * DEEP + d], right[j * DEEP + d]);
        /* The smaller power first: what is then out of range is so in the end. */
        GT_UNROLL for (uint e = 0u; e < GT_SUMS_LENGTH(sums); e++) {
          float x = GT_SUM(of_row, e), y = GT_SUM(of_column, e);
          GT_SUM(total[i * ACROSS + j], e) += GT_SUM(sums, e) * min(x, y) * max(x, y);
        }
      }
#endif
    }
  }
  GT_UNROLL for (uint i = 0u; i < DOWN; i++)
    GT_UNROLL for (uint j = 0u; j < ACROSS; j++) {
      uint mine = gt_subgroup() * SUMS;
      barrier();
      GT_STORE_SUMS(total[i * ACROSS + j], finished, mine, MATRIX_N);
      barrier();
      for (uint q = 4u * gt_lane(); q < SUMS; q += 4u * SUBGROUP) {
        uint at = mine + q;
        write(z, m0 + m_mine + i * MATRIX_M + q / MATRIX_N, n0 + n_mine + j * MATRIX_N + q % MATRIX_N,
              vec4(finished[at], finished[at + 1u], finished[at + 2u], finished[at + 3u]));
      }
    }
}

void main() {
  for (uint z = gl_WorkGroupID.z; z < batch; z += gl_NumWorkGroups.z) {
    tile(z);
    barrier(); /* the next entry's first slab must not overtake this one's last */
  }
}
