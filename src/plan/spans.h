/* gt_spans: which bytes of an arena are taken during which levels, so that the lowest place that is free
 * through a range of levels is found without looking at all that was laid out before. Owner: whoever calls
 * init. */
#ifndef GT_PLAN_SPANS_H
#define GT_PLAN_SPANS_H
#include <stddef.h>
#include <stdint.h>

typedef struct gt_spans {
  size_t leaves;
  struct gt_taken *whole, *within; /* per node of a tree over the levels */
} gt_spans;

void gt_spans_init(gt_spans *spans, uint32_t levels);
void gt_spans_finish(gt_spans *spans);
/* The lowest offset of `bytes` bytes, at `from` or behind it, that nothing takes from level `first` to level
 * `last`. */
uint64_t gt_spans_fit(const gt_spans *spans, uint32_t first, uint32_t last, uint64_t from, uint64_t bytes);
void gt_spans_take(gt_spans *spans, uint32_t first, uint32_t last, uint64_t offset, uint64_t bytes);
#endif
