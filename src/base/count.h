/* Integer helpers: minimum, maximum, rounding division. The u32 versions avoid widening in loops over many
 * elements. */
#ifndef GT_BASE_COUNT_H
#define GT_BASE_COUNT_H
#include <stdint.h>

static inline int64_t gt_min_i64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t gt_max_i64(int64_t a, int64_t b) { return a > b ? a : b; }
static inline uint32_t gt_min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t gt_max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* n / 2 for 0 <= n, halves rounded to even as in Python and torchvision. */
static inline int64_t gt_half_to_even(int64_t n) { return n / 2 + (n % 4 == 3); }
/* a / b, rounded up; 0 < b. */
static inline int64_t gt_ceil_div(int64_t a, int64_t b) { return a / b + (a % b > 0); }
/* count * each, but no more than `most`; neither is negative, 0 < each. */
static inline int64_t gt_times_at_most(int64_t count, int64_t each, int64_t most) {
  return count > most / each ? most : count * each;
}
#endif
