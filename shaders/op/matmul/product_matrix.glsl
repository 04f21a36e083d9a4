/* One workgroup computes a BM x BN tile of the product, a subgroup of it SM x SN, as sums of matrix units'
 * own size. Slabs of A and B, BK deep, go through shared memory in the order in which they lie in memory: the
 * units read them by rows or by columns. The next slab is fetched into registers while the present one is
 * multiplied.
 *
 * bfloat16 has the range of a float. float16 has not: each row of A and column of B is divided by a power of four,
 * for each GT_RANGE_DEPTH of k anew (range.h), which is undone when the sums over that depth are added to
 * the total. An element is then rounded to 11 bits, or to a 2^37th of the largest in its depth of the row.
 *
 * With GT_MATRIX_HALVES an element x is h + l, h its upper 11 bits, l the next 11, and a product is the sum of
 * l h', h l' and h h'; what is left out is below the rounding of floats (Ootomo and Yokota, "Recovering single
 * precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance", 2022). Units
 * truncate what they add, so sums that grew over all of k would lose digits: the totals are kept outside.
 *
 * A tile with an infinity or NaN in its factors is summed plainly, in floats.
 *
 * In the loop over slabs nothing but the next slab is fetched from memory: a load under a condition of its own
 * makes a driver wait for all that are on their way (an H200 loses a third). */
#include "op/matmul/product_matrix.h"
layout(constant_id = GT_FACTOR_SPEC_A) const uint KIND_A = 0u;
layout(constant_id = GT_FACTOR_SPEC_B) const uint KIND_B = 0u;
layout(constant_id = GT_FACTOR_SPEC_RESULT) const uint RESULT = 0u;
#define GT_PROGRAM_X 4
#define row (RESULT != GT_RESULT_DENSE ? n * batch : n)
#include "lib/program.glsl"
layout(constant_id = GT_MATRIX_SPEC_FORM) const uint FORM = 0u;
/* Slabs are read without a check: lines that do not exist are taken for the last one, as nothing that is made of them
 * is written. Only a last slab that is not whole is looked at more closely. */
const bool FAST = (FORM & GT_MATRIX_STEADY) != 0u && ALIGNED != 0u;
#define PATCHES_KEPT FAST
#include "op/matmul/load.glsl"
#include "op/matmul/range.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 64u; /* SUBGROUP * (BM / SM) * (BN / SN) */
layout(constant_id = GT_MATRIX_SPEC_BM) const uint BM = 64u;
layout(constant_id = GT_MATRIX_SPEC_BN) const uint BN = 64u;
layout(constant_id = GT_MATRIX_SPEC_BK) const uint BK = 32u;
layout(constant_id = GT_MATRIX_SPEC_SM) const uint SM = 32u;
layout(constant_id = GT_MATRIX_SPEC_SN) const uint SN = 32u;
layout(constant_id = GT_MATRIX_SPEC_AHEAD) const uint AHEAD = 0u;
layout(constant_id = GT_MATRIX_SPEC_SPLIT) const uint SPLIT = 1u;
#ifdef GT_MATRIX_UNITS
const bool PATIENT = false;
#else
const bool PATIENT = true;
#endif
#include "op/matmul/arrive.glsl"
layout(constant_id = GT_MATRIX_SPEC_M) const uint MATRIX_M = 16u;
layout(constant_id = GT_MATRIX_SPEC_N) const uint MATRIX_N = 16u;
layout(constant_id = GT_MATRIX_SPEC_K) const uint MATRIX_K = 16u;
layout(constant_id = GT_MATRIX_SPEC_SUBGROUP) const uint SUBGROUP = 32u;
#include "lib/matrix.glsl"
const uint PLANES = (FORM & GT_MATRIX_HALVES) != 0u ? 2u : 1u; /* upper and lower halves */

/* A tile's lines, as they lie in memory: of constant k if that is not the contiguous axis. An octet is eight
 * neighbours in a line; lines are padded by one against bank conflicts. */
const bool A_K_LINES = (FORM & GT_MATRIX_TRANS_A) != 0u, B_K_LINES = (FORM & GT_MATRIX_TRANS_B) == 0u;
const bool DENSE = KIND_A == GT_FACTOR_DENSE && KIND_B == GT_FACTOR_DENSE;
const bool ARRIVE = (FORM & GT_MATRIX_ARRIVE) != 0u;
const bool TAIL = (FORM & GT_MATRIX_TAIL) != 0u;
const bool WHOLE = (FORM & GT_MATRIX_WHOLE) != 0u && ALIGNED != 0u;
const uint A_LINE = (A_K_LINES ? BM : BK) / 8u, B_LINE = (B_K_LINES ? BN : BK) / 8u;
const uint A_STRIDE = A_LINE + 1u, B_STRIDE = B_LINE + 1u;
const uint A_LINES = A_K_LINES ? BK : BM, B_LINES = B_K_LINES ? BK : BN;
const uint A_PLANE = A_LINES * A_STRIDE, B_PLANE = B_LINES * B_STRIDE;
const uint A_OCTETS = A_LINES * A_LINE, B_OCTETS = B_LINES * B_LINE;
const uint A_FETCHES = (A_OCTETS + LOCAL_X - 1u) / LOCAL_X, B_FETCHES = (B_OCTETS + LOCAL_X - 1u) / LOCAL_X;
const uint DOWN = SM / MATRIX_M, ACROSS = SN / MATRIX_N, DEEP = BK / MATRIX_K, SUMS = MATRIX_M * MATRIX_N;
const uint SUBGROUPS_N = BN / SN;
/* Do sums go straight from the units to memory? */
const bool STRAIGHT = WHOLE && RESULT == GT_RESULT_DENSE;
const bool PLAIN = CODE_COUNT == 0u && OUTPUT_COUNT == 1u && OUTPUT_0 == GT_OPERAND_LEADER;
const uint RASTER = 8u; /* rows of tiles that are walked at a time, so that the cache holds what they share */

/* The factors' slabs; at the end, a matrix of sums of each subgroup on its way out. */
shared uvec4 tile_a[PLANES * A_PLANE];
shared uvec4 tile_b[PLANES * B_PLANE];

/* Octet q of a tile whose first element is at (w, k): where it is, as (line, position) in memory. */
uvec2 octet_place(bool k_lines, uint line, uint q, uvec2 at) {
  uint inner = 8u * (q % line), outer = q / line;
  return k_lines ? uvec2(at.y + outer, at.x + inner) : uvec2(at.x + outer, at.y + inner);
}
/* How many of its elements exist, of lines of `length`. */
int octet_left(bool k_lines, uvec2 place, uint length, uint wide, uint k_end) {
  bool exists = place.x < (k_lines ? k_end : wide);
  return exists ? int(k_lines ? wide : k_end) - int(place.y) : 0;
}

/* Dense: where an invocation's octets begin. Else what stays of them from slab to slab: the positions of their two
 * quads where lines are of constant k, or the line. */
#define BEGIN_SIDE(address, pair, spot, tap, KIND, K_LINES, LINE, FETCHES, corner, length, wide, stride) \
  GT_UNROLL for (uint f = 0u; f < FETCHES; f++) { \
    uvec2 place = octet_place(K_LINES, LINE, me + f * LOCAL_X, corner), inside = place; \
    if (FAST && K_LINES) inside.y = min(place.y, length - (KIND == GT_FACTOR_DENSE ? 4u : 8u)); \
    if (FAST && !K_LINES) inside.x = min(place.x, wide - 1u); \
    address[f] = z * stride + inside.x * length + inside.y; \
    pair[f] = !K_LINES || place.y + 8u <= length ? 1u : 0u; \
    if (!DENSE) { \
      if (K_LINES) { \
        GT_POSITION(spot[2u * f], KIND, inside.y) \
        GT_POSITION(spot[2u * f + 1u], KIND, inside.y + 4u) \
      } else { GT_LINE(spot[2u * f], KIND, z, inside.x, length, stride) } \
    } \
    if (KIND == GT_FACTOR_BASIS && K_LINES) address[f] = inside.x * basis_inputs + spot[2u * f].at; \
  } \
  if (KIND == GT_FACTOR_PATCHES && !K_LINES) { GT_POSITION(tap, KIND, corner.y) }
/* The octets of a slab at k_at, as they stand in memory. A slab of patches in rows has the same tap throughout: it is
 * asked for a slab ahead. */
#define FETCH_SIDE(next, from, address, pair, spot, tap, KIND, K_LINES, LINE, OCTETS, FETCHES, length, k_at) \
  GT_UNROLL for (uint f = 0u; f < FETCHES; f++) { \
    uint q = me + f * LOCAL_X, inner = 8u * (q % LINE), index = address[f] >> 2; \
    GT_FLOATS4 octets = GT_CAST(GT_FLOATS4, from); \
    if (OCTETS % LOCAL_X == 0u || q < OCTETS) { \
      if (KIND == GT_FACTOR_PATCHES && K_LINES) \
        octets = patches_octet(from, patches_line(z, (k_at) + q / LINE), spot[2u * f], 0u, index); \
      if (KIND == GT_FACTOR_PATCHES && !K_LINES) octets = patches_octet(from, spot[2u * f], tap, inner, index); \
      if (KIND == GT_FACTOR_BASIS && !K_LINES) index = spot[2u * f].at + basis_position((k_at) + inner).at >> 2; \
      next[2u * f] = octets.at[index]; \
      next[2u * f + 1u] = octets.at[index + (WHOLE || KIND != GT_FACTOR_DENSE ? 1u : pair[f])]; \
    } \
    address[f] += K_LINES ? BK * (KIND == GT_FACTOR_BASIS ? basis_inputs : length) : BK; \
  } \
  if (KIND == GT_FACTOR_PATCHES && !K_LINES) { GT_POSITION(tap, KIND, (k_at) + BK) }
/* What they are to become. */
#define MAKE_SIDE(next, from, spot, KIND, K_LINES, LINE, FETCHES, k_at) \
  if (KIND == GT_FACTOR_BASIS) { \
    GT_UNROLL for (uint f = 0u; f < FETCHES; f++) { \
      gt_spot place = spot[2u * f]; \
      if (!K_LINES) place = basis_position((k_at) + 8u * ((me + f * LOCAL_X) % LINE)); \
      next[2u * f] = basis_values(next[2u * f], place.phase, from, place.at, 4); \
      next[2u * f + 1u] = basis_values(next[2u * f + 1u], place.phase, from, place.at + 4u, 4); \
    } \
  }
/* Of a slab of scaled coefficients the factors, and what they make of it. */
#define FETCH_SCALES(k_at) \
  GT_UNROLL for (uint f = 0u; f < B_FETCHES; f++) { \
    uint q = me + f * LOCAL_X, index = uint(scaled_line((k_at) + q / B_LINE).place.x) + spot_b[2u * f].at >> 2; \
    if (B_OCTETS % LOCAL_X == 0u || q < B_OCTETS) { \
      next_scale[2u * f] = GT_CAST(GT_FLOATS4, scaled_by()).at[index]; \
      next_scale[2u * f + 1u] = GT_CAST(GT_FLOATS4, scaled_by()).at[index + 1u]; \
    } \
  }
#define MAKE_SCALED(k_at) \
  GT_UNROLL for (uint f = 0u; f < B_FETCHES; f++) \
    if (scaled_line((k_at) + (me + f * LOCAL_X) / B_LINE).place.y != 0) { \
      next_b[2u * f] *= next_scale[2u * f]; \
      next_b[2u * f + 1u] *= next_scale[2u * f + 1u]; \
    }
#define FETCH_CHECKED_SIDE(next, from, address, spot, KIND, K_LINES, LINE, OCTETS, FETCHES, corner, length, wide, \
                           stride, aligned) \
  GT_UNROLL for (uint f = 0u; f < FETCHES; f++) { \
    uint q = me + f * LOCAL_X; \
    uvec2 place = octet_place(K_LINES, LINE, q, corner); \
    int left = q < OCTETS ? octet_left(K_LINES, place, length, wide, k_end) : 0; \
    if (DENSE) { \
      next[2u * f] = fetch(from, address[f], left, aligned); \
      next[2u * f + 1u] = fetch(from, address[f] + 4u, left - 4, aligned); \
    } else { \
      gt_spot other; \
      if (K_LINES) { \
        GT_LINE(other, KIND, z, place.x, length, stride) \
        GT_QUAD(next[2u * f], KIND, from, other, spot[2u * f], place.y, left, aligned) \
        GT_QUAD(next[2u * f + 1u], KIND, from, other, spot[2u * f + 1u], place.y + 4u, left - 4, aligned) \
      } else { \
        GT_POSITION(other, KIND, place.y) \
        GT_QUAD(next[2u * f], KIND, from, spot[2u * f], other, place.y, left, aligned) \
        GT_POSITION(other, KIND, place.y + 4u) \
        GT_QUAD(next[2u * f + 1u], KIND, from, spot[2u * f], other, place.y + 4u, left - 4, aligned) \
      } \
    } \
    address[f] += K_LINES ? BK * length : BK; \
  }
#define FETCH_CHECKED(k_at) \
  FETCH_CHECKED_SIDE(next_a, a, at_a, spot_a, KIND_A, A_K_LINES, A_LINE, A_OCTETS, A_FETCHES, uvec2(m0, k_at), \
                     length_a, m, stride_a, a_aligned) \
  FETCH_CHECKED_SIDE(next_b, b, at_b, spot_b, KIND_B, B_K_LINES, B_LINE, B_OCTETS, B_FETCHES, uvec2(n0, k_at), \
                     length_b, n, stride_b, b_aligned)
#define FETCH(k_at) \
  if (FAST) { \
    FETCH_SIDE(next_a, a, at_a, pair_a, spot_a, tap_a, KIND_A, A_K_LINES, A_LINE, A_OCTETS, A_FETCHES, length_a, k_at) \
    FETCH_SIDE(next_b, b, at_b, pair_b, spot_b, tap_b, KIND_B, B_K_LINES, B_LINE, B_OCTETS, B_FETCHES, length_b, k_at) \
    if (KIND_B == GT_FACTOR_SCALED) { FETCH_SCALES(k_at) } \
  } else { FETCH_CHECKED(k_at) }
#define MAKE(k_at) \
  if (FAST) { \
    MAKE_SIDE(next_a, a, spot_a, KIND_A, A_K_LINES, A_LINE, A_FETCHES, k_at) \
    MAKE_SIDE(next_b, b, spot_b, KIND_B, B_K_LINES, B_LINE, B_FETCHES, k_at) \
    if (KIND_B == GT_FACTOR_SCALED) { MAKE_SCALED(k_at) } \
  }

#ifndef GT_MATRIX_BFLOAT
#define GT_MATRIX_SCALED
/* Of the lines of A's tile, then of B's, over this depth of k and the next or the last: the roots of their powers
 * of two (range.h), and what elements are to be multiplied by. */
const uint ROOTS = BM + BN, OWN_ROOTS = (ROOTS + LOCAL_X - 1u) / LOCAL_X, SLOTS = 2u;
shared float roots[SLOTS * ROOTS];
shared vec4 scales[SLOTS * ROOTS / 4u];
shared uint special; /* is there an infinity or NaN? */

/* Where in memory the i-th root of a tile stands. */
uint root_address(uint z, uvec2 at, uint depth, uint i) {
  return i < BM ? range_a(z, depth) + at.x + i : range_b(z, depth) + at.y + i - BM;
}

#define FETCH_ROOTS(depth) \
  GT_UNROLL for (uint r = 0u; r < OWN_ROOTS; r++) \
    next_root[r] = range.at[root_address(z, uvec2(m0, n0), min(depth, range_depths() - 1u), min(me + r * LOCAL_X, ROOTS - 1u))];
/* The scale is 1 / root^2, a power of two as well. */
#define PUT_ROOTS(depth) \
  GT_UNROLL for (uint r = 0u; r < OWN_ROOTS; r++) \
    if (me + r * LOCAL_X < ROOTS) { \
      uint to = (depth) % SLOTS * ROOTS + me + r * LOCAL_X, bits = floatBitsToUint(next_root[r]); \
      roots[to] = next_root[r]; \
      scales[to / 4u][to % 4u] = uintBitsToFloat((381u << 23) - 2u * bits); \
      if (bits == 0x7f800000u) special = 1u; \
    }
/* An invocation's octets are parts of lines with a scale each, or, where lines are of constant k, lie below one
 * another and share eight. */
#define GET_SCALES(depth) \
  GT_UNROLL for (uint f = 0u; f < A_FETCHES; f++) { \
    uint i = (depth) % SLOTS * ROOTS + min((me + f * LOCAL_X) / A_LINE, BM - 1u); \
    scale_a[f] = scales[i / 4u][i % 4u]; \
  } \
  GT_UNROLL for (uint f = 0u; f < B_FETCHES; f++) { \
    uint i = (depth) % SLOTS * ROOTS + BM + min((me + f * LOCAL_X) / B_LINE, BN - 1u); \
    scale_b[f] = scales[i / 4u][i % 4u]; \
  } \
  GT_UNROLL for (uint h = 0u; h < 2u; h++) { \
    if (A_K_LINES) scales_a[h] = scales[(depth) % SLOTS * (ROOTS / 4u) + 2u * (me % A_LINE) + h]; \
    if (B_K_LINES) scales_b[h] = scales[(depth) % SLOTS * (ROOTS / 4u) + BM / 4u + 2u * (me % B_LINE) + h]; \
  }
#define SCALE_OCTET(line_scales, octet_scale, K_LINES) \
  if (K_LINES) { \
    low *= line_scales[0]; \
    high *= line_scales[1]; \
  } else { \
    low *= octet_scale; \
    high *= octet_scale; \
  }
#else
#define SCALE_OCTET(line_scales, octet_scale, K_LINES)
#endif

#define PUT_SIDE(tile, next, line_scales, scale, K_LINES, LINE, STRIDE, PLANE, OCTETS, FETCHES) \
  GT_UNROLL for (uint f = 0u; f < FETCHES; f++) { \
    uint q = me + f * LOCAL_X, to = q / LINE * STRIDE + q % LINE; \
    if (OCTETS % LOCAL_X == 0u || q < OCTETS) { \
      vec4 low = next[2u * f], high = next[2u * f + 1u]; \
      SCALE_OCTET(line_scales, scale[f], K_LINES) \
      if (PLANES == 1u) tile[to] = uvec4(gt_packed(low), gt_packed(high)); \
      else { \
        vec4 upper_low = gt_upper(low), upper_high = gt_upper(high); \
        tile[to] = uvec4(gt_packed(upper_low), gt_packed(upper_high)); \
        tile[PLANE + to] = uvec4(gt_packed(low - upper_low), gt_packed(high - upper_high)); \
      } \
    } \
  }
#define PUT \
  PUT_SIDE(tile_a, next_a, scales_a, scale_a, A_K_LINES, A_LINE, A_STRIDE, A_PLANE, A_OCTETS, A_FETCHES) \
  PUT_SIDE(tile_b, next_b, scales_b, scale_b, B_K_LINES, B_LINE, B_STRIDE, B_PLANE, B_OCTETS, B_FETCHES)

/* The matrices of step d of a slab, into the u-th place. */
#define LOAD(d, u) \
  GT_UNROLL for (uint p = 0u; p < PLANES; p++) { \
    GT_UNROLL for (uint i = 0u; i < DOWN; i++) { \
      uint w = m_mine + i * MATRIX_M, deep = (d) * MATRIX_K; \
      uint first = p * A_PLANE + (A_K_LINES ? deep * A_STRIDE + w / 8u : w * A_STRIDE + deep / 8u); \
      GT_LOAD_LEFT(left[((u) * PLANES + p) * DOWN + i], tile_a, first, A_STRIDE, A_K_LINES); \
    } \
    GT_UNROLL for (uint j = 0u; j < ACROSS; j++) { \
      uint w = n_mine + j * MATRIX_N, deep = (d) * MATRIX_K; \
      uint first = p * B_PLANE + (B_K_LINES ? deep * B_STRIDE + w / 8u : w * B_STRIDE + deep / 8u); \
      GT_LOAD_RIGHT(right[((u) * PLANES + p) * ACROSS + j], tile_b, first, B_STRIDE, !B_K_LINES); \
    } \
  }
/* Plane p of the left factor with plane q of the right one. */
#define MULTIPLY_PLANES(u, p, q) \
  GT_UNROLL for (uint i = 0u; i < DOWN; i++) \
    GT_MULTIPLY_ADD(sums[i * ACROSS + j], left[((u) * PLANES + (p)) * DOWN + i], \
                    right[((u) * PLANES + (q)) * ACROSS + j]);
#define MULTIPLY(u) \
  GT_UNROLL for (uint j = 0u; j < ACROSS; j++) { \
    if (PLANES == 2u) { MULTIPLY_PLANES(u, PLANES - 1u, 0u) MULTIPLY_PLANES(u, 0u, PLANES - 1u) } \
    MULTIPLY_PLANES(u, 0u, 0u) \
  }

/* Adds the sums over a depth of k to the totals. */
#define DRAIN(depth) \
  GT_UNROLL for (uint i = 0u; i < DOWN; i++) { \
    gt_sums of_row; \
    GT_LOAD_SUMS(of_row, roots, (depth) % SLOTS * ROOTS + m_mine + i * MATRIX_M, 0u, true); \
    GT_UNROLL for (uint j = 0u; j < ACROSS; j++) { \
      gt_sums of_column; \
      GT_LOAD_SUMS(of_column, roots, (depth) % SLOTS * ROOTS + BM + n_mine + j * MATRIX_N, 0u, false); \
      GT_ADD_PRODUCT(total[i * ACROSS + j], sums[i * ACROSS + j], of_row, of_column); \
      GT_SET_SUMS(sums[i * ACROSS + j], 0.0); \
    } \
  }

void write(uint z, uint i, uint j, vec4 v) {
  if (i < m && j < n) {
    uint at = gt_result_row(z, i) + j, lanes = min(4u, n - j);
    if (SPLIT > 1u) part_store(gt_place(gl_WorkGroupID.y * batch * m * n + at, lanes), v);
    else gt_program_write(gt_place(at, lanes), v);
  }
}

/* Tiles go along y, too, where there are too many for x. */
uint tile_number() {
  return SPLIT > 1u ? gl_WorkGroupID.x : gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
}

#ifdef GT_MATRIX_SCALED
/* An element of the line and position of either factor. */
#define ELEMENT(value, from, KIND, line, position, length, stride) \
  GT_LINE(spot, KIND, z, line, length, stride) \
  GT_POSITION(other, KIND, (position) / 4u * 4u) \
  GT_QUAD(quad, KIND, from, spot, other, (position) / 4u * 4u, int(length - (position) / 4u * 4u), false) \
  value = quad[(position) % 4u];

void plain_tile(uint z, uint m0, uint n0, uint k0, uint k_end) {
  uint length_a = A_K_LINES ? m : k, length_b = B_K_LINES ? n : k;
  for (uint q = gl_LocalInvocationIndex; q < BM * BN / 4u; q += LOCAL_X) {
    uint i = m0 + q / (BN / 4u), j = n0 + q % (BN / 4u) * 4u;
    vec4 sum = vec4(0.0), quad;
    gt_spot spot, other;
    if (i >= m || j >= n) continue;
    for (uint at = k0; at < k_end; at++) {
      float left, right;
      ELEMENT(left, a, KIND_A, A_K_LINES ? at : i, A_K_LINES ? i : at, length_a, stride_a)
      GT_UNROLL for (uint l = 0u; l < 4u; l++) {
        uint column = min(j + l, n - 1u);
        ELEMENT(right, b, KIND_B, B_K_LINES ? at : column, B_K_LINES ? column : at, length_b, stride_b)
        sum[l] = fma(left, right, sum[l]);
      }
    }
    write(z, i, j, sum);
  }
}
#endif

#define USE_SLAB(make, next) \
  make \
  PUT \
  barrier(); \
  if (AHEAD != 0u) { LOAD(0u, 0u) } \
  next \
  GT_UNROLL for (uint d = 0u; d < DEEP; d++) { \
    if (AHEAD == 0u) { LOAD(d, 0u) } \
    if (AHEAD != 0u && d + 1u < DEEP) { LOAD(d + 1u, (d + 1u) % 2u) } \
    MULTIPLY(AHEAD * (d % 2u)) \
  } \
  barrier(); /* the slab is used up */
/* The slabs of k from `at` to `end`, of all those to `full`. */
#define SLABS(at, end, full) \
  for (; at < end; at += BK) { USE_SLAB(MAKE(at), if (at + BK < full) { FETCH(at + BK) }) }
/* The one behind those that are whole. */
#define LAST_SLAB(at) \
  if (FAST && TAIL && at < k_end) { \
    FETCH_CHECKED(at) \
    USE_SLAB(;, ;) \
    at = k_end; \
  }

void tile(uint z, uint m0, uint n0) {
  uint me = gl_LocalInvocationIndex;
  uint m_mine = gt_subgroup() / SUBGROUPS_N * SM, n_mine = gt_subgroup() % SUBGROUPS_N * SN;
  uint part = SPLIT > 1u ? GT_MATMUL_PART(k, SPLIT, GT_RANGE_DEPTH) : k;
  uint k0 = SPLIT > 1u ? min(gl_WorkGroupID.y * part, k) : 0u, k_end = min(k0 + part, k);
  uint length_a = A_K_LINES ? m : k, length_b = B_K_LINES ? n : k;
  bool a_aligned = ALIGNED != 0u && ((length_a | stride_a) & 3u) == 0u;
  bool b_aligned = ALIGNED != 0u && ((length_b | stride_b) & 3u) == 0u;
  uint at_a[A_FETCHES], at_b[B_FETCHES], pair_a[A_FETCHES], pair_b[B_FETCHES], at = k0;
  gt_spot spot_a[2u * A_FETCHES], spot_b[2u * B_FETCHES], tap_a, tap_b;
  vec4 next_a[2u * A_FETCHES], next_b[2u * B_FETCHES], next_scale[2u * B_FETCHES];
  gt_left left[(1u + AHEAD) * PLANES * DOWN];
  gt_right right[(1u + AHEAD) * PLANES * ACROSS];
  gt_sums sums[DOWN * ACROSS];
  GT_UNROLL for (uint t = 0u; t < DOWN * ACROSS; t++) GT_SET_SUMS(sums[t], 0.0);
  GT_BEGIN(KIND_A)
  GT_BEGIN(KIND_B)
  BEGIN_SIDE(at_a, pair_a, spot_a, tap_a, KIND_A, A_K_LINES, A_LINE, A_FETCHES, uvec2(m0, k0), length_a, m, stride_a)
  BEGIN_SIDE(at_b, pair_b, spot_b, tap_b, KIND_B, B_K_LINES, B_LINE, B_FETCHES, uvec2(n0, k0), length_b, n, stride_b)
  uint full = FAST && TAIL ? k_end - (k_end - k0) % BK : k_end;
  if (k0 < full) { FETCH(k0) }
#ifdef GT_MATRIX_SCALED
  gt_sums total[DOWN * ACROSS];
  float next_root[OWN_ROOTS];
  GT_UNROLL for (uint t = 0u; t < DOWN * ACROSS; t++) GT_SET_SUMS(total[t], 0.0);
  vec4 scales_a[2], scales_b[2];
  float scale_a[A_FETCHES], scale_b[B_FETCHES];
  if (me == 0u) special = 0u;
  uint depth = k0 / GT_RANGE_DEPTH;
  FETCH_ROOTS(depth)
  barrier();
  for (; at < k_end; depth++) {
    uint end = min((depth + 1u) * GT_RANGE_DEPTH, k_end);
    PUT_ROOTS(depth)
    barrier();
    if (special != 0u) {
      plain_tile(z, m0, n0, k0, k_end);
      return;
    }
    GET_SCALES(depth)
    FETCH_ROOTS(depth + 1u)
    SLABS(at, min(end, full), full)
    if (end == k_end) { LAST_SLAB(at) }
    DRAIN(depth)
  }
#else
#define total sums
  SLABS(at, full, full)
  LAST_SLAB(at)
#endif
  GT_UNROLL for (uint i = 0u; i < DOWN; i++)
    GT_UNROLL for (uint j = 0u; j < ACROSS; j++) {
      uint from_m = m0 + m_mine + i * MATRIX_M, from_n = n0 + n_mine + j * MATRIX_N, mine = gt_subgroup() * (SUMS / 4u);
      if (STRAIGHT && SPLIT > 1u) {
        GT_STORE_SUMS(total[i * ACROSS + j], PARTIAL.at, ((gl_WorkGroupID.y * batch + z) * m + from_m) * n + from_n, n);
      } else if (STRAIGHT && PLAIN) {
        GT_STORE_SUMS(total[i * ACROSS + j], y[0].at, (z * m + from_m) * n + from_n, n);
      } else {
        GT_STORE_WORDS(total[i * ACROSS + j], tile_a, mine, MATRIX_N / 4u);
        barrier();
        for (uint q = gt_lane(); q < SUMS / 4u; q += SUBGROUP)
          write(z, from_m + q / (MATRIX_N / 4u), from_n + q % (MATRIX_N / 4u) * 4u, uintBitsToFloat(tile_a[mine + q]));
        barrier();
      }
    }
}

void main() {
  uint tiles_n = (n + BN - 1u) / BN, tiles_m = (m + BM - 1u) / BM, number = tile_number();
  uint band = number / (RASTER * tiles_n), in_band = number % (RASTER * tiles_n);
  if (band * RASTER >= tiles_m) return;
  uint rows = min(RASTER, tiles_m - band * RASTER);
  for (uint z = gl_WorkGroupID.z; z < batch; z += gl_NumWorkGroups.z) {
    uint m0 = (band * RASTER + in_band % rows) * BM, n0 = in_band / rows * BN;
    tile(z, m0, n0);
    if (ARRIVE) {
      if (arrives_last(z * tiles_m * tiles_n + number)) join_tile(z, m0, n0, BM, BN);
    }
    barrier(); /* the next entry's first slab must not overtake this one's last */
  }
}
