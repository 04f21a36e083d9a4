/* Where in memory the powers of range.h stand. Include after the arguments of a product. */
#include "op/matmul/range.h"

uint range_depths() { return (k + GT_RANGE_DEPTH - 1u) / GT_RANGE_DEPTH; }
uint range_padded(uint wide) { return (wide + GT_RANGE_PAD - 1u) / GT_RANGE_PAD * GT_RANGE_PAD; }
uint range_entries(uint kind, uint stride) { return kind == GT_FACTOR_DENSE && stride == 0u ? 1u : batch; }

/* So many powers have a line of a factor, one for each depth, or one for all of them: range.h. */
#define RANGE_POWERS(KIND) (RANGE_EVEN(KIND) ? 1u : range_depths())

/* The root of the power for lines whose largest element has these bits: not so small that 1 / P were out of range. */
float range_root(uint bits) {
  float root = uintBitsToFloat((clamp(bits >> 23, 15u, 254u) + 114u) / 2u << 23);
  return bits >= 0x7f800000u ? uintBitsToFloat(0x7f800000u) : root;
}

/* What elements are multiplied by, 1 / root^2: a power of two as well. Of the root's bits. */
float scale_of(uint root) { return uintBitsToFloat((381u << 23) - 2u * root); }
vec4 scales_of(uvec4 root) { return uintBitsToFloat(uvec4(381u << 23) - 2u * root); }

/* Of the first line of entry z at a depth, of A and of B. */
uint range_a(uint z, uint depth) {
  uint entry = range_entries(KIND_A, stride_a) == 1u ? 0u : z;
  return (entry * RANGE_POWERS(KIND_A) + min(depth, RANGE_POWERS(KIND_A) - 1u)) * range_padded(m);
}
uint range_b(uint z, uint depth) {
  uint entry = range_entries(KIND_B, stride_b) == 1u ? 0u : z;
  return range_entries(KIND_A, stride_a) * RANGE_POWERS(KIND_A) * range_padded(m) +
         (entry * RANGE_POWERS(KIND_B) + min(depth, RANGE_POWERS(KIND_B) - 1u)) * range_padded(n);
}
