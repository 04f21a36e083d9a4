/* Amax of a GEMM operand's rows or columns per scale block of K, written as power-of-two scales. */
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
/* Writes the roots (range.h) of both operands of a GEMM, unless they are known. A workgroup measures 32 lines over one
 * depth, an invocation four quads of them: side by side if k is the contiguous axis, otherwise below one another. For
 * basis functions it measures the inputs, each once, and derives bounds of the functions from them (range_basis.glsl).
 *
 * To run at the speed of memory, it loads the quads of dense operands at once, without a branch at which a driver would
 * wait. The layout of the partial maxima in shared memory avoids bank conflicts of stores and loads. */
#include "op/matmul/product_matrix.h"
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_SPEC_LOCAL_X) const uint LOCAL_X = GT_RANGE_GROUP;
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;
layout(constant_id = GT_MATRIX_SPEC_FORM) const uint FORM = 0u;
layout(constant_id = GT_FACTOR_SPEC_A) const uint KIND_A = 0u;
layout(constant_id = GT_FACTOR_SPEC_B) const uint KIND_B = 0u;
layout(constant_id = GT_FACTOR_SPEC_RESULT) const uint RESULT = 0u;
#include "op/matmul/load.glsl"
#include "op/matmul/range.glsl"

/* True if kernel patches_range writes the roots of an im2col operand (patches_blocks.h). */
const bool BY_BLOCKS = (FORM & GT_MATRIX_BLOCKS) != 0u;
const bool KNOWN_PATCHES_A = BY_BLOCKS && KIND_A == GT_FACTOR_PATCHES;
const bool KNOWN_PATCHES_B = BY_BLOCKS && KIND_B == GT_FACTOR_PATCHES;
/* True if the roots of the operand were known before (product_matrix.h). */
const bool GIVEN_A = (FORM & GT_MATRIX_KNOWN_A) != 0u, GIVEN_B = (FORM & GT_MATRIX_KNOWN_B) != 0u;
const bool KNOWN_A = KNOWN_PATCHES_A || GIVEN_A, KNOWN_B = KNOWN_PATCHES_B || GIVEN_B;
const bool BRIEF = (FORM & GT_MATRIX_BRIEF) != 0u;
const uint QUADS = 4u, AT_ONCE = BRIEF ? 1u : QUADS;
/* Partial maxima, [share][line]: a line has a share for each invocation that measures some of its elements. ROW: words
 * from one share to the next. */
const uint SHARES = GT_RANGE_GROUP / 8u, ROW = GT_RANGE_LINES + 4u;
shared uint largest[SHARES * ROW];
const bool TRANS_A = (FORM & GT_MATRIX_TRANS_A) != 0u;

/* Loops over an invocation's quads: straight code or, if BRIEF, a loop, which compiles faster. */
#define EACH_QUAD(i) \
  for (uint i##_first = 0u; i##_first < QUADS; i##_first += AT_ONCE) \
    [[unroll]] for (uint i = i##_first; i < i##_first + AT_ONCE; i++)

/* Stores the maxima of an invocation: of four lines if k_lines, otherwise of one line. */
void put_largest(bool k_lines, uvec4 most) {
  uint me = gl_LocalInvocationIndex;
  if (k_lines) {
    [[unroll]] for (uint l = 0u; l < 4u; l++) largest[me / 8u * ROW + me % 8u * 4u + l] = most[l];
  } else largest[me % 8u * ROW + me / 8u] = max(max(most.x, most.y), max(most.z, most.w));
}

/* The maximum of a line over all shares. */
uint largest_of(bool k_lines, uint line) {
  uint bits = 0u;
  [[unroll]] for (uint s = 0u; s < (k_lines ? SHARES : 8u); s++) bits = max(bits, largest[s * ROW + line]);
  return bits;
}

#include "op/matmul/range_basis.glsl"

/* True if an operand's vec4s are loaded without a condition; those past the end of a scale block then repeat
 * the last one. */
const bool STEADY = (FORM & GT_MATRIX_STEADY) != 0u && ALIGNED != 0u;
#define IS_PLAIN(KIND) (KIND == GT_FACTOR_DENSE || KIND == GT_FACTOR_SIDE_BY_SIDE || KIND == GT_FACTOR_ROWS)
#define MEASURE_PLAIN(KIND, from, k_lines, wide, stride) \
  uint w = first + (k_lines ? me % 8u * 4u : me / 8u), in_line = k_lines ? min(w, wide - 4u) : 0u; \
  GT_FLOATS4 quads = GT_CAST(GT_FLOATS4, from); \
  EACH_QUAD(i) { \
    uint at_k = min(k0 + (k_lines ? me / 8u * QUADS + i : (i * 8u + me % 8u) * 4u), k_end - (k_lines ? 1u : 4u)); \
    gt_spot spot; \
    GT_LINE(spot, KIND, z, k_lines ? at_k : min(w, wide - 1u), k_lines ? wide : k, stride) \
    if (KIND == GT_FACTOR_ROWS) { \
      uint position = k_lines ? in_line : at_k; \
      spot.place.x = int(rows_number(false, spot, position)); \
      uvec4 magnitude = gt_magnitude(quads.at[rows_element(false, spot, position) >> 2]); \
      most = max(most, rows_has(uint(spot.place.x)) ? magnitude : uvec4(floatBitsToUint(gt_nan()))); \
    } else most = max(most, gt_magnitude(quads.at[spot.at + (k_lines ? in_line : at_k) >> 2])); \
  } \
  if (w >= wide) most = uvec4(0u);
#define MEASURE_CHECKED(KIND, from, k_lines, wide, stride) \
  EACH_QUAD(i) { \
    uint line = k_lines ? k0 + me / 8u * QUADS + i : first + me / 8u; \
    uint position = k_lines ? first + me % 8u * 4u : k0 + (i * 8u + me % 8u) * 4u; \
    uint positions = k_lines ? wide : k; \
    gt_spot line_spot, position_spot; \
    vec4 v = vec4(0.0); \
    if (line < (k_lines ? k_end : wide) && position < (k_lines ? wide : k_end)) { \
      GT_LINE(line_spot, KIND, z, line, positions, stride) \
      GT_POSITION(position_spot, KIND, position) \
      GT_QUAD(v, KIND, from, line_spot, position_spot, position, int(positions) - int(position), aligned) \
    } \
    most = max(most, gt_magnitude(v)); \
  }
/* Measures the 32 lines from `first` on over one depth; `wide` lines exist. k_lines: elements of equal k are contiguous
 * in memory; otherwise the elements of a line are. */
#define MEASURE(KIND, from, k_lines, wide, stride) \
  uint k0 = range_begin(depth), k_end = min(range_end(depth), k); \
  bool aligned = STEADY || (ALIGNED != 0u && (((k_lines ? wide : k) | stride) & 3u) == 0u); \
  if (IS_PLAIN(KIND) && aligned) { MEASURE_PLAIN(KIND, from, k_lines, wide, stride) } \
  else { MEASURE_CHECKED(KIND, from, k_lines, wide, stride) } \
  put_largest(k_lines, most);

const bool A_K_LINES = TRANS_A && !BY_LINES && !BY_DEPTHS, B_K_LINES = (FORM & GT_MATRIX_TRANS_B) == 0u;
void measure_a(uint z, uint depth, uint first) {
  uint me = gl_LocalInvocationIndex;
  uvec4 most = uvec4(0u);
  if (BY_LINES) put_largest(false, inputs_of_line(first));
  else if (BY_DEPTHS) put_largest(false, peaks_of_depth(depth, first));
  else { MEASURE(KIND_A, a, A_K_LINES, m, stride_a) }
}

void measure_b(uint z, uint depth, uint first) {
  uint me = gl_LocalInvocationIndex;
  uvec4 most = uvec4(0u);
  MEASURE(KIND_B, b, B_K_LINES, n, stride_b)
}

/* Writes the roots of 32 lines; least: a lower bound of the maximum (bits). */
void write(bool k_lines, uint to, uint least) {
  uint me = gl_LocalInvocationIndex;
  barrier();
  if (me < GT_RANGE_LINES) range.at[to + me] = gt_range_root(max(least, largest_of(k_lines, me)));
}

/* Measures one block of 32 lines of A at one depth. blocks: number of blocks per depth and batch entry. */
void range_block_a(uint block, uint blocks) {
  uint first = block % blocks * GT_RANGE_LINES, depth = block / blocks % RANGE_POWERS(KIND_A);
  uint z = block / blocks / RANGE_POWERS(KIND_A);
  if (RANGE_OF_INPUTS) {
    if (!RANGE_RAW_ONLY) range_inputs(depth, first, 0u);
    if (BASIS_APART) {
      barrier();
      range_inputs(depth, first, 1u);
    }
  } else {
    measure_a(z, depth, first);
    write(A_K_LINES, range_a(z, depth) + first, RANGE_EVEN(KIND_A) ? range_peak_of_all() : 0u);
  }
}

void main() {
  GT_BEGIN(KIND_A)
  GT_BEGIN(KIND_B)
  if (RANGE_RAW_ONLY) basis_raw = 0u;
  uint blocks_a = RANGE_OF_INPUTS ? (basis_inputs + GT_RANGE_LINES - 1u) / GT_RANGE_LINES : range_padded(m) / GT_RANGE_LINES;
  uint blocks_b = range_padded(n) / GT_RANGE_LINES, depths_b = RANGE_POWERS(KIND_B);
  uint of_a = KNOWN_A ? 0u : range_entries(KIND_A, stride_a) * RANGE_POWERS(KIND_A) * blocks_a;
  uint of_b = KNOWN_B ? 0u : range_entries(KIND_B, stride_b) * depths_b * blocks_b;
  for (uint i = gl_WorkGroupID.x; i < of_a + of_b; i += gl_NumWorkGroups.x) {
    if (i != gl_WorkGroupID.x) barrier(); /* the maxima of the previous block have been read */
    uint block = i - of_a, first = block % blocks_b * GT_RANGE_LINES;
    uint depth = block / blocks_b % depths_b, z = block / blocks_b / depths_b;
    if (i < of_a) range_block_a(i, blocks_a);
    else {
      measure_b(z, depth, first);
      write(B_K_LINES, range_b(z, depth) + first, 0u);
    }
  }
}
