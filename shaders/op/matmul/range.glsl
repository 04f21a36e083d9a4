/* Where in memory the powers of range.h stand. Include after the arguments of a product. */
#include "op/matmul/range.h"

/* Where k consists of segments (factor.h), each has depths of its own, the last of which may be shorter. */
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
uint range_entries(uint kind, uint stride) { return kind == GT_FACTOR_DENSE && stride == 0u ? 1u : batch; }

/* So many powers has a line of a factor, one for each depth, or one for all of them: range.h; or, if it is the same in all
 * segments, those of one. */
#define RANGE_POWERS(KIND) (RANGE_EVEN(KIND) ? 1u : (KIND) == GT_FACTOR_REPEATED ? RANGE_DEPTHS : range_depths())
#define RANGE_POWER(KIND, depth) (RANGE_EVEN(KIND) ? 0u : (KIND) == GT_FACTOR_REPEATED ? (depth) % RANGE_DEPTHS : (depth))

/* What elements are multiplied by, 1 / root^2: a power of two as well. Of the root's bits. */
float scale_of(uint root) { return uintBitsToFloat((381u << 23) - 2u * root); }
vec4 scales_of(uvec4 root) { return uintBitsToFloat(uvec4(381u << 23) - 2u * root); }

const bool RANGES_APART = (FORM & (GT_MATRIX_KNOWN_A | GT_MATRIX_KNOWN_B)) != 0u;
/* Of the first line of entry z at a depth, of A and of B. */
uint range_a(uint z, uint depth) {
  uint entry = range_entries(KIND_A, stride_a) == 1u ? 0u : z;
  return (entry * RANGE_POWERS(KIND_A) + RANGE_POWER(KIND_A, depth)) * range_padded(m);
}
uint range_b(uint z, uint depth) {
  uint entry = range_entries(KIND_B, stride_b) == 1u ? 0u : z;
  uint of_a = RANGES_APART ? 0u : range_entries(KIND_A, stride_a) * RANGE_POWERS(KIND_A) * range_padded(m);
  return of_a + (entry * RANGE_POWERS(KIND_B) + RANGE_POWER(KIND_B, depth)) * range_padded(n);
}
