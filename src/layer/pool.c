/* max_pool1d to 3d and avg_pool1d to 3d: the maximum or the mean of each window of each channel, as
 * torch.nn.MaxPool1d to 3d and AvgPool1d to 3d. */
#include "op/pool.h"
#include "layer/review.h"
#include "layer/sequence.h"
#include "layer/spatial.h"

typedef struct pool_config {
  gt_ints kernel_size, stride, padding, dilation;
  bool ceil_mode, count_include_pad;
  int64_t divisor_override;
} pool_config;

enum { MAX_SIZE = 1 << 24 };

#define WINDOW                                                                                           \
  GT_ROW(pool_config, kernel_size, GT_FIELD_INTS, .min = 1, .max = MAX_SIZE, .flags = GT_FIELD_REQUIRED, \
         .help = "size of the window: one number, or one per spatial axis"),                             \
      GT_ROW(pool_config, stride, GT_FIELD_INTS, .min = 1, .max = MAX_SIZE,                              \
             .help = "step between windows (default: kernel_size)"),                                     \
      GT_ROW(pool_config, padding, GT_FIELD_INTS, .fallback = "0", .min = 0, .max = MAX_SIZE,            \
             .help = "padding on both sides, at most half of kernel_size")
#define CEIL_MODE                                                    \
  GT_ROW(pool_config, ceil_mode, GT_FIELD_BOOL, .fallback = "false", \
         .help = "round the output size up instead of down")
#define INCLUDE_PAD                                                         \
  GT_ROW(pool_config, count_include_pad, GT_FIELD_BOOL, .fallback = "true", \
         .help = "include padding zeros in the mean")

static const gt_field max_fields[] = {
    WINDOW,
    GT_ROW(pool_config, dilation, GT_FIELD_INTS, .fallback = "1", .min = 1, .max = MAX_SIZE,
           .help = "spacing between the elements of a window"),
    CEIL_MODE,
    {.name = NULL},
};
static const gt_field avg_1d_fields[] = {WINDOW, CEIL_MODE, INCLUDE_PAD, {.name = NULL}};
static const gt_field avg_fields[] = {
    WINDOW,
    CEIL_MODE,
    INCLUDE_PAD,
    GT_ROW(pool_config, divisor_override, GT_FIELD_INT, .min = 1, .max = 1 << 30,
           .help = "divisor of the sums (default: the number of elements in the window)"),
    {.name = NULL},
};

static bool read_windows(gt_build *build, const pool_config *c, int axes, gt_pool_attribute *a) {
  static const int64_t none[] = {0, 0, 0}, one[] = {1, 1, 1};
  *a = (gt_pool_attribute){.axes = axes,
                           .ceil_mode = c->ceil_mode,
                           .count_include_pad = c->count_include_pad,
                           .divisor = (double)c->divisor_override};
  if (!gt_spatial_per_axis(build, "kernel_size", c->kernel_size, axes, one, a->window) ||
      !gt_spatial_per_axis(build, "stride", c->stride, axes, a->window, a->stride) ||
      !gt_spatial_per_axis(build, "padding", c->padding, axes, none, a->padding) ||
      !gt_spatial_per_axis(build, "dilation", c->dilation, axes, one, a->dilation))
    return false;
  for (int k = 0; k < axes; k++) {
    if (2 * a->padding[k] <= a->window[k]) continue;
    return gt_build_fail(build, "padding", "has a padding of %lld, more than half of its kernel_size of %lld",
                         (long long)a->padding[k], (long long)a->window[k]);
  }
  return true;
}

/* False after reporting that windows would hold padding. Windows along other axes keep the steps. */
static bool check_lengths(gt_build *build, const gt_id *input, const gt_pool_attribute *a, bool average) {
  if (a->window[0] == 1 && a->stride[0] == 1 && !a->padding[0]) {
    gt_build_set_lengths(build, 1, 0, 1, gt_node_at(build->graph, input[0])->shape.dim[1]);
    return true;
  }
  return gt_sequence_refuse_padding(
      build, input,
      average ? "`sequence_pool: mean`, the mean of the steps of each sample; to shorten a sequence, a "
                "convolution with a stride"
              : "`sequence_pool: max`, the maximum over the steps of each sample; to shorten a sequence, a "
                "convolution with a stride");
}

static gt_id build_pool(gt_build *build, const pool_config *c, const gt_id *input, int axes, bool average) {
  const gt_shape x = gt_node_at(build->graph, input[0])->shape;
  gt_pool_attribute a;
  if (!gt_spatial_check(build, input, axes) || !read_windows(build, c, axes, &a)) return GT_NONE;
  for (int k = 0; k < axes; k++) {
    if (gt_pool_windows(&a, k, x.dim[1 + k]) > 0) continue;
    return gt_build_error(
        build, "kernel_size",
        "has windows of %lld elements, but with padding there are %lld along axis %d of %s%s",
        (long long)((a.window[k] - 1) * a.dilation[k] + 1), (long long)(x.dim[1 + k] + 2 * a.padding[k]),
        1 + k, gt_build_input_text(build, input, 0), gt_channels_first_hint(x));
  }
  if (!check_lengths(build, input, &a, average)) return GT_NONE;
  return average ? gt_avg_pool(build->graph, input[0], &a)
                 : gt_max_pool(build->graph, input[0], &a, build->training);
}

#define POOL(op, axes, average, field_rows, text)                                                \
  static gt_id build_##op(gt_build *build, const void *config, const gt_id *input) {             \
    return build_pool(build, config, input, axes, average);                                      \
  }                                                                                              \
  GT_WITH_SCHEMA(layer, op, text, field_rows, "kernel_size", .config_size = sizeof(pool_config), \
                 .family = GT_LAYER_POOLING, .features = GT_FEATURES_KEPT, .ends_lengths = true, \
                 .build = build_##op)

GT_REGISTER(layer, max_pool1d)
POOL(max_pool1d, 1, false, max_fields, "max pooling over a sequence")
GT_REGISTER(layer, max_pool2d)
POOL(max_pool2d, 2, false, max_fields, "max pooling over an image")
GT_REGISTER(layer, max_pool3d)
POOL(max_pool3d, 3, false, max_fields, "max pooling over a volume")
GT_REGISTER(layer, avg_pool1d)
POOL(avg_pool1d, 1, true, avg_1d_fields, "average pooling over a sequence")
GT_REGISTER(layer, avg_pool2d)
POOL(avg_pool2d, 2, true, avg_fields, "average pooling over an image")
GT_REGISTER(layer, avg_pool3d)
POOL(avg_pool3d, 3, true, avg_fields, "average pooling over a volume")
