/* logic_conv2d: kernels that are trees of gates, applied at every position of an image, with OR pooling
 * (op/logic/logic_conv.h); after Petersen et al., "Convolutional Differentiable Logic Gate Networks", NeurIPS
 * 2024. Inputs and outputs are [batch, height, width, channels]; inside, the batch is innermost, and the
 * permutes between two layers of gates cancel. A hard evaluation of bits computes on words of 32 samples, as
 * in layer logic. */
#include "layer/logic/logic_init.h"
#include "op/logic/logic_conv.h"
#include "base/count.h"
#include "base/memory.h"
#include "layer/circuit.h"
#include "layer/layer.h"
#include "layer/review.h"
#include "layer/logic/wiring.h"
#include "op/core.h"
#include "op/logic/logic.h"
#include "op/logic/logic_bits.h"
#include "op/logic/logic_conv_bits.h"
#include <stdlib.h>
#include <string.h>

enum { GATE_FUNCTIONS = 16, MAX_FIELD = 64, MAX_POOL = 8 };

typedef struct conv_config {
  int64_t channels, kernel, depth, stride, padding, pool, field_channels;
  const char *init;
} conv_config;

static const gt_field fields[] = {
    GT_ROW(conv_config, channels, GT_FIELD_INT, .min = 1, .max = 1 << 20, .flags = GT_FIELD_REQUIRED,
           .help = "number of output channels, each computed by a tree of gates"),
    GT_ROW(conv_config, kernel, GT_FIELD_INT, .fallback = "3", .min = 1, .max = MAX_FIELD,
           .help = "height and width of the receptive field"),
    GT_ROW(conv_config, depth, GT_FIELD_INT, .fallback = "3", .min = 1, .max = GT_LOGIC_CONV_DEPTH,
           .help = "levels of a tree, which has 2^depth inputs and 2^depth - 1 gates"),
    GT_ROW(conv_config, stride, GT_FIELD_INT, .fallback = "1", .min = 1, .max = MAX_FIELD,
           .help = "step between positions"),
    GT_ROW(conv_config, padding, GT_FIELD_INT, .fallback = "0", .min = 0, .max = MAX_FIELD,
           .help = "zeros added on each side; (kernel - 1) / 2 keeps height and width"),
    GT_ROW(conv_config, pool, GT_FIELD_INT, .fallback = "1", .min = 1, .max = MAX_POOL,
           .help = "height and width of the OR pooling (maximum); 1: no pooling"),
    GT_ROW(conv_config, field_channels, GT_FIELD_INT, .fallback = "2", .min = 1, .max = 1 << 20,
           .help = "number of input channels that a tree reads, at most"),
    GT_ROW(conv_config, init, GT_FIELD_CHOICE, .fallback = "residual", .choices = gt_logic_inits,
           .help = "initial logits, as in layer `logic`"),
    {.name = NULL},
};

/* --- wiring --------------------------------------------------------------------------------------------- */

typedef struct wiring_options { /* the possible inputs of a layer's leaves */
  gt_init_stream stream;
  int64_t kernels, leaves;     /* leaves: per kernel */
  int64_t channels;            /* input channels */
  int64_t channels_per_kernel; /* number of them that a kernel reads */
  int64_t area;                /* positions in a receptive field */
} wiring_options;

/* Channels are assigned to kernels from successive permutations of all channels, so that each channel is used
 * about equally often, and at least once. If a kernel already reads the channel, the next one that it does
 * not read is assigned instead. */
typedef struct channel_assigner {
  int32_t *order;       /* the current permutation */
  int32_t *last_kernel; /* per channel: the last kernel that reads it, counted from 1 */
  int64_t assigned;     /* number assigned from this permutation */
} channel_assigner;

static void assign_channels(const wiring_options *c, channel_assigner *d, int64_t kernel, uint32_t draw,
                            int32_t *channel) {
  for (int64_t i = 0; i < c->channels_per_kernel; i++) {
    if (d->assigned == c->channels)
      gt_wiring_permutation(&c->stream, draw, d->assigned, d->order), d->assigned = 0;
    channel[i] = d->order[d->assigned++];
    while (d->last_kernel[channel[i]] == kernel + 1) channel[i] = (channel[i] + 1) % (int32_t)c->channels;
    d->last_kernel[channel[i]] = (int32_t)kernel + 1;
  }
}

/* The leaves, in random order, are assigned the kernel's channels round-robin, and within a channel distinct
 * positions until all are used. */
static void choose_wiring(const wiring_options *c, int32_t *wiring) {
  int32_t *all =
      gt_alloc((size_t)(2 * c->channels + c->channels_per_kernel + c->leaves + c->area) * sizeof *all);
  channel_assigner d = {.order = all, .last_kernel = all + c->channels, .assigned = c->channels};
  int32_t *channel = d.last_kernel + c->channels, *leaf = channel + c->channels_per_kernel,
          *place = leaf + c->leaves;
  memset(d.last_kernel, 0, (size_t)c->channels * sizeof *d.last_kernel);
  for (int64_t kernel = 0; kernel < c->kernels; kernel++, wiring += c->leaves) {
    const uint32_t draw = (uint32_t)(kernel * (c->channels_per_kernel + 2));
    assign_channels(c, &d, kernel, draw, channel);
    gt_wiring_permutation(&c->stream, draw + 1, c->leaves, leaf);
    for (int64_t i = 0; i < c->channels_per_kernel; i++) {
      gt_wiring_permutation(&c->stream, draw + 2 + (uint32_t)i, c->area, place);
      for (int64_t l = i, n = 0; l < c->leaves; l += c->channels_per_kernel, n++)
        wiring[leaf[l]] = place[n % c->area] * (int32_t)c->channels + channel[i];
    }
  }
  free(all);
}

/* --- the layer ------------------------------------------------------------------------------------------ */

static bool check_image(gt_build *build, const conv_config *c, const gt_logic_conv_attribute *a,
                        const gt_id *input) {
  const gt_shape x = gt_node_at(build->graph, input[0])->shape;
  static const char *const axis[] = {"rows", "columns"};
  if (x.rank != 4)
    return gt_build_fail(build, NULL, "needs an image [height, width, channels]; its input is %s",
                         gt_build_input_text(build, input, 0));
  for (int d = 0; d < 2; d++) {
    const long long size = (long long)(x.dim[1 + d] + 2 * c->padding);
    if (gt_logic_conv_windows(a, x.dim[1 + d])) continue;
    const bool small = size < c->kernel;
    return gt_build_fail(
        build, small ? "kernel" : "pool",
        small ? "has a kernel of %lld, but with padding there are %lld %s in %s"
              : "has pooling windows of %lld, but its kernels have %lld positions along the %s of %s",
        (long long)(small ? c->kernel : c->pool),
        small ? size : (size - (long long)c->kernel) / (long long)c->stride + 1, axis[d],
        gt_build_input_text(build, input, 0));
  }
  return true;
}

/* Every channel must be read, like every value in layer logic. */
static bool check_readers(gt_build *build, const wiring_options *c, const gt_id *input) {
  if (c->kernels * c->channels_per_kernel >= c->channels) return true;
  return gt_build_fail(
      build, "channels",
      "has %lld kernels that read %lld channels each, which are too few to read all channels of %s",
      (long long)c->kernels, (long long)c->channels_per_kernel, gt_build_input_text(build, input, 0));
}

/* Checked before the wiring is drawn, which takes long for very many kernels. */
static bool check_output(gt_build *build, const gt_shape *output) {
  char text[128];
  if (gt_shape_count(*output) <= INT32_MAX) return true;
  return gt_build_fail(build, "channels", "would output %s, more than %d values",
                       gt_shape_text(*output, text), INT32_MAX);
}

static gt_id build_inverse(gt_build *build, const wiring_options *c, const int32_t *wiring) {
  const int64_t leaves = c->kernels * c->leaves, words = gt_logic_conv_inverse_count(c->channels, leaves);
  int32_t *lists = GT_NEW_N(build->arena, int32_t, words);
  gt_logic_conv_inverse(wiring, c->channels, leaves, lists);
  return gt_build_derived(build, "inverse", gt_shape_1(words), lists);
}

/* Builds the trees over x [B, height, width, channels]: [B, values]. */
static gt_id build_trees(gt_build *build, const gt_logic_conv_attribute *a, gt_id x, gt_id logits,
                         gt_id wiring, gt_id inverse) {
  gt_graph *graph = build->graph;
  const gt_shape s = gt_node_at(graph, x)->shape;
  gt_shape image = {.rank = 4, .dim = {s.dim[1], s.dim[2], s.dim[3], s.dim[0]}};
  const gt_id words = build->hard ? gt_logic_words_of(graph, x) : GT_NONE;
  if (words == GT_NONE) {
    const gt_id coefficients = gt_logic_coefficients(graph, logits, build->hard);
    const gt_id batch_last = gt_reshape(graph, gt_feature_major(graph, x), image);
    return gt_batch_major(graph, gt_logic_conv(graph, batch_last, coefficients, wiring, inverse, a));
  }
  image.dim[3] = gt_logic_words(s.dim[0]);
  const gt_id y =
      gt_logic_conv_bits(graph, gt_reshape(graph, words, image), gt_logic_codes(graph, logits), wiring, a);
  return gt_logic_unpack(graph, gt_reshape(graph, y, gt_shape_2(-1, image.dim[3])), s.dim[0],
                         GT_WORDS_BY_VALUE);
}

static gt_id build_conv(gt_build *build, const void *config, const gt_id *input) {
  const conv_config *c = config;
  const gt_logic_conv_attribute a = {.field = (uint32_t)c->kernel,
                                     .stride = (uint32_t)c->stride,
                                     .padding = (uint32_t)c->padding,
                                     .pool = (uint32_t)c->pool};
  gt_graph *graph = build->graph;
  if (!check_image(build, c, &a, input)) return GT_NONE;
  const gt_shape x = gt_node_at(graph, input[0])->shape;
  const wiring_options options = {
      .stream = gt_build_stream(build, "wiring"),
      .kernels = c->channels,
      .leaves = INT64_C(1) << c->depth,
      .channels = x.dim[3],
      .channels_per_kernel = gt_min_i64(c->field_channels, gt_min_i64(x.dim[3], INT64_C(1) << c->depth)),
      .area = c->kernel * c->kernel};
  const gt_shape output = {.rank = 4,
                           .dim = {x.dim[0], gt_logic_conv_windows(&a, x.dim[1]),
                                   gt_logic_conv_windows(&a, x.dim[2]), options.kernels}};
  if (options.area * options.channels > INT32_MAX) /* indices in the wiring are int32 */
    return gt_build_error(
        build, "kernel",
        "has %lld positions with %lld channels each; at most %d inputs in total are possible",
        (long long)options.area, (long long)options.channels, INT32_MAX);
  if (!check_readers(build, &options, input) || !check_output(build, &output)) return GT_NONE;
  const int64_t leaves = options.kernels * options.leaves;
  int32_t *chosen = GT_NEW_N(build->arena, int32_t, leaves), *limit = GT_NEW_N(build->arena, int32_t, leaves);
  for (int64_t i = 0; i < leaves; i++) limit[i] = (int32_t)(options.area * options.channels);
  choose_wiring(&options, chosen);
  const gt_id logits =
      gt_build_parameter(build, "logits", gt_shape_2(options.kernels * (options.leaves - 1), GATE_FUNCTIONS),
                         gt_logic_init(c->init));
  const gt_id wiring =
      gt_build_constant(build, "wiring", gt_shape_2(options.kernels, options.leaves), chosen, limit);
  const gt_id inverse = build->training ? build_inverse(build, &options, chosen) : GT_NONE;
  build->has_hard = true;
  gt_review_bits(build, input);
  const gt_id y = build_trees(build, &a, input[0], logits, wiring, inverse);
  return gt_reshape(graph, y, output);
}

static bool conv_circuit(gt_layer_circuit *circuit, const void *config) {
  const conv_config *c = config;
  const gt_shape x = circuit->input, y = circuit->output;
  const int64_t leaves = INT64_C(1) << c->depth;
  gt_circuit_convolution kernels = {.height = (uint32_t)x.dim[1],
                                    .width = (uint32_t)x.dim[2],
                                    .channels = (uint32_t)x.dim[3],
                                    .field = (uint32_t)c->kernel,
                                    .stride = (uint32_t)c->stride,
                                    .padding = (uint32_t)c->padding,
                                    .pool = (uint32_t)c->pool,
                                    .rows = (uint32_t)y.dim[1],
                                    .columns = (uint32_t)y.dim[2],
                                    .kernels = (uint32_t)y.dim[3],
                                    .depth = (uint32_t)c->depth};
  if (!gt_layer_circuit_start(circuit) ||
      !gt_layer_circuit_read_gates(circuit, y.dim[3] * (leaves - 1), y.dim[3], leaves, &kernels.op,
                                   &kernels.leaf))
    return false;
  uint32_t *values = gt_layer_circuit_alloc_values(circuit, (size_t)gt_shape_count(y));
  return gt_circuit_add_convolution(circuit->circuit, &kernels, circuit->source->items, values,
                                    circuit->error) ||
         gt_layer_circuit_fail(circuit, "has a wiring that does not match its input");
}

GT_DEFINE(layer, logic_conv2d) = {
    .name = "logic_conv2d",
    .help = "convolution of an image with trees of logic gates, with OR pooling",
    .schema = GT_SCHEMA("logic_conv2d", "convolution with trees of logic gates", fields, "channels"),
    .config_size = sizeof(conv_config),
    .family = GT_LAYER_GATES,
    .ends_lengths = true,
    .build = build_conv,
    .circuit = conv_circuit,
};
