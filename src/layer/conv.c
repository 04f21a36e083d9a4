/* conv1d to 3d and conv_transpose1d to 3d, as torch.nn.Conv1d to 3d and ConvTranspose1d to 3d, over values
 * [batch, spatial axes…, channels]. The weight is stored as in PyTorch, [out, in / groups, taps…] or,
 * transposed, [in, out / groups, taps…]; ops expect channels last. */
#include "op/conv/conv.h"
#include "base/count.h"
#include "layer/review.h"
#include "layer/sequence.h"
#include "layer/spatial.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/move.h"
#include <math.h>
#include <string.h>

typedef struct conv_config {
  int64_t out_channels, groups;
  gt_ints kernel_size, stride, dilation, output_padding;
  bool bias;
  const gt_spec *padding, *init, *bias_init;
} conv_config;

enum { MAX_SIZE = 1 << 24 };

#define WINDOW                                                                                               \
  GT_ROW(conv_config, out_channels, GT_FIELD_INT, .min = 1, .max = MAX_SIZE, .flags = GT_FIELD_REQUIRED,     \
         .help = "number of output channels"),                                                               \
      GT_ROW(conv_config, kernel_size, GT_FIELD_INTS, .min = 1, .max = MAX_SIZE, .flags = GT_FIELD_REQUIRED, \
             .help = "size of the window: one number, or one per spatial axis"),                             \
      GT_ROW(conv_config, stride, GT_FIELD_INTS, .fallback = "1", .min = 1, .max = GT_CONV_MAX_STRIDE,       \
             .help = "step between windows")
#define REST                                                                                        \
  GT_ROW(conv_config, dilation, GT_FIELD_INTS, .fallback = "1", .min = 1, .max = MAX_SIZE,          \
         .help = "spacing between the elements of a window"),                                       \
      GT_ROW(conv_config, groups, GT_FIELD_INT, .fallback = "1", .min = 1, .max = MAX_SIZE,         \
             .help = "number of blocked connections from input to output channels, as in PyTorch"), \
      GT_ROW(conv_config, bias, GT_FIELD_BOOL, .fallback = "true",                                  \
             .help = "add a learned bias to each channel"),                                         \
      GT_ROW(conv_config, init, GT_FIELD_NODE, .definition = "init",                                \
             .help = "initial weight (default: uniform in ±1/sqrt(fan_in), as in PyTorch)"),        \
      GT_ROW(conv_config, bias_init, GT_FIELD_NODE, .definition = "init",                           \
             .help = "initial bias (default: uniform in ±1/sqrt(fan_in))"),                         \
  {                                                                                                 \
    .name = NULL                                                                                    \
  }

static const gt_field fields[] = {
    WINDOW,
    GT_ROW(conv_config, padding, GT_FIELD_NODE, .definition = "plain",
           .help = "zeros added on both sides: one number, or one per spatial axis; valid: none; "
                   "same: keeps the size, an odd extra zero goes at the end (default: 0)"),
    REST,
};
static const gt_field transpose_fields[] = {
    WINDOW,
    GT_ROW(conv_config, padding, GT_FIELD_NODE, .definition = "plain",
           .help = "elements removed from both sides of the output: one number, or one per spatial "
                   "axis (default: 0)"),
    GT_ROW(conv_config, output_padding, GT_FIELD_INTS, .fallback = "0", .min = 0, .max = MAX_SIZE,
           .help = "elements added at the end of each spatial axis of the output"),
    REST,
};

/* --- windows -------------------------------------------------------------------------------------------- */

typedef struct window {
  int axes;
  int64_t kernel[GT_SPATIAL_AXES], stride[GT_SPATIAL_AXES], dilation[GT_SPATIAL_AXES];
  int64_t before[GT_SPATIAL_AXES], after[GT_SPATIAL_AXES];
} window;

/* Distance from a window's first element to its last. */
static int64_t reach(const window *w, int axis) { return w->dilation[axis] * (w->kernel[axis] - 1); }

static bool is_word(const gt_spec *padding, const char *word) {
  return padding && padding->kind == GT_SPEC_SCALAR && !strcmp(padding->scalar, word);
}

static bool pad_same(gt_build *build, window *w) {
  for (int k = 0; k < w->axes; k++) {
    if (w->stride[k] != 1)
      return gt_build_fail(build, "padding", "cannot be 'same' with a stride of %lld",
                           (long long)w->stride[k]);
    w->before[k] = reach(w, k) / 2;
    w->after[k] = reach(w, k) - w->before[k];
  }
  return true;
}

/* Reads the setting `padding`: numbers or, if `words`, also valid or same. */
static bool read_padding(gt_build *build, const gt_spec *padding, bool words, window *w) {
  static const int64_t none[GT_SPATIAL_AXES] = {0};
  int64_t number[GT_SPATIAL_AXES + 1];
  const bool list = padding && padding->kind == GT_SPEC_SEQUENCE;
  gt_ints numbers = {number, 0};
  if (words && is_word(padding, "same")) return pad_same(build, w);
  const int count = !padding || (words && is_word(padding, "valid")) ? 0 : list ? padding->count : 1;
  for (int k = 0; k < count && k <= GT_SPATIAL_AXES; k++) {
    if (!gt_spec_int(list ? padding->child[k] : padding, &number[k]) || number[k] < 0 ||
        number[k] > MAX_SIZE) {
      const bool causal = is_word(padding, "causal"); /* in Keras: pads before the first step alone */
      return gt_build_fail(build, "padding", "needs integers from 0 to %d%s in 'padding'%s", (int)MAX_SIZE,
                           words ? ", same or valid," : "",
                           causal ? "; for a causal one, write a layer 'pad' before it and no padding" : "");
    }
    numbers.count++;
  }
  if (list && !count) return gt_build_fail(build, "padding", "has an empty list in 'padding'");
  if (!gt_spatial_per_axis(build, "padding", numbers, w->axes, none, w->before)) return false;
  memcpy(w->after, w->before, sizeof w->after);
  return true;
}

static bool read_window(gt_build *build, const conv_config *c, int axes, bool transposed, window *w) {
  static const int64_t one[] = {1, 1, 1};
  *w = (window){.axes = axes};
  return gt_spatial_per_axis(build, "kernel_size", c->kernel_size, axes, one, w->kernel) &&
         gt_spatial_per_axis(build, "stride", c->stride, axes, one, w->stride) &&
         gt_spatial_per_axis(build, "dilation", c->dilation, axes, one, w->dilation) &&
         read_padding(build, c->padding, !transposed, w);
}

static gt_conv_attribute attribute_of(const window *w, int64_t groups) {
  gt_conv_attribute a = {.rank = (uint32_t)w->axes, .groups = (uint32_t)groups};
  for (int k = 0; k < w->axes; k++) {
    a.kernel[k] = (uint32_t)w->kernel[k], a.stride[k] = (uint32_t)w->stride[k];
    a.dilation[k] = (uint32_t)w->dilation[k], a.before[k] = (uint32_t)w->before[k];
  }
  return a;
}

/* --- layers --------------------------------------------------------------------------------------------- */

static bool check_groups(gt_build *build, const conv_config *c, const gt_id *input) {
  const gt_shape x = gt_node_at(build->graph, input[0])->shape;
  const long long groups = (long long)c->groups;
  if (c->out_channels % groups)
    return gt_build_fail(build, "groups", "cannot divide %lld output channels evenly into %lld groups",
                         (long long)c->out_channels, groups);
  return x.dim[x.rank - 1] % groups == 0 ||
         gt_build_fail(build, "groups", "cannot divide the channels of %s evenly into %lld groups",
                       gt_build_input_text(build, input, 0), groups);
}

/* Converts the stored [first, second, taps…] to [first, taps…, second], as ops expect it: a reshape if there
 * is only one tap or one channel. */
static gt_id read_weight(gt_build *build, const conv_config *c, const window *w, int64_t first,
                         int64_t second) {
  gt_shape stored = {.rank = w->axes + 2, .dim = {first, second}},
           channels_last = {.rank = w->axes + 2, .dim = {first}};
  int axes[GT_SPATIAL_AXES + 2] = {0};
  int64_t taps = 1;
  for (int k = 0; k < w->axes; k++) {
    stored.dim[2 + k] = channels_last.dim[1 + k] = w->kernel[k];
    axes[1 + k] = 2 + k;
    taps *= w->kernel[k];
  }
  channels_last.dim[1 + w->axes] = second;
  axes[1 + w->axes] = 1;
  const gt_init *init = c->init ? gt_init_read(build->arena, c->init, build->diagnostics)
                                : gt_init_linear_default(build->arena);
  const gt_id weight = gt_build_parameter(build, "weight", stored, init);
  return taps == 1 || second == 1 ? gt_reshape(build->graph, weight, channels_last)
                                  : gt_permute(build->graph, weight, axes);
}

/* fan_in as in torch.nn.init: the weight's size divided by its first axis. */
static gt_id add_bias(gt_build *build, const conv_config *c, gt_id y, double fan_in) {
  if (!c->bias) return y;
  const double bound = 1 / sqrt(fan_in);
  const gt_init *init = c->bias_init ? gt_init_read(build->arena, c->bias_init, build->diagnostics)
                                     : gt_init_uniform_between(build->arena, -bound, bound);
  return gt_add(build->graph, y, gt_build_parameter(build, "bias", gt_shape_1(c->out_channels), init));
}

/* Refuses more weights than a tensor may have, before their number overflows. */
static bool check_weight(gt_build *build, const window *w, int64_t first, int64_t second) {
  int64_t count = gt_times_at_most(first, second, INT32_MAX);
  for (int k = 0; k < w->axes; k++) count = gt_times_at_most(count, w->kernel[k], INT32_MAX);
  if (count < INT32_MAX) return true;
  return gt_build_fail(build, "kernel_size", "would have %d weights or more", INT32_MAX);
}

static double fan_in(const window *w, int64_t second) {
  double count = (double)second;
  for (int k = 0; k < w->axes; k++) count *= (double)w->kernel[k];
  return count;
}

/* Sets the lengths of the output, and returns the input, with zeros after the end of each sample if windows
 * within a sample read there: they then see what the padding of a full sample holds. */
static gt_id follow_lengths(gt_build *build, gt_id x, const window *w, int64_t out) {
  const int64_t stride = w->stride[0], padding = w->before[0] + w->after[0];
  gt_build_set_lengths(build, 1, padding - reach(w, 0) - 1 + stride, stride, out);
  return w->after[0] ? gt_sequence_mask(build->graph, x, gt_build_lengths(build, 0), 0) : x;
}

/* The same for a transposed convolution: outputs within a sample may overlap those of the steps after it. */
static gt_id follow_lengths_transposed(gt_build *build, gt_id x, const window *w, int64_t output_padding,
                                       int64_t out) {
  const int64_t stride = w->stride[0], more = reach(w, 0) + output_padding + 1 - stride;
  gt_build_set_lengths(build, stride, more - 2 * w->before[0], 1, out);
  return more > w->before[0] ? gt_sequence_mask(build->graph, x, gt_build_lengths(build, 0), 0) : x;
}

static gt_id build_conv(gt_build *build, const conv_config *c, const gt_id *input, int axes) {
  const gt_shape x = gt_node_at(build->graph, input[0])->shape;
  window w;
  if (!gt_spatial_check(build, input, axes) || !read_window(build, c, axes, false, &w) ||
      !check_groups(build, c, input))
    return GT_NONE;
  if (axes == 1 && w.after[0])
    gt_review_order(build, "padding",
                    gt_arena_printf(build->arena,
                                    "no padding, and before this layer: pad: {before: [%lld, 0], "
                                    "after: [0, 0]}",
                                    (long long)reach(&w, 0)));
  gt_conv_attribute a = attribute_of(&w, c->groups);
  for (int k = 0; k < axes; k++) {
    const int64_t size = x.dim[1 + k] + w.before[k] + w.after[k];
    if (size <= reach(&w, k))
      return gt_build_error(
          build, "kernel_size",
          "has windows of %lld elements, but with padding there are %lld along axis %d of %s%s",
          (long long)reach(&w, k) + 1, (long long)size, 1 + k, gt_build_input_text(build, input, 0),
          gt_channels_first_hint(x));
    a.in[k] = (uint32_t)x.dim[1 + k];
    a.out[k] = (uint32_t)((size - reach(&w, k) - 1) / w.stride[k] + 1);
  }
  const int64_t group_channels = x.dim[1 + axes] / c->groups;
  if (!check_weight(build, &w, c->out_channels, group_channels)) return GT_NONE;
  const gt_id weight = read_weight(build, c, &w, c->out_channels, group_channels);
  const gt_id y = gt_conv(build->graph, follow_lengths(build, input[0], &w, a.out[0]), weight, &a);
  if (build->recompute) gt_conv_recompute(build->graph, y);
  return add_bias(build, c, y, fan_in(&w, group_channels));
}

static gt_id build_transposed(gt_build *build, const conv_config *c, const gt_id *input, int axes) {
  static const int64_t none[] = {0, 0, 0};
  const gt_shape x = gt_node_at(build->graph, input[0])->shape;
  int64_t output_padding[GT_SPATIAL_AXES];
  window w;
  if (!gt_spatial_check(build, input, axes) || !read_window(build, c, axes, true, &w) ||
      !gt_spatial_per_axis(build, "output_padding", c->output_padding, axes, none, output_padding) ||
      !check_groups(build, c, input))
    return GT_NONE;
  gt_conv_attribute a = attribute_of(&w, c->groups);
  for (int k = 0; k < axes; k++) {
    if (output_padding[k] >= w.stride[k] && output_padding[k] >= w.dilation[k])
      return gt_build_error(
          build, "output_padding",
          "has an output padding of %lld, which must be less than its stride or its dilation",
          (long long)output_padding[k]);
    const int64_t out =
        (x.dim[1 + k] - 1) * w.stride[k] - 2 * w.before[k] + reach(&w, k) + output_padding[k] + 1;
    if (out < 1 || out > INT32_MAX)
      return gt_build_error(build, out < 1 ? "padding" : "kernel_size",
                            "would output %lld elements along axis %d of %s%s", (long long)out, 1 + k,
                            gt_build_input_text(build, input, 0), gt_channels_first_hint(x));
    /* The layer computes the input gradient of a convolution that would map its output to its input. */
    a.in[k] = (uint32_t)out;
    a.out[k] = (uint32_t)x.dim[1 + k];
  }
  const int64_t in = x.dim[1 + axes], group_channels = c->out_channels / c->groups;
  if (!check_weight(build, &w, in, group_channels)) return GT_NONE;
  const gt_id weight = read_weight(build, c, &w, in, group_channels);
  const gt_id padded = follow_lengths_transposed(build, input[0], &w, output_padding[0], a.in[0]);
  return add_bias(build, c, gt_conv_input(build->graph, padded, weight, &a), fan_in(&w, group_channels));
}

static const gt_slot_axes conv_axes[] = {{"weight", .output = 1, .input = 2}, {"bias", .output = 1}, {NULL}},
                          transposed_axes[] = {
                              {"weight", .output = 2, .input = 1}, {"bias", .output = 1}, {NULL}};

#define CONV(op, build_function, slot_axes, field_rows, rank, text)                            \
  static gt_id build_##op(gt_build *build, const void *config, const gt_id *input) {           \
    return build_function(build, config, input, rank);                                         \
  }                                                                                            \
  GT_WITH_SCHEMA(layer, op, text, field_rows, NULL, .config_size = sizeof(conv_config),        \
                 .family = GT_LAYER_CONVOLUTION, .axes = slot_axes, .refit = gt_refit_overlap, \
                 .build = build_##op)

GT_REGISTER(layer, conv1d)
CONV(conv1d, build_conv, conv_axes, fields, 1, "convolution over a sequence [length, channels]")
GT_REGISTER(layer, conv2d)
CONV(conv2d, build_conv, conv_axes, fields, 2, "convolution over an image [height, width, channels]")
GT_REGISTER(layer, conv3d)
CONV(conv3d, build_conv, conv_axes, fields, 3, "convolution over a volume [depth, height, width, channels]")
GT_REGISTER(layer, conv_transpose1d)
CONV(conv_transpose1d, build_transposed, transposed_axes, transpose_fields, 1,
     "transposed convolution over a sequence")
GT_REGISTER(layer, conv_transpose2d)
CONV(conv_transpose2d, build_transposed, transposed_axes, transpose_fields, 2,
     "transposed convolution over an image")
GT_REGISTER(layer, conv_transpose3d)
CONV(conv_transpose3d, build_transposed, transposed_axes, transpose_fields, 3,
     "transposed convolution over a volume")
