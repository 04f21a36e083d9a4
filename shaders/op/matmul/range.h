/* Scales of a GEMM operand that is converted to float16 (one part, or two for a split product): a power of
 * two per row or column and scale block of K. */
#ifndef GT_OP_RANGE_H
#define GT_OP_RANGE_H
/* Here a line is a row of A or a column of B. K is divided into scale blocks of GT_RANGE_DEPTH elements,
 * called depths. For each line and depth a root r is stored, a power of two. Elements are divided by P = r^2,
 * so that the amax, the largest absolute value, lies in [2^13, 2^15). r is infinity if an element is an
 * infinity or NaN. The products of elements are multiplied by P of both lines at the end of the depth.
 *
 * Roots are stored as [batch][ceil(k / depth)][ceil(lines / pad) * pad], those of A before those of B; if all
 * batch entries share a dense operand, there is one entry.
 *
 * For basis functions an upper bound replaces the amax, and if all functions are bounded, all of K has one
 * root (range_basis.glsl). If the lines of A are functions, of which there may be a hundred times as many as
 * inputs, the amax of each input is stored instead, and the reader computes the roots: [depths][1, or 2 if
 * the base has inputs of its own][ceil(inputs / pad) * pad].
 *
 * The GEMM that computes an operand may also compute its roots (measures.glsl), for tiles of a half or a
 * quarter of GT_RANGE_DEPTH; the reader uses the largest root of a depth. If all elements of an operand are 0
 * or at least 2^-12 times its amax, one root for all is enough (an even operand): float16 parts then keep as
 * many digits as with separate roots. */
#define GT_RANGE_DEPTH  128u
#define GT_RANGE_PAD    128u
#define GT_RANGE_LINES  32u  /* lines per workgroup */
#define GT_RANGE_GROUP  256u /* invocations of that workgroup */
#define GT_RANGE_PLACES 32u  /* neighboring pixels in a block: patches_blocks.h */
/* The exponent of the root for an amax with exponent `most`, both as stored in floats. An exponent below
 * GT_RANGE_LEAST is replaced by it, so that 1 / P is in the range of floats. 114 = 127 - 13: the amax divided
 * by P is at least 2^13. */
#define GT_RANGE_LEAST      15u
#define GT_RANGE_ROOT(most) (((most) + 114u) / 2u)
#ifdef GL_core_profile
/* The bits of the absolute values. As integers they have the order of the values; infinities and NaN are
 * largest. */
uvec4 gt_magnitude(vec4 v) { return floatBitsToUint(v) & 0x7fffffffu; }
uint range_padded(uint wide) { return (wide + GT_RANGE_PAD - 1u) / GT_RANGE_PAD * GT_RANGE_PAD; }
/* The root for an amax with these bits. */
float gt_range_root(uint bits) {
  float root = uintBitsToFloat(GT_RANGE_ROOT(clamp(bits >> 23, GT_RANGE_LEAST, 254u)) << 23);
  return bits >= 0x7f800000u ? uintBitsToFloat(0x7f800000u) : root;
}
#endif
#endif
