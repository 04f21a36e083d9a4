/* kan_conv2d: a convolution that applies a KAN layer to each window: each tap of each channel of a window is
 * an input with its own functions (Bodner et al., "Convolutional Kolmogorov-Arnold Networks", 2024), over
 * values [batch, height, width, channels]. Windows are written to memory, one row per position; basis
 * functions are computed when the GEMM loads the windows, and are never stored. Padding adds zeros as inputs,
 * to which the functions are applied like to all others. Inputs are numbered tap by tap, row by row, channels
 * innermost. */
#include "layer/kan/kan_init.h"
#include "layer/kan/kan_layer.h"
#include "layer/spatial.h"
#include "op/core.h"
#include "op/move.h"

typedef struct conv_config {
  gt_kan_config kan;
  int64_t out_channels;
  gt_ints kernel_size, stride, padding, dilation;
} conv_config;

enum { AXES = 2, MAX_SIZE = 1 << 12, MAX_TAPS = 1024 };

static const gt_field fields[] = {
    GT_ROW(conv_config, out_channels, GT_FIELD_INT, .min = 1, .max = GT_KAN_MAX_UNITS,
           .help = "number of output channels", .flags = GT_FIELD_REQUIRED),
    GT_ROW(conv_config, kernel_size, GT_FIELD_INTS, .min = 1, .max = MAX_SIZE, .flags = GT_FIELD_REQUIRED,
           .help = "size of the window: one number, or one per spatial axis"),
    GT_ROW(conv_config, stride, GT_FIELD_INTS, .fallback = "1", .min = 1, .max = MAX_SIZE,
           .help = "step between windows"),
    GT_ROW(conv_config, padding, GT_FIELD_INTS, .fallback = "0", .min = 0, .max = MAX_SIZE,
           .help = "zeros added on both sides: one number, or one per spatial axis"),
    GT_ROW(conv_config, dilation, GT_FIELD_INTS, .fallback = "1", .min = 1, .max = MAX_SIZE,
           .help = "spacing between the elements of a window"),
    GT_KAN_ROWS,
    {.name = NULL},
};

typedef struct window { /* settings for both axes; out: number of windows along them */
  int64_t kernel[GT_SPATIAL_AXES], stride[GT_SPATIAL_AXES], padding[GT_SPATIAL_AXES],
      dilation[GT_SPATIAL_AXES];
  int64_t out[AXES];
} window;

static bool read_window(gt_build *build, const conv_config *c, const gt_id *input, window *w) {
  static const int64_t one[] = {1, 1, 1}, none[] = {0, 0, 0};
  const gt_shape x = gt_node_at(build->graph, input[0])->shape;
  if (!gt_spatial_per_axis(build, "kernel_size", c->kernel_size, AXES, one, w->kernel) ||
      !gt_spatial_per_axis(build, "stride", c->stride, AXES, one, w->stride) ||
      !gt_spatial_per_axis(build, "padding", c->padding, AXES, none, w->padding) ||
      !gt_spatial_per_axis(build, "dilation", c->dilation, AXES, one, w->dilation))
    return false;
  if (w->kernel[0] * w->kernel[1] > MAX_TAPS)
    return !gt_build_error(build, "kernel_size", "has windows of %lld elements; at most %d are possible",
                           (long long)(w->kernel[0] * w->kernel[1]), (int)MAX_TAPS);
  for (int k = 0; k < AXES; k++) {
    const int64_t size = x.dim[1 + k] + 2 * w->padding[k], reach = w->dilation[k] * (w->kernel[k] - 1) + 1;
    if (reach > size)
      return !gt_build_error(build, "kernel_size",
                             "has a window of %lld elements, but axis %d of %s has %lld with padding",
                             (long long)reach, 1 + k, gt_build_input_text(build, input, 0), (long long)size);
    w->out[k] = (size - reach) / w->stride[k] + 1;
  }
  return true;
}

/* The values at tap (row, column) of all windows: [batch, positions…, channels]. */
static gt_id tap_of(gt_graph *graph, gt_id padded, const window *w, int64_t row, int64_t column) {
  const gt_shape x = gt_node_at(graph, padded)->shape;
  const int64_t offset[AXES] = {row * w->dilation[0], column * w->dilation[1]};
  const int64_t start[4] = {0, offset[0], offset[1], 0}, step[4] = {1, w->stride[0], w->stride[1], 1};
  const int64_t stop[4] = {x.dim[0], offset[0] + (w->out[0] - 1) * w->stride[0] + 1,
                           offset[1] + (w->out[1] - 1) * w->stride[1] + 1, x.dim[3]};
  const gt_id values = gt_shrink(graph, padded, start, stop);
  return step[1] > 1 || step[2] > 1 ? gt_stride(graph, values, step) : values;
}

/* The values of all windows: [batch, positions…, taps * channels]. */
static gt_id unfold(gt_build *build, gt_id x, const window *w) {
  gt_graph *graph = build->graph;
  const int64_t margin[4] = {0, w->padding[0], w->padding[1], 0};
  const gt_id padded = margin[1] || margin[2] ? gt_pad(graph, x, margin, margin, 0) : x;
  gt_id *tap = GT_NEW_N(build->arena, gt_id, w->kernel[0] * w->kernel[1]);
  int taps = 0;
  for (int64_t r = 0; r < w->kernel[0]; r++)
    for (int64_t c = 0; c < w->kernel[1]; c++) tap[taps++] = tap_of(graph, padded, w, r, c);
  return taps > 1 ? gt_concatenate(graph, tap, taps, 3) : tap[0];
}

static gt_id build_conv(gt_build *build, const void *config, const gt_id *input) {
  const conv_config *c = config;
  gt_kan_config *kan = GT_NEW(build->arena, gt_kan_config);
  gt_kan_choice choice;
  window w;
  *kan = c->kan;
  kan->units = c->out_channels;
  if (!gt_spatial_check(build, input, AXES) || !read_window(build, c, input, &w) ||
      !gt_kan_read(build, kan, &choice))
    return GT_NONE;
  return gt_kan_apply(build, &choice, unfold(build, input[0], &w));
}

GT_DEFINE(layer, kan_conv2d) = {
    .name = "kan_conv2d",
    .help = "convolution with Kolmogorov-Arnold functions over an image [height, width, channels]",
    .schema = GT_SCHEMA("kan_conv2d", "convolution with Kolmogorov-Arnold functions", fields),
    .config_size = sizeof(conv_config),
    .family = GT_LAYER_KAN,
    .ends_lengths = true,
    .refit = gt_kan_refit,
    .describe_refit = gt_kan_describe_refit,
    .build = build_conv};
