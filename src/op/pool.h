/* Pooling (src/op/pool.c): the maximum or the mean of each window, of each channel. Images are F32 [batch,
 * spatial…, channels] with one to three spatial axes; names, defaults and results are PyTorch's. A window has
 * its largest value for its first one; NaN is larger than all. */
#ifndef GT_OP_POOL_H
#define GT_OP_POOL_H
#include "graph/graph.h"

enum { GT_POOL_AXES = 3 };
typedef struct gt_pool_attribute {
  int64_t axes; /* spatial ones, 1 to 3; of each: */
  int64_t window[GT_POOL_AXES], stride[GT_POOL_AXES], padding[GT_POOL_AXES], dilation[GT_POOL_AXES];
  int64_t out[GT_POOL_AXES]; /* of a stride of 0: how many windows, which then adapt to the axis */
  int64_t ceil_mode;         /* windows may go over the end, if they begin before it */
  int64_t count_include_pad; /* padding counts as zeros of a mean */
  double divisor;            /* of a mean, instead of the number of elements; 0: that */
} gt_pool_attribute;

/* How many windows an axis of `size` elements has; 0: none fits. */
int64_t gt_pool_windows(const gt_pool_attribute *attribute, int axis, int64_t size);
/* Windows that divide each axis of an image of that shape into out[axis] parts, as equal as may be. */
gt_pool_attribute gt_pool_adaptive(gt_shape image, const int64_t *out);

/* With a gradient in mind, the place of each maximum is kept in a byte where that is enough: that moves less
 * than what looking for it again would, and the image itself need not be kept, nor where a rectifier made it
 * zero. */
gt_id gt_max_pool(gt_graph *graph, gt_id x, const gt_pool_attribute *attribute, bool differentiated);
gt_id gt_avg_pool(gt_graph *graph, gt_id x, const gt_pool_attribute *attribute);
#endif
