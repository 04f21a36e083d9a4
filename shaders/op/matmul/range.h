/* Scales of a GEMM operand split into two 16 bit parts: a power of two per row or column and scale block of
 * K. */
#ifndef GT_OP_RANGE_H
#define GT_OP_RANGE_H
/* How large the elements of a product's factors are, for those that become float16: of each line w of the
 * product (rows of A, columns of B) and each GT_RANGE_DEPTH neighbours along k, the root of a power of four
 * P; the largest absolute value, divided by P, lies in [2^13, 2^15). Infinity where an element is an infinity
 * or NaN. Of basis functions what they are at most is taken for the largest value; where they are bounded,
 * all of k has one P (range_basis.glsl). Kept as [batch][ceil(k / depth)][ceil(wide / pad) * pad], A's before
 * B's; one entry of the batch serves all where they share a dense factor. Of lines that are functions of an
 * input over some depth, which may be a hundred times as many as there are inputs, these are kept instead,
 * [depths][1 or, if the base has inputs of its own, 2][ceil(inputs / pad) * pad], the largest absolute value
 * of each: whoever needs a root makes it of that.
 *
 * Of a value that a product writes that product may have found the roots as a by-product (measures.glsl), for
 * each extent of its tiles in place of GT_RANGE_DEPTH: of a depth the largest one of two or four holds. And
 * of a value whose elements are 0 or at least a 2^12th of the largest, one root for all does: halves then
 * have the digits that they have with any other. */
#define GT_RANGE_DEPTH  128u
#define GT_RANGE_PAD    128u
#define GT_RANGE_LINES  32u  /* of a workgroup */
#define GT_RANGE_GROUP  256u /* its invocations */
#define GT_RANGE_PLACES 32u  /* neighbouring places of images in a block: patches_blocks.h */
/* The exponent of the root for elements of this one, as floats hold them: not so small that 1 / P were out of
 * range. */
#define GT_RANGE_LEAST      15u
#define GT_RANGE_ROOT(most) (((most) + 114u) / 2u)
#ifdef GL_core_profile
/* The bits of absolute values are in the order of the values, infinities and NaN above all others. */
uvec4 gt_magnitude(vec4 v) { return floatBitsToUint(v) & 0x7fffffffu; }
uint range_padded(uint wide) { return (wide + GT_RANGE_PAD - 1u) / GT_RANGE_PAD * GT_RANGE_PAD; }
/* The root of the power for lines whose largest element has these bits. */
float gt_range_root(uint bits) {
  float root = uintBitsToFloat(GT_RANGE_ROOT(clamp(bits >> 23, GT_RANGE_LEAST, 254u)) << 23);
  return bits >= 0x7f800000u ? uintBitsToFloat(0x7f800000u) : root;
}
#endif
#endif
