/* Shared by layers over images: values are [batch, spatial axes…, channels]. */
#ifndef GT_LAYER_SPATIAL_H
#define GT_LAYER_SPATIAL_H
#include "layer/layer.h"

enum { GT_SPATIAL_AXES = 3 };

/* True if input[0] has this number of spatial axes (0: one to three); false after reporting. */
bool gt_spatial_check(gt_build *build, const gt_id *input, int axes);
/* Sets one value per axis: the values of the list, its only value for all axes, or `fallback` if it is empty.
 * False after reporting that it has another length. */
bool gt_spatial_per_axis(gt_build *build, const char *key, gt_ints list, int axes, const int64_t *fallback,
                         int64_t out[GT_SPATIAL_AXES]);
#endif
