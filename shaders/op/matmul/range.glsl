/* Indices of an operand's scales in memory (range.h). Include after the arguments of a GEMM and load.glsl. */
#include "op/matmul/range.h"

/* If K consists of segments (factor.h), each segment is divided into depths, of which the last may be shorter. */
const bool RANGE_IS_WHOLE = SEGMENT == 0u;
const uint RANGE_OF_SEGMENT = (SEGMENT + GT_RANGE_DEPTH - 1u) / GT_RANGE_DEPTH;
const uint RANGE_DEPTHS = RANGE_IS_WHOLE ? 1u : RANGE_OF_SEGMENT;
uint range_segment(uint depth) { return depth / RANGE_DEPTHS; }
uint range_depths() {
  uint depths = (k + GT_RANGE_DEPTH - 1u) / GT_RANGE_DEPTH;
  if (SEGMENT != 0u) depths = k / SEGMENT * RANGE_DEPTHS;
  return depths;
}
uint range_begin(uint depth) {
  uint at = depth * GT_RANGE_DEPTH;
  if (SEGMENT != 0u) at = range_segment(depth) * SEGMENT + depth % RANGE_DEPTHS * GT_RANGE_DEPTH;
  return at;
}
uint range_end(uint depth) {
  uint at = range_begin(depth) + GT_RANGE_DEPTH;
  if (SEGMENT != 0u) at = min(at, (range_segment(depth) + 1u) * SEGMENT);
  return at;
}
/* Batch entries with roots of their own. */
uint range_entries(uint kind, uint stride) { return kind == GT_FACTOR_DENSE && stride == 0u ? 1u : batch; }

/* The number of roots per line, and the number of the root for a depth. An even operand has one root for all depths; an
 * operand that is repeated in all segments has the roots of one segment. */
#define RANGE_POWERS(KIND) (RANGE_EVEN(KIND) ? 1u : (KIND) == GT_FACTOR_REPEATED ? RANGE_DEPTHS : range_depths())
#define RANGE_POWER(KIND, depth) (RANGE_EVEN(KIND) ? 0u : (KIND) == GT_FACTOR_REPEATED ? (depth) % RANGE_DEPTHS : (depth))

/* The factor by which elements are multiplied: 1 / P, also a power of two. root: the bits of the root r; the biased
 * exponent of 1 / r^2 is 3 * 127 - 2 * that of r. */
float scale_of(uint root) { return uintBitsToFloat((381u << 23) - 2u * root); }
vec4 scales_of(uvec4 root) { return uintBitsToFloat(uvec4(381u << 23) - 2u * root); }

/* If the lines of A are basis functions (a transposed operand), the amax of inputs is stored instead of roots
 * (range.h): RANGE_OF_INPUTS. range_of_column is the index of the input of which column `column` is a function; the
 * inputs of a base that is apart are a second plane. */
const bool RANGE_BASIS = KIND_A == GT_FACTOR_BASIS, RANGE_VALUES = BASIS_ORDER == 0u;
const bool RANGE_UNEVEN = !BASIS_EVEN, RANGE_BY_COLUMNS = (FORM & GT_MATRIX_TRANS_A) != 0u;
const bool RANGE_UNEVEN_BASIS = RANGE_BASIS && RANGE_UNEVEN, RANGE_COLUMNS = RANGE_VALUES && RANGE_BY_COLUMNS;
const bool RANGE_OF_INPUTS = RANGE_UNEVEN_BASIS && RANGE_COLUMNS;
const uint RANGE_PLANES = BASIS_APART ? 2u : 1u;
uint range_lines_a() { return RANGE_OF_INPUTS ? RANGE_PLANES * range_padded(basis_inputs) : range_padded(m); }
uint range_of_column(uint column) {
  gt_spot spot = basis_position(min(column, m - 1u));
  bool is_apart = BASIS_APART && spot.phase == BASIS_TERMS;
  return is_apart ? range_padded(basis_inputs) + spot.at - basis_raw : spot.at;
}

/* The bits of upper bounds of function `term`, from the bits of the amax of inputs. */
uvec4 range_peaks(uvec4 inputs, uint term) {
  uvec4 bits = gt_magnitude(basis_peak(uintBitsToFloat(inputs), term));
  return mix(bits, inputs, greaterThanEqual(inputs, uvec4(0x7f800000u)));
}

const bool RANGE_RAW_ONLY = (BASIS_KIND & GT_BASIS_RAW_ONLY) != 0u;
/* The bits of an upper bound of all functions. */
uint range_peak_of_all() { return geometry.at[GT_BASIS_PEAK_OF]; }
/* The root of a column, from the amax of its input. */
float range_root_of_column(float largest, uint column) {
  uint term = basis_position(min(column, m - 1u)).phase, bits;
  if (RANGE_RAW_ONLY && term != BASIS_TERMS) bits = range_peak_of_all();
  else bits = range_peaks(uvec4(floatBitsToUint(largest)), term).x;
  return gt_range_root(bits);
}

/* True if the roots of A and B are in separate buffers, because some were known before product_range ran. */
const bool RANGES_APART = (FORM & (GT_MATRIX_KNOWN_A | GT_MATRIX_KNOWN_B)) != 0u;
/* Index of the root of the first line of batch entry z at a depth, of A and of B. */
uint range_a(uint z, uint depth) {
  uint entry = range_entries(KIND_A, stride_a) == 1u ? 0u : z;
  return (entry * RANGE_POWERS(KIND_A) + RANGE_POWER(KIND_A, depth)) * range_lines_a();
}
uint range_b(uint z, uint depth) {
  uint entry = range_entries(KIND_B, stride_b) == 1u ? 0u : z;
  uint of_a = RANGES_APART ? 0u : range_entries(KIND_A, stride_a) * RANGE_POWERS(KIND_A) * range_lines_a();
  return of_a + (entry * RANGE_POWERS(KIND_B) + RANGE_POWER(KIND_B, depth)) * range_padded(n);
}
