/* Comparison functions for qsort. */
#ifndef GT_BASE_ORDER_H
#define GT_BASE_ORDER_H
#include <string.h>

/* Texts in the order of their bytes, or structs whose first member is a text. */
static inline int gt_order_texts(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

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
