/* Comparison functions for qsort. */
#ifndef GT_BASE_ORDER_H
#define GT_BASE_ORDER_H

/* Ascending numbers; NaNs must not occur. */
static inline int gt_order_floats(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}
static inline int gt_order_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
#endif
