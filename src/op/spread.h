/* Broadcasts one value per window of an image to all elements of the window (src/op/spread.c). The op is
 * elementwise, so that a consumer reads the small array of windows and the large array is never written.
 * Images are [batch, spatial…, channels]; the windows tile them. */
#ifndef GT_OP_SPREAD_H
#define GT_OP_SPREAD_H
#include "op/pool.h"

/* True if gt_spread supports these windows: they tile the image, extend along the last two spatial axes only,
 * there are several along the last axis, and their size can be encoded in a program (GT_LOAD_OF). */
bool gt_can_spread(const gt_pool_attribute *attribute, gt_shape image);
/* y, of the image's shape: each element has the value of its window; x F32 [batch, windows…, channels]. */
gt_id gt_spread(gt_graph *graph, gt_id x, gt_shape image);
/* F32, of the image's shape: 1 where an element is the maximum of its window, else 0. index: the positions of
 * the maxima that gt_max_pool stored as bytes. */
gt_id gt_spread_choice(gt_graph *graph, gt_id index, gt_shape image, const gt_pool_attribute *attribute);
#endif
