/* Staging of K tiles (slabs) of product_matrix.glsl. An invocation loads some quads, four neighboring elements of a
 * line each, from memory into registers (FETCH), computes the operand's elements from them if it is not dense (MAKE),
 * and stores them to shared memory as 16-bit parts (PUT). Neighboring invocations load neighboring quads: if two loads
 * read one half of a cache line each, the line is transferred twice, and this data path is the bottleneck, because it
 * also serves the units' reads of shared memory.
 *
 * A slab has lines as in memory: of constant k if K is not the contiguous axis (K_LINES), otherwise along K. Lines are
 * padded by 16 bytes against bank conflicts. */
const bool A_BYTES = KIND_A == GT_FACTOR_BYTES, B_BYTES = KIND_B == GT_FACTOR_BYTES;
const bool A_DENSE = KIND_A == GT_FACTOR_DENSE || A_BYTES, B_DENSE = KIND_B == GT_FACTOR_DENSE || B_BYTES;
const bool DENSE = A_DENSE && B_DENSE;
const uint A_PLANES = A_BYTES ? 1u : PLANES, B_PLANES = B_BYTES ? 1u : PLANES;
const uint A_LINE = (A_K_LINES ? BM : BK) / 4u, B_LINE = (B_K_LINES ? BN : BK) / 4u; /* in quads */
const uint A_LINES = A_K_LINES ? BK : BM, B_LINES = B_K_LINES ? BK : BN;
const uint A_STRIDE = A_LINE / 2u + 1u, B_STRIDE = B_LINE / 2u + 1u; /* in pairs of quads */
const uint A_PLANE = A_LINES * A_STRIDE, B_PLANE = B_LINES * B_STRIDE;
const uint A_QUADS = A_LINES * A_LINE, B_QUADS = B_LINES * B_LINE;
/* Quads of an invocation per line: two for an operand that is not dense, because the spots of lines are costly. SHARE:
 * invocations per line. TAKEN: quads that the workgroup loads at a time. */
const uint A_EACH = A_DENSE ? 1u : 2u, B_EACH = B_DENSE ? 1u : 2u;
const uint A_SHARE = A_LINE / A_EACH, B_SHARE = B_LINE / B_EACH, A_TAKEN = A_EACH * LOCAL_X, B_TAKEN = B_EACH * LOCAL_X;
const uint A_FETCHES = (A_QUADS + A_TAKEN - 1u) / A_TAKEN * A_EACH, B_FETCHES = (B_QUADS + B_TAKEN - 1u) / B_TAKEN * B_EACH;

/* uvec4s, because the units need addresses that are multiples of 16. At the end tile_a has a matrix of accumulators per
 * subgroup. */
shared uvec4 tile_a[A_PLANES * A_PLANE];
shared uvec4 tile_b[B_PLANES * B_PLANE];

/* The f-th quad of an invocation, as (line, position in quads). Short lines are permuted so that the stores of sixteen
 * invocations have no bank conflicts. */
uvec2 quad_of(bool k_lines, uint each, uint share, uint f) {
  bool apart = LOCAL_X % (8u * share) == 0u; /* consecutive quads are a multiple of eight lines apart */
  uint number = f / each, q = gl_LocalInvocationIndex + (apart ? 0u : number * LOCAL_X), line = q / share;
  uint eighth = line & 7u;
  if (!k_lines && share == 8u) line = line & ~7u | eighth >> 1 | (eighth & 1u) << 2;
  if (!k_lines && share == 4u) line = line & ~7u | eighth >> 2 | (eighth & 3u) << 1;
  return uvec2(line + (apart ? number * (LOCAL_X / share) : 0u), q % share + f % each * share);
}
#define QUAD_A(f) quad_of(A_K_LINES, A_EACH, A_SHARE, f)
#define QUAD_B(f) quad_of(B_K_LINES, B_EACH, B_SHARE, f)
#define HAS_QUAD(QUADS, TAKEN, EACH, f) (QUADS % TAKEN == 0u || (gl_LocalInvocationIndex + f / EACH * LOCAL_X) * EACH < QUADS)
#define HAS_A(f) HAS_QUAD(A_QUADS, A_TAKEN, A_EACH, f)
#define HAS_B(f) HAS_QUAD(B_QUADS, B_TAKEN, B_EACH, f)

/* The first element of a quad in the operand, as (line, position). tile_at: the place (w, k) of the slab; w: the row of
 * A or column of B. */
uvec2 quad_place(bool k_lines, uvec2 quad, uvec2 tile_at) {
  return uvec2(quad.x + (k_lines ? tile_at.y : tile_at.x), 4u * quad.y + (k_lines ? tile_at.x : tile_at.y));
}
/* The number of elements of the quad at `place` that exist. */
int quad_left(bool k_lines, uvec2 place, uint wide, uint k_end) {
  bool exists = place.x < (k_lines ? k_end : wide);
  return exists ? int(k_lines ? wide : k_end) - int(place.y) : 0;
}

/* The spot of the f-th quad of A in a slab of basis functions along K. If the size of a block is a multiple
 * of 4 * A_SHARE, all quads that a line's invocations load at a time are of one function, and its spot is computed only
 * once. */
const bool A_SHARED_FUNCTION = BASIS_BLOCK % (4u * A_SHARE) == 0u;
gt_spot basis_quad_of(uint f, uint k_at) {
  uint first = k_at + f % A_EACH * A_SHARE * 4u, inside = QUAD_A(f).y % A_SHARE * 4u;
  gt_spot spot = basis_position(A_SHARED_FUNCTION ? first : first + inside);
  if (A_SHARED_FUNCTION) spot.at += inside;
  return spot;
}

/* Computes the indices of an invocation's quads in the first slab. corner: the place (w, k) of the slab. For an operand
 * that is not dense, also the spots that are the same for all slabs: of positions if lines are of constant k, otherwise
 * of lines. */
#define BEGIN_SIDE(address, spot, tap, KIND, K_LINES, QUAD, FETCHES, corner, length, wide, stride) \
  GT_UNROLL for (uint f = 0u; f < FETCHES; f++) { \
    uvec2 inside = quad_place(K_LINES, QUAD(f), corner); \
    if (FAST && K_LINES) inside.y = min(inside.y, length - 4u); \
    if (FAST && !K_LINES) inside.x = min(inside.x, wide - 1u); \
    address[f] = z * stride + inside.x * length + inside.y; \
    if (!DENSE) { \
      if (K_LINES) { GT_POSITION(spot[f], KIND, inside.y) } \
      else { GT_LINE(spot[f], KIND, z, inside.x, length, stride) } \
    } \
    if (KIND == GT_FACTOR_BASIS && K_LINES) address[f] = inside.x * basis_inputs + spot[f].at; \
    if (KIND == GT_FACTOR_ROWS && FAST) \
      spot[f].place.x = int(rows_number(K_LINES, spot[f], K_LINES ? inside.x : inside.y)); \
  } \
  if (KIND == GT_FACTOR_PATCHES && !K_LINES) { GT_POSITION(tap, KIND, corner.y) }
/* True if missing table rows must become NaN here. With scales their root is infinity, and plain_tile is used
 * instead. */
#ifdef GT_MATRIX_BFLOAT
const bool MARKS_ROWS = true;
#else
const bool MARKS_ROWS = false;
#endif
/* Computes the index of a quad of table rows, and loads the number of the row for the next slab. place.y: true if the
 * table has no such row. */
#define STEP_ROWS(index, spot, K_LINES, along) \
  index = rows_element(K_LINES, spot, along) >> 2; \
  if (MARKS_ROWS) spot.place.y = int(!rows_has(uint(spot.place.x))); \
  spot.place.x = int(rows_number(K_LINES, spot, (along) + BK));
/* Loads the quads of the slab at k_at. All quads of a slab of patches along K have the same tap, which is loaded one
 * slab ahead. */
#define FETCH_SIDE(next, from, address, spot, tap, KIND, K_LINES, QUAD, HAS, FETCHES, length, k_at) \
  GT_UNROLL for (uint f = 0u; f < FETCHES; f++) { \
    uvec2 quad = QUAD(f); \
    uint index = address[f] >> 2; \
    GT_FLOATS4 quads = GT_CAST(GT_FLOATS4, from); \
    if (HAS(f)) { \
      if (KIND == GT_FACTOR_PATCHES && K_LINES) \
        quads = patches_quad_address(from, patches_line(z, (k_at) + quad.x), spot[f], 0u, index); \
      if (KIND == GT_FACTOR_PATCHES && !K_LINES) quads = patches_quad_address(from, spot[f], tap, 4u * quad.y, index); \
      if (KIND == GT_FACTOR_BASIS && !K_LINES) index = spot[f].at + basis_quad_of(f, k_at).at >> 2; \
      if (KIND == GT_FACTOR_REPEATED) index = spot[f].at + repeated_position(k_at).at + 4u * quad.y >> 2; \
      if (KIND == GT_FACTOR_COEFFICIENTS) index = spot[f].at + coefficients_position(k_at).at + 4u * quad.y >> 2; \
      if (KIND == GT_FACTOR_ROWS) { STEP_ROWS(index, spot[f], K_LINES, (k_at) + (K_LINES ? quad.x : 4u * quad.y)) } \
      if (KIND == GT_FACTOR_BYTES) next[f].x = uintBitsToFloat(GT_CAST(GT_WORDS, from).at[index]); \
      else next[f] = quads.at[index]; \
    } \
    address[f] += K_LINES ? BK * (KIND == GT_FACTOR_BASIS ? basis_inputs : length) : BK; \
  } \
  if (KIND == GT_FACTOR_PATCHES && !K_LINES) { GT_POSITION(tap, KIND, (k_at) + BK) }
/* Loads the factors of coefficients. */
#define FETCH_SCALED(k_at) \
  GT_UNROLL for (uint f = 0u; f < B_FETCHES; f++) \
    if (HAS_B(f)) { \
      uint index = uint(scaled_line((k_at) + QUAD_B(f).x).place.x) + spot_b[f].at >> 2; \
      next_scale[f] = GT_CAST(GT_FLOATS4, scaled_by()).at[index]; \
    }

/* MAKE computes elements from the loaded quads. A_PURE: each slab of A has only functions or only the base, which is
 * apart. */
const uint PURE_COLUMNS = A_K_LINES ? BM : BK, PURE_REST = BASIS_GRAIN % PURE_COLUMNS;
#ifdef GT_MATRIX_BFLOAT
const bool A_PURE = false; /* one loop for functions and base is shorter code */
#else
const bool A_PURE = BASIS_APART && PURE_REST == 0u;
#endif
#define MAKE_FUNCTIONS(k_at) \
  GT_UNROLL for (uint f = 0u; f < A_FETCHES; f++) { \
    gt_spot place = spot_a[f]; \
    if (!A_K_LINES) place = basis_quad_of(f, k_at); \
    if (A_PURE) next_a[f] = basis_function(next_a[f], place.phase, a, place.at, 4); \
    else next_a[f] = basis_values(next_a[f], place.phase, a, place.at, 4); \
  }
#define MAKE_BASE(k_at) \
  GT_UNROLL for (uint f = 0u; f < A_FETCHES; f++) next_a[f] = gt_basis_base(next_a[f], BASIS_TERMS);
#define MARK_ROWS(next, spot, KIND, FETCHES) \
  if (KIND == GT_FACTOR_ROWS && MARKS_ROWS) { \
    GT_UNROLL for (uint f = 0u; f < FETCHES; f++) \
      if (spot[f].place.y != 0) next[f] = vec4(gt_nan()); \
  }
#define MAKE_SCALED(k_at) \
  GT_UNROLL for (uint f = 0u; f < B_FETCHES; f++) \
    if (scaled_line((k_at) + QUAD_B(f).x).place.y != 0) next_b[f] *= next_scale[f];

/* Loads and computes the quads of a slab that may not be whole. */
#define FETCH_CHECKED_SIDE(next, from, spot, KIND, K_LINES, QUAD, HAS, FETCHES, corner, length, wide, stride, aligned) \
  GT_UNROLL for (uint f = 0u; f < FETCHES; f++) { \
    uvec2 place = quad_place(K_LINES, QUAD(f), corner); \
    int left = HAS(f) ? quad_left(K_LINES, place, wide, k_end) : 0; \
    gt_spot other; \
    if (KIND == GT_FACTOR_BYTES) next[f].x = uintBitsToFloat(bytes_word(from, place.x * length + place.y, left)); \
    else if (DENSE) next[f] = fetch(from, z * stride + place.x * length + place.y, left, aligned); \
    else if (K_LINES) { \
      GT_LINE(other, KIND, z, place.x, length, stride) \
      GT_QUAD(next[f], KIND, from, other, spot[f], place.y, left, aligned) \
    } else { \
      GT_POSITION(other, KIND, place.y) \
      GT_QUAD(next[f], KIND, from, spot[f], other, place.y, left, aligned) \
    } \
  }
#define FETCH_CHECKED(k_at) \
  FETCH_CHECKED_SIDE(next_a, a, spot_a, KIND_A, A_K_LINES, QUAD_A, HAS_A, A_FETCHES, uvec2(m0, k_at), length_a, m, \
                     stride_a, a_aligned) \
  FETCH_CHECKED_SIDE(next_b, b, spot_b, KIND_B, B_K_LINES, QUAD_B, HAS_B, B_FETCHES, uvec2(n0, k_at), length_b, n, \
                     stride_b, b_aligned)
#define FETCH(k_at) \
  if (FAST) { \
    FETCH_SIDE(next_a, a, at_a, spot_a, tap_a, KIND_A, A_K_LINES, QUAD_A, HAS_A, A_FETCHES, length_a, k_at) \
    FETCH_SIDE(next_b, b, at_b, spot_b, tap_b, KIND_B, B_K_LINES, QUAD_B, HAS_B, B_FETCHES, length_b, k_at) \
    if (KIND_B == GT_FACTOR_SCALED) { FETCH_SCALED(k_at) } \
  } else { FETCH_CHECKED(k_at) }
#define MAKE(k_at, MAKE_A) \
  if (FAST) { \
    if (KIND_A == GT_FACTOR_BASIS) { MAKE_A(k_at) } \
    MARK_ROWS(next_a, spot_a, KIND_A, A_FETCHES) \
    MARK_ROWS(next_b, spot_b, KIND_B, B_FETCHES) \
    if (KIND_B == GT_FACTOR_SCALED) { MAKE_SCALED(k_at) } \
  }

#ifndef GT_MATRIX_BFLOAT
/* The scales of an invocation's quads: one per quad if lines are along K. If lines are of constant k, one per element;
 * quads below one another (BELOW) have the same. */
const bool A_BELOW = LOCAL_X % A_SHARE == 0u, B_BELOW = LOCAL_X % B_SHARE == 0u;
const uint A_SCALES = A_BELOW ? A_EACH : A_FETCHES, B_SCALES = B_BELOW ? B_EACH : B_FETCHES;
#define DECLARE_SCALES \
  vec4 scales_a[A_SCALES], scales_b[B_SCALES]; \
  float scale_a[A_FETCHES], scale_b[B_FETCHES];
#define GET_SCALES_SIDE(line_scale, scales, K_LINES, QUAD, LINES, SCALES, FETCHES, first) \
  GT_UNROLL for (uint f = 0u; f < FETCHES; f++) { \
    uint i = first + (K_LINES ? 4u * QUAD(f).y : min(QUAD(f).x, LINES - 1u)); \
    if (!K_LINES) line_scale[f] = scale_of(roots[i / 4u][i % 4u]); \
    else if (f < SCALES) scales[f] = scales_of(roots[i / 4u]); \
  }
#define GET_SCALES(depth) \
  GET_SCALES_SIDE(scale_a, scales_a, A_K_LINES, QUAD_A, A_LINES, A_SCALES, A_FETCHES, (depth) % SLOTS * ROOTS) \
  GET_SCALES_SIDE(scale_b, scales_b, B_K_LINES, QUAD_B, B_LINES, B_SCALES, B_FETCHES, (depth) % SLOTS * ROOTS + BM)
#define SCALE_QUAD(v, line_scale, scales, K_LINES) \
  if (K_LINES) v *= scales; \
  else v *= line_scale;
#else
#define SCALE_QUAD(v, line_scale, scales, K_LINES)
#endif

#define PUT_PAIR(tile, to, lower, pair) \
  tile[to][lower] = pair.x; \
  tile[to][lower + 1u] = pair.y;
#define PUT_SIDE(tile, next, KIND, PLANES, line_scale, scales, K_LINES, QUAD, HAS, STRIDE, PLANE, SCALES, FETCHES) \
  GT_UNROLL for (uint f = 0u; f < FETCHES; f++) { \
    uvec2 quad = QUAD(f); \
    uint to = quad.x * STRIDE + quad.y / 2u, lower = quad.y % 2u * 2u; \
    if (HAS(f) && KIND == GT_FACTOR_BYTES) { \
      uvec2 pair = gt_packed_bytes(floatBitsToUint(next[f].x), bytes_center); \
      PUT_PAIR(tile, to, lower, pair) \
    } else if (HAS(f)) { \
      vec4 v = next[f]; \
      SCALE_QUAD(v, line_scale[f], scales[f % SCALES], K_LINES) \
      vec4 upper = PLANES == 1u ? v : gt_upper(v); \
      uvec2 pair = gt_packed(upper); \
      PUT_PAIR(tile, to, lower, pair) \
      if (PLANES == 2u) { \
        pair = gt_packed(v - upper); \
        PUT_PAIR(tile, PLANE + to, lower, pair) \
      } \
    } \
  }
#define PUT \
  PUT_SIDE(tile_a, next_a, KIND_A, A_PLANES, scale_a, scales_a, A_K_LINES, QUAD_A, HAS_A, A_STRIDE, A_PLANE, A_SCALES, \
           A_FETCHES) \
  PUT_SIDE(tile_b, next_b, KIND_B, B_PLANES, scale_b, scales_b, B_K_LINES, QUAD_B, HAS_B, B_STRIDE, B_PLANE, B_SCALES, \
           B_FETCHES) \
  SUM_LINES

/* Load from shared memory: A's matrices of step d of a slab; B's matrices of step d in column j, into register set
 * u. */
#define LOAD_LEFT(d) \
  GT_UNROLL for (uint p = 0u; p < A_PLANES; p++) \
    GT_UNROLL for (uint i = 0u; i < DOWN; i++) { \
      uint w = m_mine + i * MATRIX_M, deep = (d) * MATRIX_K; \
      uint first = p * A_PLANE + (A_K_LINES ? deep * A_STRIDE + w / 8u : w * A_STRIDE + deep / 8u); \
      GT_LOAD_LEFT(left[p * DOWN + i], tile_a, first, A_STRIDE, A_K_LINES); \
    }
#define LOAD_RIGHT(d, j, u) \
  GT_UNROLL for (uint p = 0u; p < B_PLANES; p++) { \
    uint w = n_mine + (j) * MATRIX_N, deep = (d) * MATRIX_K; \
    uint first = p * B_PLANE + (B_K_LINES ? deep * B_STRIDE + w / 8u : w * B_STRIDE + deep / 8u); \
    GT_LOAD_RIGHT(right[(u) * B_PLANES + p], tile_b, first, B_STRIDE, !B_K_LINES); \
  }
/* Multiplies plane p of A's matrices by plane q of B's matrices of column j, which are in register set u. */
#define MULTIPLY_PLANES(j, u, p, q) \
  GT_UNROLL for (uint i = 0u; i < DOWN; i++) \
    GT_MULTIPLY_ADD(sums[i * ACROSS + (j)], left[(p) * DOWN + i], right[(u) * B_PLANES + (q)]);
#define MULTIPLY(j, u) \
  if (A_PLANES == 2u) { MULTIPLY_PLANES(j, u, A_PLANES - 1u, 0u) } \
  if (B_PLANES == 2u) { MULTIPLY_PLANES(j, u, 0u, B_PLANES - 1u) } \
  MULTIPLY_PLANES(j, u, 0u, 0u)

/* The index along K of the original operands; packed operands may have another order (product_packed.glsl). */
#define PLACE(position) (position)

/* True for short code, in which the loads for a step do not overlap with the previous step. */
const bool BRIEF = (FORM & GT_MATRIX_BRIEF) != 0u;
/* Declares a tile's variables and loads its first slab. full: the end of the whole slabs. */
#define BEGIN_SLABS \
  uint length_a = A_K_LINES ? m : k, length_b = B_K_LINES ? n : k; \
  bool a_aligned = ALIGNED != 0u && ((length_a | stride_a) & 3u) == 0u; \
  bool b_aligned = ALIGNED != 0u && ((length_b | stride_b) & 3u) == 0u; \
  uint at_a[A_FETCHES], at_b[B_FETCHES], at = k0; \
  gt_spot spot_a[A_FETCHES], spot_b[B_FETCHES], tap_a, tap_b; \
  vec4 next_a[A_FETCHES], next_b[B_FETCHES], next_scale[B_FETCHES]; \
  gt_left left[A_PLANES * DOWN]; \
  gt_right right[2u * B_PLANES]; \
  GT_BEGIN(KIND_A) \
  GT_BEGIN(KIND_B) \
  BEGIN_SIDE(at_a, spot_a, tap_a, KIND_A, A_K_LINES, QUAD_A, A_FETCHES, uvec2(m0, k0), length_a, m, stride_a) \
  BEGIN_SIDE(at_b, spot_b, tap_b, KIND_B, B_K_LINES, QUAD_B, B_FETCHES, uvec2(n0, k0), length_b, n, stride_b) \
  uint full = FAST && TAIL ? k_end - (k_end - k0) % BK : k_end; \
  if (!BRIEF && k0 < full) { FETCH(k0) }

/* B's matrices are loaded one column ahead; more would need too many registers. */
#define MULTIPLY_AHEAD(next) \
  LOAD_LEFT(0u) \
  LOAD_RIGHT(0u, 0u, 0u) \
  next \
  GT_UNROLL for (uint t = 0u; t < DEEP * ACROSS; t++) { \
    if ((t + 1u) % ACROSS != 0u) { LOAD_RIGHT(t / ACROSS, t % ACROSS + 1u, (t + 1u) % 2u) } \
    MULTIPLY(t % ACROSS, t % 2u) \
    if ((t + 1u) % ACROSS == 0u && t + 1u < DEEP * ACROSS) { \
      LOAD_LEFT(t / ACROSS + 1u) \
      LOAD_RIGHT(t / ACROSS + 1u, 0u, (t + 1u) % 2u) \
    } \
  }
#define MULTIPLY_BRIEF \
  GT_UNROLL for (uint d = 0u; d < DEEP; d++) { \
    LOAD_LEFT(d) \
    GT_UNROLL for (uint j = 0u; j < ACROSS; j++) { \
      LOAD_RIGHT(d, j, 0u) \
      MULTIPLY(j, 0u) \
    } \
  }
#define USE_SLAB(make, next) \
  make \
  PUT \
  barrier(); \
  if (BRIEF) { MULTIPLY_BRIEF } \
  else { MULTIPLY_AHEAD(next) } \
  barrier(); /* the slab has been read */
/* The end of the slabs that have functions: with A_PURE the slabs of the base have a loop of their own, so that neither
 * loop has a branch. */
uint functions_end(uint m0, uint at, uint end) {
  uint functions = basis_inputs * BASIS_TERMS, last = end;
  if (A_PURE) last = A_K_LINES ? (m0 < functions ? end : at) : min(end, functions);
  return last;
}
#define SLAB_LOOP(at, end, full, MAKE_A) \
  for (; at < end; at += BK) { \
    if (BRIEF) { FETCH(at) } \
    USE_SLAB(MAKE(at, MAKE_A), if (at + BK < full) { FETCH(at + BK) }) \
  }
/* Multiplies the slabs from `at` to `end`; loads ahead up to `full`. */
#define SLABS(at, end, full) \
  { \
    uint of_functions = functions_end(m0, at, end); \
    SLAB_LOOP(at, of_functions, full, MAKE_FUNCTIONS) \
    BASE_LOOP(at, end, full) \
  }
#ifdef GT_MATRIX_BFLOAT
#define BASE_LOOP(at, end, full)
#else
#define BASE_LOOP(at, end, full) \
  if (A_PURE) { SLAB_LOOP(at, end, full, MAKE_BASE) }
#endif
/* Multiplies the last slab if it is not whole. */
#define LAST_SLAB(at) \
  if (FAST && TAIL && at < k_end) { \
    FETCH_CHECKED(at) \
    USE_SLAB(;, ;) \
    at = k_end; \
  }
