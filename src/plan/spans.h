/* gt_spans: the bytes of an arena that are in use in each level. It finds the lowest free offset in a range
 * of levels without a scan of all allocations. Owner: the caller of init. */
#ifndef GT_PLAN_SPANS_H
#define GT_PLAN_SPANS_H
#include <stddef.h>
#include <stdint.h>

typedef struct gt_spans {
  size_t leaves; /* levels, rounded up to a power of two */
  /* Per node of a binary tree over the levels, the bytes that are in use: in all levels of the node, and in
   * at least one of them. */
  struct gt_taken *whole, *within;
} gt_spans;

void gt_spans_init(gt_spans *spans, uint32_t levels);
void gt_spans_finish(gt_spans *spans);
/* The lowest offset, not below `from`, at which `bytes` bytes are free from level `first` to level `last`. */
uint64_t gt_spans_fit(const gt_spans *spans, uint32_t first, uint32_t last, uint64_t from, uint64_t bytes);
/* Marks these bytes as in use from level `first` to level `last`. */
void gt_spans_take(gt_spans *spans, uint32_t first, uint32_t last, uint64_t offset, uint64_t bytes);
#endif
