/* A batch of windows of a sequence of integers (src/op/window.h): here a window is `width` consecutive
 * integers, while `window` in op/batch_args.h is a ring buffer of batches. Bytes are read as packed words;
 * the buffer is padded to 4 bytes. */
#include "lib/args.h"
#include "op/batch_args.h"
#define GT_WINDOW_SPEC_ORDER  3 /* one of the orders in op/batch_args.h */
#define GT_WINDOW_SPEC_NARROW 4 /* 1: the integers are stored as bytes */
#define GT_WINDOW_SPEC_ROWS   5 /* rows per workgroup */
GT_ARGS(gt_window_args) {
  GT_WORDS data;
  GT_WORDS y; /* [batch, width] */
  GT_WORDS batch_clock, members;
  uint width, stride, begin; /* sample s is the `width` integers from s * stride + begin on */
  GT_BATCH_ORDER_ARGS
};
