/* What layers over images have in common: values are [batch, spatial axes…, channels]. */
#ifndef GT_LAYER_SPATIAL_H
#define GT_LAYER_SPATIAL_H
#include "layer/layer.h"

enum { GT_SPATIAL_AXES = 3 };

/* True if input[0] has this many spatial axes (0: one to three); else reports an error. */
bool gt_spatial_check(gt_build *build, const gt_id *input, int axes);
/* One value for each of the axes: those of the list, its only one for all of them, or `fallback` where it is
 * empty; false (reported) if it has another length. */
bool gt_spatial_spread(gt_build *build, const char *key, gt_ints list, int axes, const int64_t *fallback,
                       int64_t out[GT_SPATIAL_AXES]);
#endif
