/* The convolution and its two gradients as implicit GEMMs: one operand is im2col, computed on load
 * (op/matmul/patches.h); groups are the batch of the GEMM, and their channels are interleaved in images. A
 * 1x1 convolution, or one whose window covers the whole image, is a plain GEMM. */
#include "op/conv/conv.h"
#include "base/count.h"
#include "op/check.h"
#include "op/conv/depthwise.h"
#include "op/core.h"
#include "op/matmul/matmul.h"
#include "op/matmul/patches.h"
#include "op/matmul/product.h"
#include "op/move.h"
#include "op/op.h"
#include <stdlib.h>

enum { OP_CONV, OP_INPUT, OP_WEIGHT, OPS };
enum {
  MAX_EXTENT = 1 << 28, /* of an axis, a window and its padding, so that their sums fit 32 bits */
  MAX_LENGTH = 1 << 24, /* values of a window over all channels */
  MAX_PHASES = 27       /* maximum number of GEMMs in lower_phases: strides of 3 along 3 axes */
};
static const gt_op ops[OPS];

GT_DEFINE(op, conv) = {ops, OPS};

/* --- shapes --------------------------------------------------------------------------------------------- */

static int64_t tap_count(const gt_conv_attribute *a) {
  int64_t count = 1;
  for (uint32_t d = 0; d < a->rank; d++) count *= a->kernel[d];
  return count;
}

static gt_shape image_shape(int64_t batch, uint32_t rank, const uint32_t *extent, int64_t channels) {
  gt_shape shape = {.rank = (int)rank + 2, .dim = {batch}};
  for (uint32_t d = 0; d < rank; d++) shape.dim[1 + d] = extent[d];
  shape.dim[1 + rank] = channels;
  return shape;
}

/* The shape of w, as gt_conv and the other builders take it. OP_INPUT nodes read it transposed. */
static gt_shape weights_shape(const gt_conv_attribute *a, int64_t in, int64_t out) {
  return image_shape(out, a->rank, a->kernel, in / a->groups);
}

/* The shape of an OP_WEIGHT node: that of the GEMM's result, which an epilogue requires. gt_conv_weight
 * reshapes it to the shape of w. */
static gt_shape matrix_shape(const gt_conv_attribute *a, int64_t in, int64_t out) {
  return gt_shape_2(out, tap_count(a) * (in / a->groups));
}

/* The shape of w as the input of an OP_INPUT node: [groups, taps * out per group, in per group]. */
static gt_shape transposed_shape(const gt_conv_attribute *a, int64_t in, int64_t out) {
  return (gt_shape){.rank = 3, .dim = {a->groups, tap_count(a) * (out / a->groups), in / a->groups}};
}

static bool is_image(gt_shape x, uint32_t rank, const uint32_t *extent, uint32_t groups) {
  return x.rank == (int)rank + 2 && x.dim[x.rank - 1] % groups == 0 &&
         gt_shape_equal(x, image_shape(x.dim[0], rank, extent, x.dim[x.rank - 1]));
}

static bool is_valid(const gt_conv_attribute *a) {
  if (a->rank < 1 || a->rank > GT_CONV_AXES || !a->groups) return false;
  for (uint32_t d = 0; d < a->rank; d++) {
    const uint64_t window = (uint64_t)(a->kernel[d] - 1) * a->dilation[d];
    if (!a->kernel[d] || !a->dilation[d] || !a->stride[d] || a->stride[d] > GT_CONV_MAX_STRIDE || !a->in[d] ||
        !a->out[d] || window >= MAX_EXTENT || a->before[d] >= MAX_EXTENT || a->in[d] >= MAX_EXTENT ||
        (uint64_t)a->out[d] * a->stride[d] >= MAX_EXTENT)
      return false;
  }
  return true;
}

static bool refuse(const gt_graph *graph, const gt_node *node, gt_error *error) {
  char x[128], y[128];
  return gt_fail(error, GT_ERR_CONFIG, "%s: %s and %s do not match the window", node->op->name,
                 gt_shape_text(gt_node_at(graph, node->input[0])->shape, x),
                 gt_shape_text(gt_node_at(graph, node->input[1])->shape, y));
}

/* The sizes of a node, for all three ops. */
typedef struct extents {
  const gt_conv_attribute *a;
  int64_t batch, in, out; /* in, out: channels */
} extents;

static bool extents_of(const gt_graph *graph, const gt_node *node, extents *e) {
  const gt_conv_attribute *a = e->a = node->attribute;
  const gt_shape left = gt_node_at(graph, node->input[0])->shape,
                 right = gt_node_at(graph, node->input[1])->shape;
  if (!is_valid(a)) return false;
  if (!(node->op == &ops[OP_CONV] ? is_image(left, a->rank, a->in, a->groups)
                                  : is_image(left, a->rank, a->out, a->groups)))
    return false;
  e->batch = left.dim[0];
  const int64_t channels = left.dim[left.rank - 1];
  if (node->op == &ops[OP_CONV]) {
    e->in = channels, e->out = right.dim[0];
    return e->out > 0 && e->out % a->groups == 0 && gt_shape_equal(right, weights_shape(a, e->in, e->out));
  }
  e->out = channels;
  if (node->op == &ops[OP_INPUT]) {
    e->in = right.rank == 3 ? right.dim[2] * a->groups : 0;
    return e->in > 0 && gt_shape_equal(right, transposed_shape(a, e->in, e->out));
  }
  e->in = right.dim[right.rank - 1];
  return is_image(right, a->rank, a->in, a->groups) && right.dim[0] == e->batch;
}

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  extents e;
  const char *name = node->op->name;
  for (int i = 0; i < 2; i++)
    if (!gt_check_f32(name, gt_node_at(graph, node->input[i]), error)) return false;
  if (!extents_of(graph, node, &e)) return refuse(graph, node, error);
  if (tap_count(e.a) > MAX_LENGTH / gt_max_i64(e.in, e.out))
    return gt_fail(error, GT_ERR_CONFIG, "%s: a window over all channels has more than %d values", name,
                   (int)MAX_LENGTH);
  const gt_shape x = image_shape(e.batch, e.a->rank, e.a->in, e.in),
                 y = image_shape(e.batch, e.a->rank, e.a->out, e.out);
  *shape = node->op == &ops[OP_CONV] ? y : node->op == &ops[OP_INPUT] ? x : matrix_shape(e.a, e.in, e.out);
  *dtype = GT_F32;
  return gt_check_size(name, x, error) && gt_check_size(name, y, error) && gt_check_size(name, *shape, error);
}

/* --- builders and gradients ----------------------------------------------------------------------------- */

/* True if each position reads one element and each element is read once (a 1x1 convolution), or one position
 * reads the whole image: images are then matrices with rows of *row values, and no im2col is needed. */
static bool is_plain(const gt_conv_attribute *a, int64_t channels, int64_t *row) {
  bool is_pointwise = a->groups == 1, covers_image = a->groups == 1;
  *row = channels;
  for (uint32_t d = 0; d < a->rank; d++) {
    is_pointwise &= a->kernel[d] == 1 && a->stride[d] == 1 && !a->before[d] && a->in[d] == a->out[d];
    covers_image &= a->kernel[d] == a->in[d] && a->out[d] == 1 && !a->before[d] && a->dilation[d] == 1;
  }
  if (covers_image)
    for (uint32_t d = 0; d < a->rank; d++) *row *= a->in[d];
  return is_pointwise || covers_image;
}

static gt_id add_node(gt_graph *graph, int op_index, gt_id left, gt_id right, const gt_conv_attribute *a) {
  const gt_id input[2] = {left, right};
  gt_conv_attribute clean = {.rank = a->rank, .groups = a->groups};
  for (uint32_t d = 0; d < a->rank && d < GT_CONV_AXES; d++) {
    clean.kernel[d] = a->kernel[d], clean.stride[d] = a->stride[d], clean.dilation[d] = a->dilation[d];
    clean.before[d] = a->before[d], clean.in[d] = a->in[d], clean.out[d] = a->out[d];
  }
  return gt_node_add(graph, &ops[op_index], input, 2, &clean, sizeof clean);
}

static int64_t channels_of(const gt_graph *graph, gt_id x) {
  const gt_shape shape = gt_node_at(graph, x)->shape;
  return shape.dim[shape.rank - 1];
}

gt_id gt_conv(gt_graph *graph, gt_id x, gt_id w, const gt_conv_attribute *a) {
  if (x == GT_NONE || w == GT_NONE) return GT_NONE;
  const gt_shape s = gt_node_at(graph, x)->shape, v = gt_node_at(graph, w)->shape;
  int64_t row;
  if (!is_image(s, a->rank, a->in, a->groups) || !is_plain(a, channels_of(graph, x), &row) ||
      !gt_shape_equal(v, weights_shape(a, channels_of(graph, x), v.dim[0])))
    return add_node(graph, OP_CONV, x, w, a);
  const gt_id y = gt_matmul(graph, gt_reshape(graph, x, gt_shape_2(-1, row)),
                            gt_reshape(graph, w, gt_shape_2(-1, row)), false, true);
  return gt_reshape(graph, y, image_shape(s.dim[0], a->rank, a->out, v.dim[0]));
}

/* Exchanges the middle axes of [groups, first, second, in]. */
static gt_id swap_middle_axes(gt_graph *graph, gt_id w, int64_t groups, int64_t first, int64_t second,
                              int64_t in) {
  static const int axes[] = {0, 2, 1, 3};
  const gt_id split = gt_reshape(graph, w, (gt_shape){.rank = 4, .dim = {groups, first, second, in}});
  return first == 1 || second == 1 ? split : gt_permute(graph, split, axes);
}

/* The product of the strides, or MAX_PHASES + 1 if it is more than MAX_PHASES. */
static uint32_t phase_count(const gt_conv_attribute *a) {
  uint32_t count = 1;
  for (uint32_t d = 0; d < a->rank; d++) count = gt_min_u32(count * a->stride[d], MAX_PHASES + 1);
  return count;
}

/* True if windows do not overlap and cover the whole image. */
static bool is_tiled(const gt_conv_attribute *a) {
  bool tiled = a->groups == 1;
  for (uint32_t d = 0; d < a->rank; d++)
    tiled &= a->stride[d] == a->kernel[d] && a->dilation[d] == 1 && !a->before[d] &&
             a->in[d] == (uint64_t)a->out[d] * a->stride[d];
  return tiled;
}

/* For tiled windows: the gradient of the input is one GEMM for all windows, [batch, positions…, taps…, in]; a
 * permute then makes the positions and taps of each axis adjacent. */
static gt_id tile_input(gt_graph *graph, gt_id g, gt_id w, const gt_conv_attribute *a, int64_t in) {
  const gt_shape s = gt_node_at(graph, g)->shape;
  const int rank = (int)a->rank;
  const int64_t out = s.dim[s.rank - 1];
  const gt_id windows = gt_matmul(graph, gt_reshape(graph, g, gt_shape_2(-1, out)),
                                  gt_reshape(graph, w, gt_shape_2(out, -1)), false, false);
  gt_shape split = {.rank = 2 * rank + 2, .dim = {s.dim[0]}};
  int axes[GT_MAX_RANK] = {0};
  for (int d = 0; d < rank; d++) {
    split.dim[1 + d] = a->out[d];
    split.dim[1 + rank + d] = a->kernel[d];
    axes[1 + 2 * d] = 1 + d;
    axes[2 + 2 * d] = 1 + rank + d;
  }
  split.dim[1 + 2 * rank] = in;
  axes[1 + 2 * rank] = 1 + 2 * rank;
  const gt_id adjacent = gt_permute(graph, gt_reshape(graph, windows, split), axes);
  return gt_reshape(graph, adjacent, image_shape(s.dim[0], a->rank, a->in, in));
}

gt_id gt_conv_input(gt_graph *graph, gt_id g, gt_id w, const gt_conv_attribute *a) {
  if (g == GT_NONE || w == GT_NONE) return GT_NONE;
  const gt_shape s = gt_node_at(graph, g)->shape;
  const int64_t out = channels_of(graph, g), in = channels_of(graph, w) * a->groups;
  int64_t row;
  if (is_image(s, a->rank, a->out, a->groups) && is_plain(a, in, &row)) {
    const gt_id x = gt_matmul(graph, gt_reshape(graph, g, gt_shape_2(-1, out)),
                              gt_reshape(graph, w, gt_shape_2(out, row)), false, false);
    return gt_reshape(graph, x, image_shape(s.dim[0], a->rank, a->in, in));
  }
  if (is_image(s, a->rank, a->out, a->groups) && phase_count(a) > MAX_PHASES && is_tiled(a))
    return tile_input(graph, g, w, a, in);
  const gt_id split = swap_middle_axes(graph, w, a->groups, out / a->groups, tap_count(a), in / a->groups);
  return add_node(graph, OP_INPUT, g, gt_reshape(graph, split, transposed_shape(a, in, out)), a);
}

gt_id gt_conv_weight(gt_graph *graph, gt_id g, gt_id x, const gt_conv_attribute *a) {
  const gt_id w = add_node(graph, OP_WEIGHT, g, x, a);
  if (w == GT_NONE) return GT_NONE;
  return gt_reshape(graph, w, weights_shape(a, channels_of(graph, x), channels_of(graph, g)));
}

static void gradient_conv(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                          gt_id *input_gradient) {
  const gt_node n = *gt_node_at(graph, node);
  if (wanted[0]) input_gradient[0] = gt_conv_input(graph, output_gradient[0], n.input[1], n.attribute);
  if (wanted[1]) input_gradient[1] = gt_conv_weight(graph, output_gradient[0], n.input[0], n.attribute);
}

static void gradient_input(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                           gt_id *input_gradient) {
  const gt_node n = *gt_node_at(graph, node);
  const gt_conv_attribute *a = n.attribute;
  const int64_t in = channels_of(graph, node), out = channels_of(graph, n.input[0]);
  const int64_t groups = a->groups, group_in = in / groups, group_out = out / groups;
  if (wanted[0]) {
    const gt_id w = swap_middle_axes(graph, n.input[1], groups, tap_count(a), group_out, group_in);
    input_gradient[0] =
        gt_conv(graph, output_gradient[0], gt_reshape(graph, w, weights_shape(a, in, out)), a);
  }
  if (wanted[1]) {
    const gt_id w = gt_conv_weight(graph, n.input[0], output_gradient[0], a);
    input_gradient[1] =
        gt_reshape(graph, swap_middle_axes(graph, w, groups, group_out, tap_count(a), group_in),
                   transposed_shape(a, in, out));
  }
}

static void gradient_weight(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                            gt_id *input_gradient) {
  const gt_node n = *gt_node_at(graph, node);
  const gt_id w =
      gt_reshape(graph, output_gradient[0],
                 weights_shape(n.attribute, channels_of(graph, n.input[1]), channels_of(graph, n.input[0])));
  if (wanted[0]) input_gradient[0] = gt_conv(graph, n.input[1], w, n.attribute);
  if (wanted[1]) input_gradient[1] = gt_conv_input(graph, n.input[0], w, n.attribute);
}

/* --- lowering ------------------------------------------------------------------------------------------- */

static gt_patches patches_of(const extents *e, bool back) {
  const gt_conv_attribute *a = e->a;
  gt_patches p = {.rank = a->rank, .groups = a->groups, .back = back};
  p.channels = (uint32_t)(back ? e->out : e->in);
  for (uint32_t d = 0; d < a->rank; d++) {
    const uint32_t axis = a->rank - 1 - d;
    p.axis[d] = (gt_patches_axis){.size = back ? a->out[axis] : a->in[axis],
                                  .positions = back ? a->in[axis] : a->out[axis],
                                  .kernel = a->kernel[axis],
                                  .stride = a->stride[axis],
                                  .dilation = a->dilation[axis],
                                  .before = a->before[axis]};
  }
  return p;
}

/* Emits the GEMM. If positions are processed by phase, only the weights of the phase's taps are read. */
static void lower_product(gt_lowering *lowering, const gt_group *group, const gt_patches *patches,
                          gt_product *p) {
  uint32_t *geometry = gt_patches_geometry(patches, &p->words, p->own);
  p->shape.run = p->own[GT_PATCHES_SPEC_HOLES - GT_FACTOR_SPEC_OWN] ? 0 : geometry[GT_PATCHES_CHANNELS];
  p->geometry = geometry;
  gt_product_lower(lowering, group, p);
  free(geometry);
}

/* Advances to the next phase of the strides; false after the last one. */
static bool next_phase(gt_patches *patches) {
  for (uint32_t d = 0; d < patches->rank; d++) {
    gt_patches_axis *axis = &patches->axis[d];
    if (++axis->phase < axis->stride) return true;
    axis->phase = 0;
  }
  return false;
}

/* The gradient of the input with strides: the taps that reach a position depend on its phase, so there is one
 * GEMM per phase, which writes the rows of its positions. */
static void lower_phases(gt_lowering *lowering, const gt_group *group, const extents *e, gt_patches *patches,
                         gt_product *p) {
  const uint32_t groups = e->a->groups, out = (uint32_t)e->out / groups;
  p->shape.kind_b = GT_FACTOR_TAPS;
  p->shape.whole_k = true;
  p->result = GT_RESULT_PLACED;
  p->b.stride = groups > 1 ? p->shape.n * out * (uint32_t)tap_count(e->a) : 0;
  patches->by_phase = true;
  do {
    const uint32_t lines = gt_patches_lines(patches);
    if (!lines) continue;
    p->shape.m = (uint32_t)e->batch * lines;
    p->shape.k = gt_patches_length(patches);
    lower_product(lowering, group, patches, p);
  } while (next_phase(patches));
}

static uint32_t position_count(const extents *e, const uint32_t *sizes) {
  uint32_t count = (uint32_t)e->batch;
  for (uint32_t d = 0; d < e->a->rank; d++) count *= sizes[d];
  return count;
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const bool is_input_gradient = node->op == &ops[OP_INPUT], is_weight_gradient = node->op == &ops[OP_WEIGHT];
  extents e;
  if (!extents_of(graph, node, &e)) return;
  const uint32_t groups = e.a->groups, in = (uint32_t)e.in / groups, out = (uint32_t)e.out / groups;
  gt_patches patches = patches_of(&e, is_input_gradient);
  const uint32_t length = gt_patches_length(&patches),
                 positions = position_count(&e, is_input_gradient ? e.a->in : e.a->out);
  if (gt_depthwise_fits(&patches, is_input_gradient ? (uint32_t)e.in : (uint32_t)e.out)) {
    (is_weight_gradient ? gt_depthwise_weight_lower : gt_depthwise_lower)(lowering, group, &patches,
                                                                          positions);
    return;
  }
  gt_product p = {.a = {.node = node->input[0]}, .b = {.node = node->input[1]}};
  p.shape =
      (gt_matmul_shape){.m = positions, .n = is_input_gradient ? in : out, .k = length, .batch = groups};
  p.shape.trans_b = !is_input_gradient;
  p.shape.kind_a = GT_FACTOR_PATCHES;
  p.b.stride = groups > 1 ? p.shape.n * length : 0;
  p.result = groups > 1 ? GT_RESULT_SIDE_BY_SIDE : GT_RESULT_DENSE;
  if (is_weight_gradient) {
    p.shape = (gt_matmul_shape){.m = out, .n = length, .k = positions, .batch = groups, .trans_a = true};
    p.shape.kind_a = groups > 1 ? GT_FACTOR_SIDE_BY_SIDE : GT_FACTOR_DENSE;
    p.shape.kind_b = GT_FACTOR_PATCHES;
    p.result = GT_RESULT_DENSE;
  }
  if (is_input_gradient && phase_count(e.a) > 1 && phase_count(e.a) <= MAX_PHASES)
    lower_phases(lowering, group, &e, &patches, &p);
  else
    lower_product(lowering, group, &patches, &p);
}

/* --- ops ------------------------------------------------------------------------------------------------ */

static double flops(const gt_graph *graph, const gt_node *node) {
  extents e;
  if (!extents_of(graph, node, &e)) return 0;
  return 2.0 * position_count(&e, e.a->out) * (double)(tap_count(e.a) * (e.in / e.a->groups)) * (double)e.out;
}

static int print_setting(char *buffer, size_t size, const char *what, uint32_t rank, const uint32_t *value,
                         uint32_t fallback) {
  bool all_equal = true;
  for (uint32_t d = 0; d < rank; d++) all_equal &= value[d] == value[0];
  if (all_equal && value[0] == fallback) return 0;
  int end = snprintf(buffer, size, "%s%u", what, value[0]);
  for (uint32_t d = 1; d < rank && !all_equal; d++)
    end += snprintf(buffer + end, size - (size_t)end, "x%u", value[d]);
  return end;
}

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  const gt_conv_attribute *a = node->attribute;
  int end = print_setting(buffer, size, "window ", a->rank, a->kernel, 0);
  end += print_setting(buffer + end, size - (size_t)end, ", stride ", a->rank, a->stride, 1);
  end += print_setting(buffer + end, size - (size_t)end, ", padding ", a->rank, a->before, 0);
  end += print_setting(buffer + end, size - (size_t)end, ", dilation ", a->rank, a->dilation, 1);
  if (a->groups > 1) snprintf(buffer + end, size - (size_t)end, ", %u groups", a->groups);
}

#define OP(op_name, op_gradient)                                                                     \
  {                                                                                                  \
    .name = op_name, .kind = GT_OP_KERNEL, .min_inputs = 2, .infer = infer, .gradient = op_gradient, \
    .lower = lower, .flops = flops, .print = print, .epilogue = true                                 \
  }

static const gt_op ops[OPS] = {[OP_CONV] = OP("conv", gradient_conv),
                               [OP_INPUT] = OP("conv_input", gradient_input),
                               [OP_WEIGHT] = OP("conv_weight", gradient_weight)};
