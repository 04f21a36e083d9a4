/* GEMM on matrix units (cooperative matrices): a workgroup computes a BM x BN tile, a subgroup SM x SN of it.
 *
 * K tiles of A and B (slabs), BK deep, are staged in shared memory with the layout that they have in memory; the units
 * read them by rows or by columns. The next slab is loaded into registers while the current one is multiplied. With
 * GT_MATRIX_PACKED the operands have been packed by another kernel and are not staged (product_packed.glsl).
 *
 * bfloat16 has the range of float32, but float16 does not. Therefore each row of A and each column of B is divided by a
 * scale per GT_RANGE_DEPTH elements of K (range.h), and the sums over that depth are multiplied by the scales when they
 * are added to the total. An element is thus rounded to 11 bits, or to 2^-37 times the amax of its row and depth.
 *
 * With GT_MATRIX_HALVES an element x is split into h + l, h having its upper 11 bits and l the next 11, and a product
 * is the sum of l h', h l' and h h'; l l' is below the rounding of float32 (Ootomo and Yokota, "Recovering single
 * precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance", 2022). The units
 * truncate when they add, so sums over all of K would lose digits: the total is added outside of the units.
 *
 * For a uint8 operand the differences from its center are exact in 16 bits and need no lower part. Its scale replaces
 * the root of all its lines; its shift, times the sums of the other operand's lines, is added to the total at the end
 * (product_matrix_shift.glsl).
 *
 * A tile with an infinity or NaN in its operands is computed by plain_tile, in float32 on scalar units.
 *
 * In the loop over slabs only the next slab is loaded from memory: at a load behind a branch a driver waits for all
 * loads in flight, which costs a third of the speed on an H200. */
#include "op/matmul/product_matrix.h"
layout(constant_id = GT_FACTOR_SPEC_A) const uint KIND_A = 0u;
layout(constant_id = GT_FACTOR_SPEC_B) const uint KIND_B = 0u;
layout(constant_id = GT_FACTOR_SPEC_RESULT) const uint RESULT = 0u;
layout(constant_id = GT_MATRIX_SPEC_FORM) const uint FORM = 0u;
const bool QUADS = (FORM & GT_MATRIX_QUADS) != 0u;
#define GT_PROGRAM_X 4
#define GT_PROGRAM_QUADS QUADS
#define row_length (RESULT != GT_RESULT_DENSE ? n * batch : n)
#include "lib/program.glsl"
/* Slabs are read without checks: lines that do not exist are replaced by the last one, because their results are not
 * stored. Only a last slab that is not whole is read with checks. */
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
layout(constant_id = GT_MATRIX_SPEC_SPLIT) const uint SPLIT = 1u;
#ifdef GT_MATRIX_UNITS
const bool SLOW_COMPILER = false;
#else
const bool SLOW_COMPILER = true;
#endif
#include "op/matmul/arrive.glsl"
layout(constant_id = GT_MATRIX_SPEC_M) const uint MATRIX_M = 16u;
layout(constant_id = GT_MATRIX_SPEC_N) const uint MATRIX_N = 16u;
layout(constant_id = GT_MATRIX_SPEC_K) const uint MATRIX_K = 16u;
layout(constant_id = GT_MATRIX_SPEC_SUBGROUP) const uint SUBGROUP = 32u;
#include "lib/matrix.glsl"
const bool ARRIVE = (FORM & GT_MATRIX_ARRIVE) != 0u;
const bool TAIL = (FORM & GT_MATRIX_TAIL) != 0u;
const bool WHOLE = (FORM & GT_MATRIX_WHOLE) != 0u && ALIGNED != 0u;
/* Matrices of a subgroup's tile, down and across, and of a slab along K; elements of a matrix of accumulators. */
const uint DOWN = SM / MATRIX_M, ACROSS = SN / MATRIX_N, DEEP = BK / MATRIX_K, SUMS = MATRIX_M * MATRIX_N;
const uint SUBGROUPS_N = BN / SN;
const uint PLANES = (FORM & GT_MATRIX_HALVES) != 0u ? 2u : 1u; /* 2: the upper and lower parts of elements */
/* True if K is not the contiguous axis: lines of the operand in memory have constant k. */
const bool A_K_LINES = (FORM & GT_MATRIX_TRANS_A) != 0u, B_K_LINES = (FORM & GT_MATRIX_TRANS_B) == 0u;
layout(constant_id = GT_MATRIX_SPEC_WRITE) const uint WRITE = 0x401u; /* PIECE + 256 * PIECE_ROW */
const uint PIECE = WRITE & 255u, PIECE_ROW = WRITE >> 8; /* a row's length in shared memory, in uvec4s */
#ifndef GT_MATRIX_BFLOAT
#include "op/matmul/product_matrix_roots.glsl"
#endif
#ifdef GT_MATRIX_PACKED
#include "op/matmul/product_packed.glsl"
#else
#include "op/matmul/product_matrix_stage.glsl"
#endif
#if defined(GT_MATRIX_PACKED) || defined(GT_MATRIX_BFLOAT)
#define BEGIN_SHIFT
#define SUM_LINES
#define ADD_SHIFT(total)
#else
#include "op/matmul/product_matrix_shift.glsl"
#endif
/* True if the layout of the result allows accumulators to be stored straight from the matrix units. */
const bool STRAIGHT = WHOLE && RESULT == GT_RESULT_DENSE;
const uint MEASURING = GT_MATRIX_MEASURES_ROWS | GT_MATRIX_MEASURES_COLUMNS;
const bool UNMEASURED = (FORM & MEASURING) == 0u;
/* True if the epilogue only stores the product. */
const bool PLAIN = CODE_COUNT == 0u && OUTPUT_COUNT == 1u && OUTPUT_0 == GT_OPERAND_LEADER;
const uint RASTER = 8u; /* rows of tiles that are processed column by column, for reuse in the cache */

#include "op/matmul/product_matrix_drain.glsl"

#include "op/matmul/product_matrix_write.glsl"

/* Tiles are distributed over y, too, if there are too many for x. */
uint tile_number() {
  return SPLIT > 1u ? gl_WorkGroupID.x : gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
}

#ifdef GT_MATRIX_SCALED
/* An element of an operand, at a line and a position. */
#define ELEMENT(value, from, KIND, line, position, length, stride) \
  GT_LINE(spot, KIND, z, line, length, stride) \
  GT_POSITION(other, KIND, (position) / 4u * 4u) \
  GT_QUAD(quad, KIND, from, spot, other, (position) / 4u * 4u, int(length - (position) / 4u * 4u), false) \
  value = quad[(position) % 4u];

/* Runs the epilogue for the quad at (i, j) and stores the results, or stores partial sums of split-K. */
void write(uint z, uint i, uint j, vec4 v, inout gt_column_sums sums) {
  if (i < m && j < n) {
    uint at = gt_result_row(z, i) + j, lanes = min(4u, n - j);
    if (SPLIT > 1u) part_store(gt_place(gl_WorkGroupID.y * batch * m * n + at, lanes), v);
    else {
      vec4 result = columns_write(gt_place(at, lanes), v, sums);
      uvec4 most = uvec4(0u);
      MEASURE_ROW(i, result, most)
      MEASURE_COLUMNS(j, most)
    }
  }
}

/* Computes a tile in float32 without matrix units, for operands with an infinity or NaN. */
void plain_tile(uint z, uint m0, uint n0, uint k0, uint k_end) {
  uint length_a = A_K_LINES ? m : k, length_b = B_K_LINES ? n : k;
  gt_column_sums sums = columns_none();
  MEASURE_BEGIN
  for (uint q = gl_LocalInvocationIndex; q < BM * BN / 4u; q += LOCAL_X) {
    uint i = m0 + q / (BN / 4u), j = n0 + q % (BN / 4u) * 4u;
    vec4 sum = vec4(0.0), total = sum, quad;
    gt_spot spot, other;
    if (i >= m || j >= n) continue;
    for (uint position = k0; position < k_end; position++) {
      uint at = PLACE(position);
      float left, right;
      ELEMENT(left, a, KIND_A, A_K_LINES ? at : i, A_K_LINES ? i : at, length_a, stride_a)
      GT_UNROLL for (uint l = 0u; l < 4u; l++) {
        uint column = min(j + l, n - 1u);
        ELEMENT(right, b, KIND_B, B_K_LINES ? at : column, B_K_LINES ? column : at, length_b, stride_b)
        sum[l] = fma(left, right, sum[l]);
      }
      if (SEGMENTED && (at + 1u) % max(SEGMENT, 1u) == 0u) {
        total = fma(segments_drain(partial, i, j, at / max(SEGMENT, 1u), int(n - j)), sum, total);
        sum = vec4(0.0);
      }
    }
    write(z, i, j, total + sum, sums);
  }
  if (COLUMNS != 0u && SPLIT == 1u) {
    uint me = gl_LocalInvocationIndex, slots = LOCAL_X / (BN / 4u);
    columns_leave(sums, me / (BN / 4u), slots, BN, me % (BN / 4u) * 4u, 4u);
    columns_join(slots, BN, m0, BM, n0, BN, BN);
  }
  MEASURE_END(m0, n0)
}
#endif

/* Stores accumulators straight from the units to memory. */
#define STORE(to, entry) \
  GT_UNROLL for (uint i = 0u; i < DOWN; i++) \
    GT_UNROLL for (uint j = 0u; j < ACROSS; j++) { \
      uint at_row = ((entry) * m + m0 + m_mine + i * MATRIX_M) * n; \
      GT_STORE_FLOATS(total[i * ACROSS + j], to.at, at_row + n0 + n_mine + j * MATRIX_N, n); \
    }

void tile(uint z, uint m0, uint n0) {
  uint me = gl_LocalInvocationIndex;
  uint m_mine = gt_subgroup() / SUBGROUPS_N * SM, n_mine = gt_subgroup() % SUBGROUPS_N * SN;
  uint part = SPLIT > 1u ? GT_MATMUL_PART(k, SPLIT, GT_RANGE_DEPTH) : k;
  uint k0 = SPLIT > 1u ? min(gl_WorkGroupID.y * part, k) : 0u, k_end = min(k0 + part, k);
  gt_sums sums[DOWN * ACROSS];
  GT_UNROLL for (uint t = 0u; t < DOWN * ACROSS; t++) GT_SET_SUMS(sums[t], 0.0);
  BEGIN_SLABS
  BEGIN_SEGMENTS
#ifdef GT_MATRIX_SCALED
  gt_sums total[DOWN * ACROSS];
  float next_root[FETCHED_ROOTS];
  GT_UNROLL for (uint t = 0u; t < DOWN * ACROSS; t++) GT_SET_SUMS(total[t], 0.0);
  DECLARE_SCALES
  BEGIN_SHIFT
  if (me == 0u) special = 0u;
  uint depth = k0 / GT_RANGE_DEPTH;
  FETCH_ROOTS(depth)
  barrier();
  for (; at < k_end; depth++) {
    uint end = min(range_end(depth), k_end);
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
    if (SEGMENTED) { DRAIN_SEGMENT(total, depth, range_segment(depth)) }
    else { DRAIN(depth) }
  }
  ADD_SHIFT(total)
#else
  gt_sums total[DOWN * ACROSS];
  if (SEGMENTED) {
    GT_UNROLL for (uint t = 0u; t < DOWN * ACROSS; t++) GT_SET_SUMS(total[t], 0.0);
    for (uint segment = 0u; at < k_end; segment++) {
      uint end = at + SEGMENT;
      SLABS(at, end, full)
      DRAIN_SEGMENT(total, 0u, segment)
      barrier(); /* the shared memory of the sums is used for the next slab */
    }
  } else {
    SLABS(at, full, full)
    LAST_SLAB(at)
    GT_UNROLL for (uint t = 0u; t < DOWN * ACROSS; t++) {
      GT_SET_SUMS(total[t], 0.0);
      GT_ADD_SUMS(total[t], sums[t]);
    }
  }
#endif
  if (STRAIGHT && SPLIT > 1u) { STORE(PARTIAL, gl_WorkGroupID.y * batch + z) }
  else if (STRAIGHT && PLAIN && UNMEASURED && COLUMNS == 0u && CHECKED == 0u) { STORE(y[0], z) }
  else { WRITE_SUMS }
}

void main() {
  uint tiles_n = (n + BN - 1u) / BN, tiles_m = (m + BM - 1u) / BM, number = tile_number();
  uint band = number / (RASTER * tiles_n), in_band = number % (RASTER * tiles_n);
  if (band * RASTER >= tiles_m) return;
  uint rows = min(RASTER, tiles_m - band * RASTER);
  if (in_band / rows >= tiles_n) return;
  for (uint z = gl_WorkGroupID.z; z < batch; z += gl_NumWorkGroups.z) {
    uint m0 = (band * RASTER + in_band % rows) * BM, n0 = in_band / rows * BN;
    tile(z, m0, n0);
    if (ARRIVE) {
      if (arrives_last(z * tiles_m * tiles_n + number)) join_tile(z, m0, n0, BM, BN);
    }
    barrier(); /* the last slab must be read before the next batch entry's first slab is stored */
  }
}
