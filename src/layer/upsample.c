/* upsample: resizes images, as torch.nn.Upsample. */
#include "op/upsample.h"
#include "layer/spatial.h"
#include <math.h>
#include <string.h>

typedef struct upsample_config {
  gt_ints size;
  gt_floats scale_factor;
  const char *mode;
  bool align_corners;
} upsample_config;

/* The linear modes are indexed by their number of axes. */
static const char *const modes[] = {"nearest", "linear", "bilinear", "trilinear", NULL};

static const gt_field fields[] = {
    GT_ROW(upsample_config, scale_factor, GT_FIELD_FLOATS, .min = 0, .max = 1 << 24,
           .flags = GT_FIELD_OPEN_MIN, .help = "factor on the size: one number, or one per spatial axis"),
    GT_ROW(upsample_config, size, GT_FIELD_INTS, .min = 1, .max = 1 << 24,
           .help = "output size along each spatial axis, instead of scale_factor"),
    GT_ROW(upsample_config, mode, GT_FIELD_CHOICE, .fallback = "nearest", .choices = modes,
           .help = "nearest, or linear interpolation along one, two or three axes"),
    GT_ROW(upsample_config, align_corners, GT_FIELD_BOOL, .fallback = "false",
           .help = "for interpolation: align the corner pixels of input and output, as in PyTorch"),
    {.name = NULL},
};

/* Sets the factor and the output size of each axis; the list has one number, or one per axis. */
static bool read_factors(gt_build *build, gt_floats list, gt_upsample_attribute *a, gt_shape x) {
  if (list.count > 1 && list.count != a->axes)
    return gt_build_fail(build, "scale_factor",
                         "needs %d values in 'scale_factor', one for each spatial axis, or a single "
                         "one, not %d",
                         (int)a->axes, list.count);
  for (int k = 0; k < a->axes; k++) {
    a->factor[k] = list.items[list.count > 1 ? k : 0];
    const double size = floor((double)x.dim[1 + k] * a->factor[k]);
    if (size < 1 || size > INT32_MAX)
      return gt_build_fail(build, "scale_factor", "cannot resize axis %d from length %lld to %.0f", 1 + k,
                           (long long)x.dim[1 + k], size);
    a->out[k] = (int64_t)size;
  }
  return true;
}

static bool check_mode(gt_build *build, const upsample_config *c, int axes, const gt_id *input) {
  const bool linear = strcmp(c->mode, modes[0]) != 0;
  if (linear && strcmp(c->mode, modes[axes]))
    return gt_build_fail(build, "mode", "cannot use mode '%s' with %d spatial axes: mode '%s' is for %s",
                         c->mode, axes, modes[axes], gt_build_input_text(build, input, 0));
  if (linear || !c->align_corners) return true;
  return gt_build_fail(build, "align_corners", "has no corners to align with mode 'nearest'");
}

static gt_id build_upsample(gt_build *build, const void *config, const gt_id *input) {
  const upsample_config *c = config;
  const gt_shape x = gt_node_at(build->graph, input[0])->shape;
  gt_upsample_attribute a = {
      .axes = x.rank - 2, .linear = strcmp(c->mode, modes[0]) != 0, .align_corners = c->align_corners};
  if (!gt_spatial_check(build, input, 0) || !check_mode(build, c, (int)a.axes, input)) return GT_NONE;
  if (!c->size.count == !c->scale_factor.count)
    return gt_build_error(build, c->size.count ? "size" : NULL, "needs either 'scale_factor' or 'size'");
  const bool ok = c->size.count ? gt_spatial_per_axis(build, "size", c->size, (int)a.axes, NULL, a.out)
                                : read_factors(build, c->scale_factor, &a, x);
  return ok ? gt_upsample(build->graph, input[0], &a) : GT_NONE;
}

GT_DEFINE(layer, upsample) = {
    .name = "upsample",
    .help = "resize by nearest or linear interpolation",
    .schema = GT_SCHEMA("upsample", "resize sequences, images or volumes", fields, "scale_factor"),
    .config_size = sizeof(upsample_config),
    .family = GT_LAYER_SHAPE,
    .build = build_upsample};
