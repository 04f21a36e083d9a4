/* Broadcasts one value per window of an image to all elements of the window (src/op/spread.c). It is
 * elementwise, so a consumer reads the small array of windows and the large one is never written. Images are
 * [batch, spatial…, channels]; the windows tile them. */
#ifndef GT_OP_SPREAD_H
#define GT_OP_SPREAD_H
#include "op/pool.h"

/* True if the windows of an image of that shape are supported: rows and columns only, several per line, and
 * no larger than a program can encode. */
bool gt_spreads(const gt_pool_attribute *attribute, gt_shape image);
/* y, of the image's shape: each element has the value of its window; x F32 [batch, windows…, channels]. */
gt_id gt_spread(gt_graph *graph, gt_id x, gt_shape image);
/* 1 for elements whose position in their window is the index of a gt_max_pool, in bytes; else 0. */
gt_id gt_spread_choice(gt_graph *graph, gt_id index, gt_shape image, const gt_pool_attribute *attribute);
#endif
