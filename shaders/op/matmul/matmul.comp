/* GEMM on scalar units (FMA): a workgroup computes a BM x BN tile, register-blocked, with K tiles in shared memory. */
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
/* An invocation computes TM x TN elements of the workgroup's tile in registers. K tiles of A and B (slices), BK deep,
 * are staged in shared memory, both with k as the outer index. The next slice is loaded into registers while the
 * current one is multiplied. BM, BN and BK are multiples of 4; TM and TN are 1, 2 or multiples of 4.
 *
 * If there are few tiles, the invocations form several teams that divide the depth of a slice (slice-K), each with sums
 * of the whole tile. An invocation then reads less shared memory per multiplication than with a smaller TM x TN. */
#include "op/matmul/matmul.h"
#include "op/matmul/range.h"
layout(constant_id = GT_FACTOR_SPEC_A) const uint KIND_A = 0u;
layout(constant_id = GT_FACTOR_SPEC_B) const uint KIND_B = 0u;
layout(constant_id = GT_FACTOR_SPEC_RESULT) const uint RESULT = 0u;
layout(constant_id = GT_MATMUL_SPEC_EXTENTS) const uint EXTENTS = 0u;
const bool WHOLE = (EXTENTS & GT_MATMUL_WHOLE) != 0u, QUADS = (EXTENTS & GT_MATMUL_QUADS) != 0u;
const bool QUADS_OF_A = (EXTENTS & GT_MATMUL_QUADS_OF_A) != 0u, QUADS_OF_B = (EXTENTS & GT_MATMUL_QUADS_OF_B) != 0u;
#define GT_PROGRAM_X 4
#define GT_PROGRAM_JOINS
#define GT_PROGRAM_QUADS QUADS
#define row_length (RESULT != GT_RESULT_DENSE ? n * batch : n)
#include "lib/program.glsl"
#include "op/matmul/load.glsl"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 64u; /* (BM / TM) * (BN / TN) for each team */
layout(constant_id = GT_MATMUL_SPEC_BM) const uint BM = 32u;
layout(constant_id = GT_MATMUL_SPEC_BN) const uint BN = 32u;
layout(constant_id = GT_MATMUL_SPEC_BK) const uint BK = 8u;
layout(constant_id = GT_MATMUL_SPEC_TM) const uint TM = 4u;
layout(constant_id = GT_MATMUL_SPEC_TN) const uint TN = 4u;
layout(constant_id = GT_MATMUL_SPEC_TRANS_A) const uint TRANS_A = 0u;
layout(constant_id = GT_MATMUL_SPEC_TRANS_B) const uint TRANS_B = 0u;
layout(constant_id = GT_MATMUL_SPEC_SPLIT) const uint SPLIT = 1u;
layout(constant_id = GT_MATMUL_SPEC_UNROLL) const uint UNROLL = 4u;
layout(constant_id = GT_MATMUL_SPEC_RASTER) const uint RASTER = 1u;
layout(constant_id = GT_MATMUL_SPEC_ARRIVE) const uint ARRIVE = 0u;
/* Short code for devices that compile slowly. SLOW_COMPILER: arrive.glsl. BRIEF: the first slice is loaded by the same
 * code as the others. */
const bool SLOW_COMPILER = UNROLL < 8u;
const bool BRIEF = UNROLL < 4u;
#define GT_FOLLOWED
#include "op/matmul/arrive.glsl"

const uint COLUMN_GROUPS = (TN + 3u) / 4u, ROW_GROUPS = (TM + 3u) / 4u;
const uint THREADS_N = BN / TN, THREADS_M = BM / TM, TEAM = THREADS_N * THREADS_M, TEAMS = LOCAL_X / TEAM;
const uint DEPTH = BK / TEAMS, OWN_ROWS = TM / TEAMS; /* of a team: its part of a slice; its rows of sums */
const uint OWN = OWN_ROWS * COLUMN_GROUPS; /* quads of an invocation in these rows */
const uint A_STRIDE = BM / 4u + 1u, B_STRIDE = BN / 4u + 1u; /* padded against bank conflicts */
const uint A_QUADS = BM * BK / 4u, B_QUADS = BN * BK / 4u;
const uint A_FETCHES = (A_QUADS + LOCAL_X - 1u) / LOCAL_X, B_FETCHES = (B_QUADS + LOCAL_X - 1u) / LOCAL_X;

/* Two slices of A, then two of B: one is filled while the other is multiplied, so one barrier per slice is enough. */
const uint B_TILE = 2u * BK * A_STRIDE;
shared vec4 tiles[B_TILE + 2u * BK * B_STRIDE];

#include "op/matmul/measures_scalar.glsl"

/* The place (w, k) of quad q in a slice of `wide` (rows of A, columns of B) by BK elements. k_major: w is the
 * contiguous axis in memory. */
uvec2 quad_place(bool k_major, uint wide, uint q) {
  uvec2 place;
  if (k_major) place = uvec2(4u * (q % (wide / 4u)), q / (wide / 4u));
  else place = uvec2(q / (BK / 4u), 4u * (q % (BK / 4u)));
  return place;
}

/* The index of quad q in memory, in a matrix of w by k elements. at: the place of the slice. */
uint quad_address(bool k_major, uint wide, uint q, uvec2 at, uint w) {
  uvec2 place = at + quad_place(k_major, wide, q);
  uint address;
  if (k_major) address = place.y * w + place.x;
  else address = place.x * k + place.y;
  return address;
}

/* The number of elements of quad q that exist. */
int quad_left(bool k_major, uint wide, uint q, uvec2 at, uint w, uint k_end) {
  uvec2 place = at + quad_place(k_major, wide, q);
  int left;
  if (k_major) left = place.y < k_end ? int(w) - int(place.x) : 0;
  else left = place.x < w ? int(k_end) - int(place.y) : 0;
  return left;
}

/* Store quad q to a slice of A or of B in shared memory. */
void put_a(uint slice, uint q, vec4 v) {
  uvec2 place = quad_place(TRANS_A != 0u, BM, q);
  uint i = slice * (BK * A_STRIDE) + place.y * A_STRIDE + place.x / 4u;
  if (TRANS_A != 0u) tiles[i] = v;
  else {
    uint lane = place.x & 3u;
    tiles[i][lane] = v.x;
    tiles[i + A_STRIDE][lane] = v.y;
    tiles[i + 2u * A_STRIDE][lane] = v.z;
    tiles[i + 3u * A_STRIDE][lane] = v.w;
  }
}

void put_b(uint slice, uint q, vec4 v) {
  uvec2 place = quad_place(TRANS_B == 0u, BN, q);
  uint i = B_TILE + slice * (BK * B_STRIDE) + place.y * B_STRIDE + place.x / 4u;
  if (TRANS_B == 0u) tiles[i] = v;
  else {
    uint lane = place.x & 3u;
    tiles[i][lane] = v.x;
    tiles[i + B_STRIDE][lane] = v.y;
    tiles[i + 2u * B_STRIDE][lane] = v.z;
    tiles[i + 3u * B_STRIDE][lane] = v.w;
  }
}

/* The place of an invocation among the THREADS_N x THREADS_M of a tile. 32 neighboring invocations are a block of 8 x 4
 * and not two rows of 16, so that together they read 12 quads of shared memory per step instead of 18. */
uvec2 place_in_tile(uint me) {
  uvec2 place = uvec2(me % THREADS_N, me / THREADS_N);
  if (THREADS_N % 8u == 0u && THREADS_M % 4u == 0u) {
    uint block = me / 32u, lane = me % 32u, across = THREADS_N / 8u;
    place = uvec2(block % across * 8u + lane % 8u, block / across * 4u + lane / 8u);
  }
  return place;
}

/* The i-th row and the g-th group of columns of an invocation in the tile. Groups of four are spread over the tile, so
 * that neighboring invocations read neighboring words of shared memory. */
uint tile_row(uint ty, uint i) { return TM < 4u ? ty * TM + i : (i / 4u * THREADS_M + ty) * 4u + i % 4u; }
uint tile_column(uint tx, uint g) { return TN < 4u ? tx * TN : (g * THREADS_N + tx) * 4u; }

/* a_values, b_values: four neighboring values of a slice at depth j, from row (column) i on. If an invocation has fewer
 * than four rows (columns), narrowed() moves them to the first components. */
vec4 narrowed(vec4 v, uint have, uint i) {
  if (have == 1u) v.x = v[i & 3u];
  if (have == 2u && (i & 2u) != 0u) v.xy = v.zw;
  return v;
}
vec4 a_values(uint slice, uint j, uint i) { return narrowed(tiles[(slice * BK + j) * A_STRIDE + i / 4u], TM, i); }
vec4 b_values(uint slice, uint j, uint i) { return narrowed(tiles[B_TILE + (slice * BK + j) * B_STRIDE + i / 4u], TN, i); }

vec4 multiply_add(float left, vec4 right, vec4 sum) {
  if (TN == 1u) sum.x = fma(left, right.x, sum.x);
  if (TN == 2u) sum.xy = fma(vec2(left), right.xy, sum.xy);
  if (TN >= 4u) sum = fma(vec4(left), right, sum);
  return sum;
}

void columns_put(uint word, float value) { tiles[word / 4u][word % 4u] = value; }
float columns_get(uint word) { return tiles[word / 4u][word % 4u]; }
void columns_put_more(uint word, float value) { tiles[B_TILE + word / 4u][word % 4u] = value; }
float columns_get_more(uint word) { return tiles[B_TILE + word / 4u][word % 4u]; }
void behind_put(uint invocation, vec4 value) { tiles[B_TILE + invocation] = value; }
vec4 behind_get(uint invocation) { return tiles[B_TILE + invocation]; }

/* Runs the epilogue for the values from (i, j) on and stores the results, or stores partial sums of split-K. */
void write(uint z, uint i, uint j, vec4 v, inout gt_column_sums sums, inout uvec4 most) {
  bool exists = true;
  if (!WHOLE) exists = i < m && j < n;
  if (exists) {
    uint own = TN < 4u ? TN : 4u, lanes = QUADS ? own : min(own, n - j);
    uint at = gt_result_row(z, i) + j;
    if (SPLIT > 1u) part_store(gt_place(gl_WorkGroupID.y * batch * m * n + at, lanes), v);
    else {
      if (!ROWS_BEHIND) v = columns_write(gt_place(at, lanes), v, sums);
      if (MEASURES) measures_row(i, v, lanes, most);
      follow_put(i % BM, j, BN, v, lanes);
    }
  }
}

/* Load the next slice of a dense operand into registers: without checks if all slices are whole and aligned. */
const bool A_ALIGNED = QUADS_OF_A && ALIGNED != 0u, B_ALIGNED = QUADS_OF_B && ALIGNED != 0u;
const bool UNCHECKED = WHOLE && A_ALIGNED && B_ALIGNED;
#define READ_WHOLE(next, from, places, COUNT, FETCHES) \
  [[unroll]] for (uint f = 0u; f < FETCHES; f++) \
    if (COUNT % LOCAL_X == 0u || me + f * LOCAL_X < COUNT) next[f] = GT_CAST(GT_FLOATS4, from).at[places[f] >> 2];
#define READ_CHECKED(next, from, places, K_MAJOR, WIDE, FETCHES, first, k_at, w, aligned) \
  [[unroll]] for (uint f = 0u; f < FETCHES; f++) \
    next[f] = fetch(from, places[f], quad_left(K_MAJOR, WIDE, me + f * LOCAL_X, uvec2(first, k_at), w, k_end), aligned);
#define ADVANCE(places, K_MAJOR, FETCHES, w) \
  [[unroll]] for (uint f = 0u; f < FETCHES; f++) places[f] += K_MAJOR ? BK * w : BK;

/* For the other kinds of operands. KEEP computes what is the same for all slices: the spots of positions if lines are
 * of constant k (k_major), otherwise the spots of lines. MAKE loads a slice. */
#define KEEP(spot, KIND, K_MAJOR, WIDE, FETCHES, first, length, stride) \
  if (KIND != GT_FACTOR_DENSE) { \
    GT_BEGIN(KIND) \
    [[unroll]] for (uint f = 0u; f < FETCHES; f++) { \
      uvec2 place = uvec2(first, k0) + quad_place(K_MAJOR, WIDE, me + f * LOCAL_X); \
      if (K_MAJOR) { GT_POSITION(spot[f], KIND, place.x) } \
      else { GT_LINE(spot[f], KIND, z, place.x, length, stride) } \
    } \
  }
#define MAKE(next, from, spot, KIND, K_MAJOR, WIDE, FETCHES, first, k_at, w, length, stride, aligned) \
  [[unroll]] for (uint f = 0u; f < FETCHES; f++) { \
    uint q = me + f * LOCAL_X; \
    uvec2 place = uvec2(first, k_at) + quad_place(K_MAJOR, WIDE, q); \
    int left = quad_left(K_MAJOR, WIDE, q, uvec2(first, k_at), w, k_end); \
    gt_spot other; \
    if (K_MAJOR) { \
      GT_LINE(other, KIND, z, place.y, length, stride) \
      GT_QUAD(next[f], KIND, from, other, spot[f], place.x, left, aligned) \
    } else { \
      GT_POSITION(other, KIND, place.y) \
      GT_QUAD(next[f], KIND, from, spot[f], other, place.y, left, aligned) \
    } \
  }

/* Operands that are computed from loaded values: only the values are loaded here, and the elements are computed when
 * they are stored to shared memory (PUT), so that the loads are in flight during the multiplication. a_made: the spots
 * of basis functions; b_scale: the factors of coefficients. */
const uint BLOCK_REST = BASIS_BLOCK % 4u;
const bool A_LATER = KIND_A == GT_FACTOR_BASIS && BLOCK_REST == 0u;
const bool B_LATER = KIND_B == GT_FACTOR_SCALED && TRANS_B == 0u;
#define FETCH_BASIS(k_at) \
  [[unroll]] for (uint f = 0u; f < A_FETCHES; f++) { \
    uint q = me + f * LOCAL_X; \
    uvec2 place = uvec2(m0, k_at) + quad_place(TRANS_A != 0u, BM, q); \
    uint line = TRANS_A != 0u ? place.y * basis_inputs : a_spot[f].at; \
    a_made[f] = a_spot[f]; \
    if (TRANS_A == 0u) a_made[f] = basis_position(place.y); \
    a_exists[f] = quad_left(TRANS_A != 0u, BM, q, uvec2(m0, k_at), m, k_end) > 0; \
    a_next[f] = fetch(a, line + a_made[f].at, a_exists[f] ? 4 : 0, ALIGNED != 0u); \
  }
/* A_PURE: either all columns of a slice of A are of the base, or none is (BASIS_GRAIN). */
const bool BY_ROWS = TRANS_A == 0u;
const uint PURE_COLUMNS = BY_ROWS ? BK : BM, PURE_REST = BASIS_GRAIN % PURE_COLUMNS;
const bool A_PURE = BASIS_APART && PURE_REST == 0u;
#define EACH_MADE(values) \
  [[unroll]] for (uint f = 0u; f < A_FETCHES; f++) a_next[f] = a_exists[f] ? values : vec4(0.0);
#define MAKE_BASIS(k_at) \
  if (!A_PURE) { EACH_MADE(basis_values(a_next[f], a_made[f].phase, a, a_made[f].at, 4)) } \
  else if (basis_is_base(BY_ROWS ? (k_at) : m0)) { EACH_MADE(gt_basis_base(a_next[f], BASIS_TERMS)) } \
  else { EACH_MADE(basis_function(a_next[f], a_made[f].phase, a, a_made[f].at, 4)) }
#define FETCH_SCALED(k_at) \
  [[unroll]] for (uint f = 0u; f < B_FETCHES; f++) { \
    uint q = me + f * LOCAL_X; \
    int left = quad_left(true, BN, q, uvec2(n0, k_at), n, k_end); \
    gt_spot line = scaled_line((k_at) + quad_place(true, BN, q).y); \
    b_next[f] = scaled_values(b, line, b_spot[f], left); \
    b_scale[f] = scaled_factors(line, b_spot[f], left); \
  }

#define READ_WHOLE_A READ_WHOLE(a_next, a, a_at, A_QUADS, A_FETCHES)
#define READ_WHOLE_B READ_WHOLE(b_next, b, b_at, B_QUADS, B_FETCHES)
#define READ_CHECKED_A(k_at) READ_CHECKED(a_next, a, a_at, TRANS_A != 0u, BM, A_FETCHES, m0, k_at, m, A_ALIGNED)
#define READ_CHECKED_B(k_at) READ_CHECKED(b_next, b, b_at, TRANS_B == 0u, BN, B_FETCHES, n0, k_at, n, B_ALIGNED)
#define FETCH(k_at) \
  if (KIND_A == GT_FACTOR_DENSE && KIND_B == GT_FACTOR_DENSE) { \
    if (UNCHECKED) { READ_WHOLE_A READ_WHOLE_B } \
    else { READ_CHECKED_A(k_at) READ_CHECKED_B(k_at) } \
  } else { \
    if (A_LATER) { FETCH_BASIS(k_at) } \
    else if (KIND_A != GT_FACTOR_DENSE) { \
      MAKE(a_next, a, a_spot, KIND_A, TRANS_A != 0u, BM, A_FETCHES, m0, k_at, m, a_length, stride_a, A_ALIGNED) \
    } else if (UNCHECKED) { READ_WHOLE_A } \
    else { READ_CHECKED_A(k_at) } \
    if (B_LATER) { FETCH_SCALED(k_at) } \
    else if (KIND_B != GT_FACTOR_DENSE) { \
      MAKE(b_next, b, b_spot, KIND_B, TRANS_B == 0u, BN, B_FETCHES, n0, k_at, n, b_length, stride_b, B_ALIGNED) \
    } else if (UNCHECKED) { READ_WHOLE_B } \
    else { READ_CHECKED_B(k_at) } \
  } \
  ADVANCE(a_at, TRANS_A != 0u, A_FETCHES, m) \
  ADVANCE(b_at, TRANS_B == 0u, B_FETCHES, n)

/* Stores what FETCH(k_at) has loaded to a slice in shared memory. */
#define PUT(slice, k_at) \
  if (A_LATER) { MAKE_BASIS(k_at) } \
  if (B_LATER) { [[unroll]] for (uint f = 0u; f < B_FETCHES; f++) b_next[f] *= b_scale[f]; } \
  [[unroll]] for (uint f = 0u; f < A_FETCHES; f++) \
    if (A_QUADS % LOCAL_X == 0u || me + f * LOCAL_X < A_QUADS) put_a(slice, me + f * LOCAL_X, a_next[f]); \
  [[unroll]] for (uint f = 0u; f < B_FETCHES; f++) \
    if (B_QUADS % LOCAL_X == 0u || me + f * LOCAL_X < B_QUADS) put_b(slice, me + f * LOCAL_X, b_next[f]);

/* Adds the products of the slice at k_at, and switches to the other slice. */
#define MULTIPLY(k_at) \
  for (uint j = team * DEPTH; j < team * DEPTH + DEPTH; j += UNROLL) { \
    [[unroll]] for (uint d = 0u; d < UNROLL; d++) { \
      vec4 left[ROW_GROUPS], right[COLUMN_GROUPS]; \
      [[unroll]] for (uint g = 0u; g < ROW_GROUPS; g++) left[g] = a_values(slice, j + d, tile_row(ty, 4u * g)); \
      [[unroll]] for (uint g = 0u; g < COLUMN_GROUPS; g++) right[g] = b_values(slice, j + d, tile_column(tx, g)); \
      [[unroll]] for (uint i = 0u; i < TM; i++) \
        [[unroll]] for (uint g = 0u; g < COLUMN_GROUPS; g++) { \
          uint to = i * COLUMN_GROUPS + g; \
          sum[to] = multiply_add(left[i / 4u][i % 4u], right[g], sum[to]); \
        } \
    } \
  } \
  slice ^= 1u; \
  if (SEGMENT != 0u) { \
    if (((k_at) + BK) % SEGMENT == 0u) { DRAIN((k_at) / SEGMENT) } \
  }

#define EACH_SUM(does) \
  [[unroll]] for (uint i = 0u; i < TM; i++) \
    [[unroll]] for (uint g = 0u; g < COLUMN_GROUPS; g++) { \
      uint to = i * COLUMN_GROUPS + g, line = m0 + tile_row(ty, i), place = n0 + tile_column(tx, g); \
      int left = line < m ? min(int(n) - int(place), int(min(TN, 4u))) : 0; \
      does \
    }
/* The inputs at which segments of K are drained, as large as the result: in `partial`, or in `range` if partial sums
 * are stored there. With few sums per invocation they stay in registers. */
GT_FLOATS drained_with() {
  GT_FLOATS from = partial;
  if (SPLIT > 1u) from = range;
  return from;
}
const uint OWN_SUMS = TM * TN;
const bool KEEPS_INPUTS = OWN_SUMS <= 16u;
#define READ_INPUT inputs[to] = segments_inputs(drained_with(), line, place, left, false);
/* The end of a segment. */
#define DRAIN(segment) \
  EACH_SUM(if (!KEEPS_INPUTS) { READ_INPUT } \
           total[to] = fma(basis_values(inputs[to], segment, drained_with(), place, left), sum[to], total[to]); \
           sum[to] = vec4(0.0);)

/* In round t, team t adds the other teams' sums to its own for the t-th share of the rows, in a fixed order. The sums
 * of a round are fewer than those of a tile, and they must fit into the slices. */
#define SUM(q) (SEGMENT != 0u ? total[q] : sum[q])
#define JOIN_TEAMS \
  uint lane = me - team * TEAM; \
  [[unroll]] for (uint t = 0u; t < TEAMS; t++) { \
    uint before = team < t ? team : team - 1u; /* number of this team among those that store sums */ \
    barrier(); /* the last slice, or the sums of the previous round, have been read */ \
    if (team != t) { \
      [[unroll]] for (uint q = 0u; q < OWN; q++) tiles[(before * OWN + q) * TEAM + lane] = SUM(t * OWN + q); \
    } \
    barrier(); \
    if (team == t) { \
      [[unroll]] for (uint q = 0u; q < OWN; q++) { \
        own[q] = SUM(t * OWN + q); \
        [[unroll]] for (uint o = 0u; o + 1u < TEAMS; o++) own[q] += tiles[(o * OWN + q) * TEAM + lane]; \
      } \
    } \
  }

/* Tiles are distributed over y, too, if there are too many for x. The last numbers may have no tile. */
uint tile_number() {
  return SPLIT > 1u ? gl_WorkGroupID.x : gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
}

void tile(uint z) {
  uint tiles_n = (n + BN - 1u) / BN, tiles_m = (m + BM - 1u) / BM, me = gl_LocalInvocationID.x;
  uint number = tile_number(), band = number / (RASTER * tiles_n), in_band = number % (RASTER * tiles_n);
  if (band * RASTER >= tiles_m) return;
  /* RASTER rows of tiles at a time, column by column, so that concurrent workgroups read few rows of A and columns of
   * B. */
  uint rows = min(RASTER, tiles_m - band * RASTER);
  uint m0 = (band * RASTER + in_band % rows) * BM, n0 = in_band / rows * BN;
  if (n0 >= n) return;
  uint team = TEAMS > 1u ? me / TEAM : 0u;
  uvec2 at_tile = place_in_tile(me - team * TEAM);
  uint tx = at_tile.x, ty = at_tile.y;
  uint unit = SEGMENT != 0u ? SEGMENT : BK, part = SPLIT > 1u ? GT_MATMUL_PART(k, SPLIT, unit) : k;
  uint k0 = SPLIT > 1u ? min(gl_WorkGroupID.y * part, k) : 0u, k_end = min(k0 + part, k);
  uint a_length = TRANS_A != 0u ? m : k, b_length = TRANS_B != 0u ? k : n;
  uint a_at[A_FETCHES], b_at[B_FETCHES], slice = 0u;
  gt_spot a_spot[A_FETCHES], b_spot[B_FETCHES];
  vec4 a_next[A_FETCHES], b_next[B_FETCHES], b_scale[B_FETCHES];
  gt_spot a_made[A_FETCHES];
  bool a_exists[A_FETCHES];
  vec4 sum[TM * COLUMN_GROUPS], total[TM * COLUMN_GROUPS], inputs[TM * COLUMN_GROUPS];

  KEEP(a_spot, KIND_A, TRANS_A != 0u, BM, A_FETCHES, m0, a_length, stride_a)
  KEEP(b_spot, KIND_B, TRANS_B == 0u, BN, B_FETCHES, n0, b_length, stride_b)
  [[unroll]] for (uint f = 0u; f < A_FETCHES; f++)
    a_at[f] = z * stride_a + quad_address(TRANS_A != 0u, BM, me + f * LOCAL_X, uvec2(m0, k0), m);
  [[unroll]] for (uint f = 0u; f < B_FETCHES; f++)
    b_at[f] = z * stride_b + quad_address(TRANS_B == 0u, BN, me + f * LOCAL_X, uvec2(n0, k0), n);
  [[unroll]] for (uint i = 0u; i < TM * COLUMN_GROUPS; i++) sum[i] = vec4(0.0);
  if (SEGMENT != 0u) {
    [[unroll]] for (uint i = 0u; i < TM * COLUMN_GROUPS; i++) total[i] = vec4(0.0);
    if (KEEPS_INPUTS) { EACH_SUM(READ_INPUT) }
  }
  if (BRIEF) {
    for (uint next = k0; next < k_end + BK; next += BK) {
      if (next < k_end) { FETCH(next) }
      if (next > k0) { MULTIPLY(next - BK) }
      PUT(slice, next)
      barrier();
    }
  } else {
    FETCH(k0)
    for (uint at = k0; at < k_end; at += BK) {
      PUT(slice, at)
      barrier();
      if (at + BK < k_end) { FETCH(at + BK) }
      MULTIPLY(at)
    }
  }
  vec4 own[OWN];
  [[unroll]] for (uint q = 0u; q < OWN; q++) own[q] = SUM(q);
  if (TEAMS > 1u) { JOIN_TEAMS }
#define WRITE(i, g) \
  write(z, m0 + tile_row(ty, team * OWN_ROWS + i), n0 + tile_column(tx, g), own[(i) * COLUMN_GROUPS + g], sums, most[g]);
  gt_column_sums sums = columns_none();
  uvec4 most[COLUMN_GROUPS];
  [[unroll]] for (uint g = 0u; g < COLUMN_GROUPS; g++) most[g] = uvec4(0u);
  measures_begin();
  if (COLUMNS == 0u || SPLIT > 1u) {
    if (FOLLOWED && SPLIT == 1u) barrier(); /* the slices have been read */
    [[unroll]] for (uint i = 0u; i < OWN_ROWS; i++)
      [[unroll]] for (uint g = 0u; g < COLUMN_GROUPS; g++) { WRITE(i, g) }
    if (SPLIT == 1u) {
      follow_rows(m0, BM, BN);
      rows_behind(m0, BM, BN, false);
    }
  } else { /* column by column */
    barrier(); /* the slices have been read */
    [[unroll]] for (uint g = 0u; g < COLUMN_GROUPS; g++) {
      [[unroll]] for (uint i = 0u; i < OWN_ROWS; i++) { WRITE(i, g) }
      columns_leave(sums, team * THREADS_M + ty, TEAMS * THREADS_M, BN, tile_column(tx, g), TN < 4u ? TN : 4u);
      sums = columns_none();
    }
    columns_join(TEAMS * THREADS_M, BN, m0, BM, n0, BN, BN);
  }
  if (MEASURES) {
    [[unroll]] for (uint g = 0u; g < COLUMN_GROUPS; g++) measures_columns(tile_column(tx, g), TN < 4u ? TN : 4u, most[g]);
  }
  measures_end(m0, n0);
  if (ARRIVE != 0u) {
    if (arrives_last(z * tiles_m * tiles_n + number)) join_tile(z, m0, n0, BM, BN);
  }
}

void main() {
  for (uint z = gl_WorkGroupID.z; z < batch; z += gl_NumWorkGroups.z) {
    tile(z);
    barrier(); /* the last slice must be read before the next batch entry's first slice is stored */
  }
}
