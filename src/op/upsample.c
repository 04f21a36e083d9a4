#include "op/upsample.h"
#include "base/count.h"
#include "base/memory.h"
#include "op/check.h"
#include "op/image_cpu.h"
#include "op/op.h"
#include "shaders/op/upsample.h"
#include "step/lowering.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { OP_UPSAMPLE, OP_GRADIENT, OPS };
enum { AXES = GT_UPSAMPLE_AXES, WORKGROUP = 256 };
static const gt_op ops[OPS];

GT_DEFINE(op, upsample) = {ops, OPS};

static const gt_kernel upsample_kernel = {"upsample", gt_upsample_cpu};
static const gt_kernel gradient_kernel = {"upsample_gradient", gt_upsample_gradient_cpu};

/* --- shapes --------------------------------------------------------------------------------------------- */

/* Sets *shape to that of the result for an image of shape x. */
static bool infer_resized(const char *op, const gt_upsample_attribute *a, gt_shape x, gt_shape *shape,
                          gt_error *error) {
  char text[128];
  bool fits = a->axes >= 1 && a->axes <= AXES && x.rank == a->axes + 2;
  *shape = x;
  for (int k = 0; fits && k < a->axes; k++) {
    shape->dim[1 + k] = a->out[k];
    fits = a->factor[k] >= 0;
  }
  if (!fits) return gt_fail(error, GT_ERR_CONFIG, "%s does not match shape %s", op, gt_shape_text(x, text));
  return gt_check_size(op, x, error) && gt_check_size(op, *shape, error);
}

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_node *x = gt_node_at(graph, node->input[0]);
  *dtype = GT_F32;
  return gt_check_f32(node->op->name, x, error) &&
         infer_resized(node->op->name, node->attribute, x->shape, shape, error);
}

typedef struct gradient_attribute {
  gt_upsample_attribute upsample;
  int64_t size[AXES]; /* of the image */
} gradient_attribute;

static bool infer_gradient(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                           gt_error *error) {
  const gradient_attribute *a = node->attribute;
  const gt_node *g = gt_node_at(graph, node->input[0]);
  gt_shape value;
  *shape = g->shape;
  *dtype = GT_F32;
  for (int k = 0; k < a->upsample.axes && k + 2 < g->shape.rank; k++) shape->dim[1 + k] = a->size[k];
  if (!infer_resized(node->op->name, &a->upsample, *shape, &value, error)) return false;
  return (g->dtype == GT_F32 && gt_shape_equal(value, g->shape)) ||
         gt_fail(error, GT_ERR_INTERNAL, "%s: the input does not match", node->op->name);
}

gt_id gt_upsample(gt_graph *graph, gt_id x, const gt_upsample_attribute *attribute) {
  return gt_node_add(graph, &ops[OP_UPSAMPLE], &x, 1, attribute, sizeof *attribute);
}

static void gradient(gt_graph *graph, gt_id id, const gt_id *output_gradient, const bool *wanted,
                     gt_id *input_gradient) {
  const gt_node *node = gt_node_at(graph, id);
  gradient_attribute a = {.upsample = *(const gt_upsample_attribute *)node->attribute};
  if (!wanted[0]) return;
  for (int k = 0; k < a.upsample.axes; k++) a.size[k] = gt_node_at(graph, node->input[0])->shape.dim[1 + k];
  input_gradient[0] = gt_node_add(graph, &ops[OP_GRADIENT], output_gradient, 1, &a, sizeof a);
}

/* --- tables --------------------------------------------------------------------------------------------- */

typedef struct axis {
  uint32_t in, out;
  double factor;
  bool linear, align_corners;
} axis;

/* The nearest input element of output element o. In floats, as in PyTorch, because the rounding decides
 * ties. */
static uint32_t nearest(const axis *a, uint32_t o) {
  if (a->out == a->in) return o;
  if (a->out == 2 * (uint64_t)a->in) return o / 2;
  const float step = a->factor > 0 ? (float)(1 / a->factor) : (float)a->in / (float)a->out;
  return gt_min_u32((uint32_t)floorf((float)o * step), a->in - 1);
}

/* The position of output element o in the coordinates of the input. */
static double position_of(const axis *a, uint32_t o) {
  if (a->align_corners) return a->out > 1 ? (double)o * (a->in - 1) / (a->out - 1) : 0;
  const double step = a->factor > 0 ? 1 / a->factor : (double)a->in / a->out;
  return fmax(0, step * (o + 0.5) - 0.5);
}

static bool is_interpolated(const axis *a) { return a->linear && a->in != a->out; }

/* outputs: for each output element, the first input element that it reads and the weight of the next one.
 * inputs: for each input element, the range of output elements that read it. */
static void fill_table(const axis *a, uint32_t *outputs, uint32_t *inputs) {
  for (uint32_t i = 0; i < a->in; i++) inputs[2 * i] = a->out, inputs[2 * i + 1] = 0;
  for (uint32_t o = 0; o < a->out; o++) {
    const double position = is_interpolated(a) ? position_of(a, o) : nearest(a, o);
    const uint32_t first = gt_min_u32((uint32_t)position, a->in - 1), last = gt_min_u32(first + 1, a->in - 1);
    const float next = (float)fmin(position - first, 1);
    outputs[2 * o] = first;
    memcpy(&outputs[2 * o + 1], &next, sizeof next);
    for (uint32_t i = first; i <= (next > 0 ? last : first); i++) {
      inputs[2 * i] = gt_min_u32(inputs[2 * i], o);
      inputs[2 * i + 1] = o + 1;
    }
  }
}

/* --- lowering ------------------------------------------------------------------------------------------- */

static void set_axes(const gt_upsample_attribute *a, gt_shape image, axis all_axes[AXES]) {
  for (int k = 0; k < AXES; k++) {
    const int d = k - (AXES - (int)a->axes); /* missing outer axes have one element */
    all_axes[k] = (axis){1, 1, 0, false, false};
    if (d >= 0)
      all_axes[k] = (axis){(uint32_t)image.dim[1 + d], (uint32_t)a->out[d], a->factor[d], a->linear != 0,
                           a->align_corners != 0};
  }
}

/* Emits the step of the op or of its gradient. image: the shape of the image before resizing. */
static void emit_step(gt_lowering *lowering, const gt_kernel *kernel, const gt_upsample_attribute *a,
                      gt_shape image, gt_id from, gt_id result) {
  const gt_shape shape = gt_node_at(gt_lowering_graph(lowering), result)->shape;
  const uint64_t count = (uint64_t)gt_shape_count(shape);
  struct gt_upsample_args args = {.batch = (uint32_t)image.dim[0],
                                  .channels = (uint32_t)image.dim[image.rank - 1]};
  axis all_axes[AXES];
  uint32_t words = 0;
  set_axes(a, image, all_axes);
  for (int k = 0; k < AXES; k++) {
    args.in_size[k] = all_axes[k].in;
    args.out_size[k] = all_axes[k].out;
    args.outputs[k] = words;
    args.inputs[k] = words + 2 * all_axes[k].out;
    words = args.inputs[k] + 2 * all_axes[k].in;
  }
  uint32_t *table = gt_alloc(words * sizeof *table);
  for (int k = 0; k < AXES; k++) fill_table(&all_axes[k], table + args.outputs[k], table + args.inputs[k]);
  gt_step *step = gt_lower_step(lowering, kernel, &args, sizeof args);
  const bool quads = args.channels % 4 == 0;
  step->spec[GT_UPSAMPLE_SPEC_QUADS] = quads;
  for (uint32_t k = 0; k < AXES; k++) step->spec[GT_UPSAMPLE_SPEC_D + k] = is_interpolated(&all_axes[k]);
  step->tiles =
      (uint32_t)gt_ceil_div((int64_t)(count / args.channels), gt_image_tile_positions(args.channels));
  gt_lower_read(lowering, offsetof(struct gt_upsample_args, x), from);
  gt_lower_write(lowering, offsetof(struct gt_upsample_args, y), result);
  gt_lower_constants(lowering, offsetof(struct gt_upsample_args, table), table, words * sizeof *table);
  gt_lower_grid(lowering, quads ? count / 4 : count, WORKGROUP);
  free(table);
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  emit_step(lowering, &upsample_kernel, node->attribute, gt_node_at(graph, node->input[0])->shape,
            node->input[0], group->leader);
}

static void lower_gradient(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const gradient_attribute *a = node->attribute;
  emit_step(lowering, &gradient_kernel, &a->upsample, node->shape, node->input[0], group->leader);
}

/* --- ops ------------------------------------------------------------------------------------------------ */

/* Linear interpolation: a product and a sum for each of the 2^axes input elements that an output element
 * reads; the gradient has as many. Nearest neighbor: 0. */
static double flops(const gt_graph *graph, const gt_node *node) {
  const gt_upsample_attribute *a = node->attribute; /* also the first member of a gradient's attribute */
  const gt_shape input = gt_node_at(graph, node->input[0])->shape;
  const gt_shape result = node->op == &ops[OP_UPSAMPLE] ? node->shape : input;
  return (double)gt_shape_count(result) * (a->linear ? ldexp(2, (int)a->axes) : 0);
}

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  const gt_upsample_attribute *a = node->attribute;
  (void)graph;
  snprintf(buffer, size, "%s%s", a->linear ? "linear" : "nearest", a->align_corners ? ", align_corners" : "");
}

#define OP(op_name, op_infer, op_gradient, op_lower)                                                    \
  {                                                                                                     \
    .name = op_name, .kind = GT_OP_KERNEL, .min_inputs = 1, .infer = op_infer, .gradient = op_gradient, \
    .lower = op_lower, .flops = flops, .print = print                                                   \
  }

static const gt_op ops[OPS] = {
    [OP_UPSAMPLE] = OP("upsample", infer, gradient, lower),
    [OP_GRADIENT] = OP("upsample_gradient", infer_gradient, NULL, lower_gradient),
};
