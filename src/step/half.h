/* 16-bit numbers without branches, so that loops over them vectorize: IEEE half precision (f16) and bfloat16
 * (bf16), rounded to nearest, ties to even. */
#ifndef GT_STEP_HALF_H
#define GT_STEP_HALF_H
#include "step/math.h"

GT_MATH float gt_from_f16(uint16_t h) {
  const uint32_t size = h & 0x7fffu, sign = (uint32_t)(h & 0x8000u) << 16;
  const float value = gt_from_bits(size << 13) * 0x1p112f; /* right for subnormal ones, too */
  return gt_from_bits(gt_bits(gt_pick(size >= 0x7c00u, gt_from_bits(0x7f800000u | size << 13), value)) |
                      sign);
}

GT_MATH uint16_t gt_to_f16(float x) {
  const uint32_t bits = gt_bits(x), size = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
  const uint32_t normal = (size - 0x38000000u + 0xfffu + (size >> 13 & 1)) >> 13;
  /* Adding 1/2 leaves the digits of a small number, rounded, at the end of the sum's. */
  const uint32_t subnormal = gt_bits(gt_from_bits(size) + 0.5f) - 0x3f000000u;
  const uint32_t special = size > 0x7f800000u ? 0x7e00u : 0x7c00u;
  const uint32_t finite = size < 0x38800000u ? subnormal : normal;
  return (uint16_t)(sign | (size >= 0x477ff000u ? special : finite));
}

GT_MATH float gt_from_bf16(uint16_t h) { return gt_from_bits((uint32_t)h << 16); }

GT_MATH uint16_t gt_to_bf16(float x) {
  const uint32_t bits = gt_bits(x);
  const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
}
#endif
