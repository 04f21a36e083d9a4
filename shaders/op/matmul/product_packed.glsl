/* GEMM main loop for packed operands (packed.h): each lane loads its elements straight into registers; nothing is
 * staged, and subgroups do not wait for each other. The data of a step is loaded while the previous step is multiplied,
 * alternately in two register sets. The first multiplications of a step use all its matrices, so they wait for all its
 * loads before the next loads are issued; otherwise a driver might wait for the old and the new loads together. */
#include "op/matmul/packed.glsl"
#ifdef GT_MATRIX_UNITS
const uint SETS = 2u;
/* True for some products of matrices (row i, column j) that together read the matrices of all rows and columns. */
#define TOUCHES(i, j) ((i) % ACROSS == (j) || (j) % DOWN == (i))
#else
const uint SETS = 1u; /* software devices compile unrolled code slowly */
#define TOUCHES(i, j) true
#endif
/* For accumulators in the epilogue, and for column reductions. */
shared uvec4 tile_a[LOCAL_X / SUBGROUP * MATRIX_M * PIECE_ROW], tile_b[LOCAL_X + LOCAL_X / 4u];

/* The address of an octet of the packed operands, and the address `octets` octets after another. */
gt_octets octets_from(uint octet) {
  uvec2 first = uvec2(packed_operands());
  uint carry, low = uaddCarry(first.x, octet << 4, carry);
  return gt_octets(uvec2(low, first.y + (octet >> 28) + carry));
}
gt_octets octets_after(gt_octets at, uint octets) {
  uint carry, low = uaddCarry(uvec2(at).x, octets << 4, carry);
  return gt_octets(uvec2(low, uvec2(at).y + carry));
}

/* Loads the matrices of a step into set u. An A that is repeated in each segment starts again at its beginning. */
#define FETCH_SIDE(next, from, PLANE, MATRIX, OCTETS, COUNT, u) \
  GT_UNROLL for (uint i = 0u; i < PLANES * COUNT; i++) \
    GT_UNROLL for (uint o = 0u; o < OCTETS; o++) \
      next[((u) * PLANES * COUNT + i) * OCTETS + o] = from.at[i / COUNT * PLANE + i % COUNT * MATRIX + o];
#define FETCH_RIGHT(u) \
  FETCH_SIDE(next_b, from_b, RIGHT_PLANE, RIGHT_MATRIX, GT_RIGHT_OCTETS, ACROSS, u) \
  from_b = octets_after(from_b, PLANES * RIGHT_PLANE);
#define FETCH(u) \
  FETCH_SIDE(next_a, from_a, LEFT_PLANE, LEFT_MATRIX, GT_LEFT_OCTETS, DOWN, u) \
  from_a = octets_after(from_a, PLANES * LEFT_PLANE); \
  if (PACKED_REPEATS) { \
    fetched++; \
    if (fetched % max(PACKED_SEGMENT, 1u) == 0u) from_a = begin_a; \
  } \
  FETCH_RIGHT(u)
#define SET(u) \
  GT_UNROLL for (uint i = (u) * PLANES * DOWN; i < (u + 1u) * PLANES * DOWN; i++) \
    GT_UNROLL for (uint o = 0u; o < GT_LEFT_OCTETS; o++) { GT_SET_LEFT(left[i], o, next_a[i * GT_LEFT_OCTETS + o]) } \
  SET_RIGHT(u)
#define SET_RIGHT(u) \
  GT_UNROLL for (uint j = (u) * PLANES * ACROSS; j < (u + 1u) * PLANES * ACROSS; j++) \
    GT_UNROLL for (uint o = 0u; o < GT_RIGHT_OCTETS; o++) { GT_SET_RIGHT(right[j], o, next_b[j * GT_RIGHT_OCTETS + o]) }

#define MULTIPLY_PLANES(u, p, q, touches) \
  GT_UNROLL for (uint i = 0u; i < DOWN; i++) \
    GT_UNROLL for (uint j = 0u; j < ACROSS; j++) \
      if (TOUCHES(i, j) == touches) { \
        GT_MULTIPLY_ADD(sums[i * ACROSS + j], left[((u) * PLANES + (p)) * DOWN + i], right[((u) * PLANES + (q)) * ACROSS + j]); \
      }
#define MULTIPLY_HALVES(u, touches) \
  MULTIPLY_PLANES(u, PLANES - 1u, 0u, touches) \
  MULTIPLY_PLANES(u, 0u, PLANES - 1u, touches)
#define STEP(u) \
  SET(u) \
  if (PLANES == 2u) { MULTIPLY_HALVES(u, true) } \
  else { MULTIPLY_PLANES(u, 0u, 0u, true) } \
  FETCH((u + 1u) % SETS) \
  if (PLANES == 2u) { \
    MULTIPLY_HALVES(u, false) \
    MULTIPLY_PLANES(u, 0u, 0u, true) \
  } \
  MULTIPLY_PLANES(u, 0u, 0u, false)

#ifdef GT_MATRIX_BFLOAT
#define BEGIN_MADE
#define MADE_STEP(at_k, full)
#else
#include "op/matmul/product_made.glsl"
#endif

#define BEGIN_SLABS \
  uint at = k0, full = k_end; \
  uvec4 next_a[SETS * PLANES * DOWN * GT_LEFT_OCTETS], next_b[SETS * PLANES * ACROSS * GT_RIGHT_OCTETS]; \
  gt_left left[SETS * PLANES * DOWN]; \
  gt_right right[SETS * PLANES * ACROSS]; \
  uint first_a = MADE ? 0u : packed_a(z, (m0 + m_mine) / MATRIX_M, k0 / MATRIX_K) + gt_lane() * GT_LEFT_OCTETS; \
  gt_octets from_a = octets_from(first_a), begin_a = from_a; \
  gt_octets from_b = octets_from(packed_b(z, (n0 + n_mine) / MATRIX_N, k0 / MATRIX_K) + gt_lane() * GT_RIGHT_OCTETS); \
  uint fetched = 0u; \
  GT_BEGIN(KIND_A) \
  BEGIN_MADE \
  if (!MADE) { FETCH(0u) }
#define SLABS(at, end, full) \
  if (MADE) { \
    for (; at < end; at += MATRIX_K) { MADE_STEP(at, full) } \
  } else { \
    for (; at < end; at += SETS * MATRIX_K) { \
      STEP(0u) \
      if (SETS == 2u) { STEP(1u) } \
    } \
  }
#define LAST_SLAB(at)
#define PLACE(position) packed_place(position)
/* Packed operands are already scaled; only computed elements of A need scales. */
#define DECLARE_SCALES vec4 made_scales[MADE_ALL];
#define GET_SCALES(depth) \
  if (MADE) { GET_MADE_SCALES(depth) }
