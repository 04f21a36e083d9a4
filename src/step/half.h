/* 16-bit numbers without branches, so that loops over them vectorize: IEEE half precision (f16) and bfloat16
 * (bf16), rounded to nearest, ties to even. */
#ifndef GT_STEP_HALF_H
#define GT_STEP_HALF_H
#include "step/math.h"

GT_MATH float gt_from_f16(uint16_t h) {
  const uint32_t magnitude = h & 0x7fffu, sign = (uint32_t)(h & 0x8000u) << 16;
  /* 2^112 corrects the exponent bias (127 - 15), for subnormal numbers, too. */
  const float value = gt_from_bits(magnitude << 13) * 0x1p112f;
  return gt_from_bits(
      gt_bits(gt_pick(magnitude >= 0x7c00u, gt_from_bits(0x7f800000u | magnitude << 13), value)) | sign);
}

GT_MATH uint16_t gt_to_f16(float x) {
  const uint32_t bits = gt_bits(x), magnitude = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
  /* 0x38000000: the difference of the exponent biases (127 - 15); 0xfff and the lowest kept bit round to
   * even. */
  const uint32_t normal = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1)) >> 13;
  /* Adding 0.5 rounds to a multiple of 2^-24, the spacing of subnormal f16, and puts the result into the low
   * bits of the sum. */
  const uint32_t subnormal = gt_bits(gt_from_bits(magnitude) + 0.5f) - 0x3f000000u;
  const uint32_t special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
  const uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;    /* below 2^-14 */
  return (uint16_t)(sign | (magnitude >= 0x477ff000u ? special : finite)); /* from 65520 on: infinity */
}

GT_MATH float gt_from_bf16(uint16_t h) { return gt_from_bits((uint32_t)h << 16); }

GT_MATH uint16_t gt_to_bf16(float x) {
  const uint32_t bits = gt_bits(x);
  const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
}
#endif
