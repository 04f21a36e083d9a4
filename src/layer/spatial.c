#include "layer/spatial.h"
#include "layer/review.h"

bool gt_spatial_check(gt_build *build, const gt_id *input, int axes) {
  static const char *const what[] = {
      "one to three spatial axes and channels, as in [height, width, channels]", "[length, channels]",
      "[height, width, channels]", "[depth, height, width, channels]"};
  const int rank = gt_node_at(build->graph, input[0])->shape.rank;
  if (axes ? rank == axes + 2 : rank >= 3 && rank <= GT_SPATIAL_AXES + 2) {
    gt_review_picture(build, input);
    return true;
  }
  return gt_build_fail(build, NULL, "needs samples of %s; its input is %s", what[axes],
                       gt_build_input_text(build, input, 0));
}

bool gt_spatial_per_axis(gt_build *build, const char *key, gt_ints list, int axes, const int64_t *fallback,
                         int64_t out[GT_SPATIAL_AXES]) {
  if (list.count > 1 && list.count != axes)
    return gt_build_fail(build, key,
                         "needs %d values in '%s', one for each spatial axis, or a single one, not %d", axes,
                         key, list.count);
  for (int k = 0; k < axes; k++) out[k] = list.count ? list.items[list.count > 1 ? k : 0] : fallback[k];
  return true;
}
