/* Pooling (src/op/pool.c): the maximum or the mean over each window, for each channel. Images are F32 [batch,
 * spatial…, channels] with one to three spatial axes; names, defaults and results are those of PyTorch. The
 * maximum of a window is the first of its largest values; NaN counts as larger than all. */
#ifndef GT_OP_POOL_H
#define GT_OP_POOL_H
#include "graph/graph.h"

enum { GT_POOL_AXES = 3 };
typedef struct gt_pool_attribute {
  int64_t axes; /* number of spatial axes, 1 to 3; the arrays have an entry for each */
  int64_t window[GT_POOL_AXES], stride[GT_POOL_AXES], padding[GT_POOL_AXES], dilation[GT_POOL_AXES];
  int64_t out[GT_POOL_AXES]; /* number of adaptive windows, if the stride is 0 */
  /* Windows may extend beyond the padded image if they begin before the end of the image. */
  int64_t ceil_mode;
  int64_t count_include_pad; /* a mean includes padding as zeros */
  double divisor;            /* the divisor of a mean; 0: the number of elements */
} gt_pool_attribute;

/* The number of windows along an axis of `size` elements; 0 if none fits. */
int64_t gt_pool_windows(const gt_pool_attribute *attribute, int axis, int64_t size);
/* Windows that divide each spatial axis of an image of this shape into out[axis] parts of nearly equal
 * size. */
gt_pool_attribute gt_pool_adaptive(gt_shape image, const int64_t *out);

/* If `differentiated`, the position of each maximum in its window is also stored, as a byte if possible: the
 * gradient then reads less memory than to find the maxima again, and neither the image nor the mask of a
 * preceding relu is stored. */
gt_id gt_max_pool(gt_graph *graph, gt_id x, const gt_pool_attribute *attribute, bool differentiated);
gt_id gt_avg_pool(gt_graph *graph, gt_id x, const gt_pool_attribute *attribute);
#endif
