/* Packs the operands of a GEMM (packed.h): converts them to 16 bits, scales them if they are float16, and writes their
 * roots (range.h). A workgroup packs 32 lines over one depth of K: each invocation loads a few quads and stores them to
 * shared memory as 16-bit parts; then subgroups load matrices from there and write them in the order of their lanes. */
#include "op/matmul/product_matrix.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = 256u; /* GT_PACKED_GROUP */
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;
layout(constant_id = GT_MATRIX_SPEC_FORM) const uint FORM = 0u;
layout(constant_id = GT_MATRIX_SPEC_M) const uint MATRIX_M = 16u;
layout(constant_id = GT_MATRIX_SPEC_N) const uint MATRIX_N = 16u;
layout(constant_id = GT_MATRIX_SPEC_K) const uint MATRIX_K = 16u;
layout(constant_id = GT_MATRIX_SPEC_SUBGROUP) const uint SUBGROUP = 32u;
layout(constant_id = GT_FACTOR_SPEC_A) const uint KIND_A = 0u;
layout(constant_id = GT_FACTOR_SPEC_B) const uint KIND_B = 0u;
layout(constant_id = GT_FACTOR_SPEC_RESULT) const uint RESULT = 0u;
const uint PLANES = (FORM & GT_MATRIX_HALVES) != 0u ? 2u : 1u;
#include "lib/matrix.glsl"
#include "op/matmul/load.glsl"
#include "op/matmul/range.glsl"
#include "op/matmul/packed.glsl"
const uint LINES = GT_RANGE_LINES, DEPTH = GT_RANGE_DEPTH, QUADS = LINES * DEPTH / 4u / GT_PACKED_GROUP;
/* Octets per line in shared memory, including one of padding. Lines are as in memory: of constant k if K is not the
 * contiguous axis (K_STRIDE), otherwise along K. */
const uint STRIDE = DEPTH / 8u + 1u, K_STRIDE = LINES / 8u + 1u, PLANE = DEPTH * K_STRIDE;
shared uvec4 tile[PLANE];
shared uint largest[LINES];

/* Partial maxima of lines, SHARES per line, in the memory of the tile before it is filled. */
const uint SHARES = DEPTH / 4u;
void note(uint line, uint share, uint most) { tile[(line * SHARES + share) / 4u][share % 4u] = most; }

uint of_four(uvec4 most) { return max(max(most.x, most.y), max(most.z, most.w)); }

/* Stores a quad's upper parts (plane 0) or lower parts (plane 1). */
void put(uint to, vec4 v, uint plane) {
  vec4 upper = PLANES == 1u ? v : gt_upper(v);
  uvec2 pair = gt_packed(plane == 0u ? upper : v - upper);
  tile[to / 2u][to % 2u * 2u] = pair.x;
  tile[to / 2u][to % 2u * 2u + 1u] = pair.y;
}

/* Never executed. The multiplication makes the driver use the matrix types of a GEMM, whose layout is that of
 * operands. */
void never() {
  gt_left left;
  gt_right right;
  gt_sums sums;
  GT_SET_SUMS(sums, 0.0);
  GT_LOAD_LEFT(left, tile, 0u, STRIDE, false);
  GT_LOAD_RIGHT(right, tile, 0u, STRIDE, false);
  GT_MULTIPLY_ADD(sums, left, right);
  GT_STORE_WORDS(sums, tile, 0u, MATRIX_N / 4u);
}

/* Writes one plane of the matrices of the lines from `first` on, over the depth; `extent` lines per matrix. */
#define WRITE(type, LOAD, WORDS, OCTETS, packed, extent, PLANE_OCTETS, by_columns) \
  for (uint i = gt_subgroup(); i < LINES / extent * (DEPTH / MATRIX_K); i += LOCAL_X / SUBGROUP) { \
    uint step = i % (DEPTH / MATRIX_K), number = i / (DEPTH / MATRIX_K); \
    uint step_of_k = range_begin(depth) / MATRIX_K + step; \
    if (step_of_k < (SEGMENT != 0u ? range_end(depth) / MATRIX_K : packed_steps())) { \
      uint from = k_lines ? step * MATRIX_K * K_STRIDE + number * extent / 8u \
                          : number * extent * STRIDE + step * MATRIX_K / 8u; \
      uint to = packed(z, first / extent + number, step_of_k) + plane * PLANE_OCTETS + gt_lane() * OCTETS; \
      type matrix; \
      if (k_lines) { LOAD(matrix, tile, from, K_STRIDE, by_columns); } \
      else { LOAD(matrix, tile, from, STRIDE, !by_columns); } \
      GT_UNROLL for (uint o = 0u; o < OCTETS; o++) packed_operands().at[to + o] = WORDS(matrix, o); \
    } \
  }

/* Loads a quad of a line of memory. */
#define READ(v, from, KIND) \
  if (KIND == GT_FACTOR_DENSE || (k_lines && KIND != GT_FACTOR_SCALED)) v = fetch(from, at, left, aligned); \
  else { \
    uint across = k_lines ? position : line, along = k_lines ? line : position; \
    gt_spot of_line, of_position; \
    GT_LINE(of_line, KIND, z, across, length, stride) \
    GT_POSITION(of_position, KIND, along) \
    GT_QUAD(v, KIND, from, of_line, of_position, along, left, aligned) \
  }

/* Writes the roots of 32 lines; exist: false for lines that are only padding. */
void write_roots(bool is_a, uint z, uint depth, uint first, bool exist) {
#ifndef GT_MATRIX_BFLOAT
  uint me = gl_LocalInvocationIndex, to = (is_a ? range_a(z, depth) : range_b(z, depth)) + first + me;
  if (me < LINES) range.at[to] = gt_range_root(exist ? largest[me] : 0u);
#endif
}

/* Packs the lines from `first` on over one depth. */
void pack(bool is_a, uint z, uint depth, uint first) {
  uint me = gl_LocalInvocationIndex, wide = is_a ? m : n;
  uint stride = !PACKED_DENSE ? 0u : is_a ? stride_a : stride_b;
  bool k_lines = is_a ? (FORM & GT_MATRIX_TRANS_A) != 0u : (FORM & GT_MATRIX_TRANS_B) == 0u;
  uint length = k_lines ? wide : k, k_end = min(range_end(depth), k);
  bool aligned = ALIGNED != 0u && ((length | stride) & 3u) == 0u;
  uint w = k_lines ? me % (LINES / 4u) * 4u : me / (DEPTH / 4u), deep = k_lines ? me / (LINES / 4u) : me % (DEPTH / 4u) * 4u;
  uint w_apart = k_lines ? 0u : LOCAL_X / (DEPTH / 4u), deep_apart = k_lines ? LOCAL_X / (LINES / 4u) : 0u;
  vec4 v[QUADS];
  [[unroll]] for (uint q = 0u; q < QUADS; q++) {
    uint line = first + w + q * w_apart, position = range_begin(depth) + deep + q * deep_apart;
    bool exists = line < wide && position < k_end;
    int left = exists ? int(k_lines ? wide - line : k_end - position) : 0;
    if (MADE && BASIS_APART) position = packed_place(min(position, k - 1u));
    uint at = z * stride + (k_lines ? position * length + line : line * length + position);
    if (is_a) { READ(v[q], a, KIND_A) }
    else { READ(v[q], b, KIND_B) }
  }
#ifndef GT_MATRIX_BFLOAT
  if (me < LINES) largest[me] = 0u;
  uvec4 below = uvec4(0u);
  [[unroll]] for (uint q = 0u; q < QUADS; q++) {
    uvec4 most = gt_magnitude(v[q]);
    below = max(below, most);
    if (!k_lines) note(w + q * w_apart, deep / 4u, of_four(most));
  }
  if (k_lines) [[unroll]] for (uint l = 0u; l < 4u; l++) note(w + l, deep, below[l]);
  barrier();
  uvec4 most = tile[me];
  atomicMax(largest[me / (SHARES / 4u)], of_four(most));
  barrier();
  write_roots(is_a, z, depth, first, true);
  [[unroll]] for (uint q = 0u; q < QUADS; q++)
    [[unroll]] for (uint l = 0u; l < 4u; l++)
      v[q][l] *= scale_of(floatBitsToUint(gt_range_root(largest[k_lines ? w + l : w + q * w_apart])));
#endif
  [[unroll]] for (uint plane = 0u; plane < PLANES; plane++) {
    [[unroll]] for (uint q = 0u; q < QUADS; q++) {
      if (k_lines) put((deep + q * deep_apart) * K_STRIDE * 2u + w / 4u, v[q], plane);
      else put((w + q * w_apart) * STRIDE * 2u + deep / 4u, v[q], plane);
    }
    barrier();
    if (is_a) { WRITE(gt_left, GT_LOAD_LEFT, GT_LEFT_WORDS, GT_LEFT_OCTETS, packed_a, MATRIX_M, LEFT_PLANE, true) }
    else { WRITE(gt_right, GT_LOAD_RIGHT, GT_RIGHT_WORDS, GT_RIGHT_OCTETS, packed_b, MATRIX_N, RIGHT_PLANE, false) }
    barrier(); /* the matrices must be read before the tile is filled again */
  }
}

void main() {
  GT_BEGIN(KIND_A)
  GT_BEGIN(KIND_B)
  uint depths_a = RANGE_POWERS(KIND_A), depths_b = RANGE_POWERS(KIND_B);
  uint blocks_a = range_padded(m) / LINES, blocks_b = range_padded(n) / LINES;
  uint of_a = MADE ? 0u : range_entries(KIND_A, stride_a) * depths_a * blocks_a;
  uint of_b = range_entries(KIND_B, stride_b) * depths_b * blocks_b;
  if (m == 0u) never();
  for (uint i = gl_WorkGroupID.x; i < of_a + of_b; i += gl_NumWorkGroups.x) {
    bool is_a = i < of_a;
    uint block = is_a ? i : i - of_a, blocks = is_a ? blocks_a : blocks_b, depths = is_a ? depths_a : depths_b;
    uint z = block / blocks / depths, depth = block / blocks % depths, first = block % blocks * LINES;
    if (first < packed_groups(is_a ? m : n) * GT_PACKED_LINES) pack(is_a, z, depth, first);
    else write_roots(is_a, z, depth, first, false);
  }
}
