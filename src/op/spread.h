/* What has one value for each window of an image, as one for each of its elements (src/op/spread.c):
 * elementwise work, which reads what is as small as the windows are few, so that nobody has to write it.
 * Images are [batch, spatial…, channels]; windows lie side by side and fill them. */
#ifndef GT_OP_SPREAD_H
#define GT_OP_SPREAD_H
#include "op/pool.h"

/* True if the windows of an image of that shape are of this kind: rows and columns only, several in a row,
 * and no larger than a program can encode. */
bool gt_spreads(const gt_pool_attribute *attribute, gt_shape image);
/* y, of the image's shape, has x of the window that each element lies in; x F32 [batch, windows…, channels].
 */
gt_id gt_spread(gt_graph *graph, gt_id x, gt_shape image);
/* 1 where the index of a gt_max_pool, in bytes, names the place of the element in its window; else 0. */
gt_id gt_spread_choice(gt_graph *graph, gt_id index, gt_shape image, const gt_pool_attribute *attribute);
#endif
