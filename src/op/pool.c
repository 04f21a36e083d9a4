#include "op/pool.h"
#include "base/count.h"
#include "op/check.h"
#include "op/elementwise.h"
#include "op/image_cpu.h"
#include "op/op.h"
#include "op/spread.h"
#include "shaders/op/pool.h"
#include "shaders/op/pool_gradient.h"
#include "step/lowering.h"
#include <stddef.h>
#include <string.h>

enum { OP_MAX, OP_MAX_INDEX, OP_AVERAGE, OP_MAX_GRADIENT, OP_AVERAGE_GRADIENT, OPS };
enum { AXES = GT_POOL_AXES, WORKGROUP = 256, MAX_SIZE = 1 << 24 };
static const gt_op ops[OPS];

GT_DEFINE(op, pool) = {ops, OPS};

/* --- shapes --------------------------------------------------------------------------------------------- */

int64_t gt_pool_windows(const gt_pool_attribute *a, int axis, int64_t size) {
  const int64_t stride = a->stride[axis], padding = a->padding[axis];
  if (!stride) return a->out[axis];
  const int64_t round_up = a->ceil_mode ? stride - 1 : 0;
  const int64_t last_begin = size + 2 * padding - a->dilation[axis] * (a->window[axis] - 1) - 1 + round_up;
  if (last_begin < 0) return 0;
  /* With ceil_mode the last window is dropped if it begins after the image, in the padding, as in PyTorch. */
  const int64_t windows = last_begin / stride + 1;
  return a->ceil_mode && (windows - 1) * stride >= size + padding ? windows - 1 : windows;
}

gt_pool_attribute gt_pool_adaptive(gt_shape image, const int64_t *out) {
  gt_pool_attribute a = {.axes = image.rank - 2};
  for (int k = 0; k < a.axes && k < AXES; k++) {
    const int64_t size = image.dim[1 + k];
    const bool divides = size % out[k] == 0;
    a.out[k] = out[k];
    a.stride[k] = divides ? size / out[k] : 0;
    a.window[k] = divides ? size / out[k] : gt_min_i64(size, size / out[k] + 2);
    a.dilation[k] = 1;
  }
  return a;
}

static bool check_axis(const gt_pool_attribute *a, int k, int64_t size) {
  const bool adaptive = !a->stride[k];
  if (a->window[k] < 1 || a->window[k] > MAX_SIZE || a->stride[k] < 0 || a->stride[k] > MAX_SIZE ||
      a->padding[k] < 0 || a->padding[k] > a->window[k] / 2 || a->dilation[k] < 1 ||
      a->dilation[k] > MAX_SIZE)
    return false;
  /* Kernels compute adaptive windows from products of the two sizes, in 32 bits. */
  if (adaptive && (a->out[k] < 1 || (a->out[k] + 1) * (size + 1) > UINT32_MAX)) return false;
  return gt_pool_windows(a, k, size) > 0;
}

/* Sets *shape to that of the result for an image of shape x. */
static bool infer_pooled(const char *op, const gt_pool_attribute *a, gt_shape x, gt_shape *shape,
                         gt_error *error) {
  char text[128];
  bool fits = a->axes >= 1 && a->axes <= AXES && x.rank == a->axes + 2 && gt_check_size(op, x, error);
  int64_t elements = 1;
  *shape = x;
  for (int k = 0; fits && k < a->axes; k++) {
    fits = check_axis(a, k, x.dim[1 + k]);
    if (fits) shape->dim[1 + k] = gt_pool_windows(a, k, x.dim[1 + k]);
    elements = gt_times_at_most(elements, gt_max_i64(1, a->window[k]), INT32_MAX);
  }
  if (!fits || elements == INT32_MAX)
    return gt_fail(error, GT_ERR_CONFIG, "%s: the window does not fit into %s", op, gt_shape_text(x, text));
  return gt_check_size(op, *shape, error);
}

static int64_t window_size(const gt_pool_attribute *a) {
  int64_t elements = 1;
  for (int k = 0; k < a->axes; k++) elements *= a->window[k];
  return elements;
}

/* True if indices are stored as bytes, four channels per word: a byte can hold every position and "none". */
static bool in_bytes(const gt_pool_attribute *a, gt_shape x) {
  return x.dim[x.rank - 1] % 4 == 0 && window_size(a) <= UINT8_MAX;
}

static gt_shape index_shape(const gt_pool_attribute *a, gt_shape value) {
  if (in_bytes(a, value)) value.dim[value.rank - 1] /= 4;
  return value;
}

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_node *x = gt_node_at(graph, node->input[0]);
  if (!gt_check_f32(node->op->name, x, error) ||
      !infer_pooled(node->op->name, node->attribute, x->shape, shape, error))
    return false;
  dtype[0] = GT_F32;
  if (node->op->further) {
    shape[1] = index_shape(node->attribute, shape[0]);
    dtype[1] = GT_I32;
  }
  return true;
}

typedef struct gradient_attribute {
  gt_pool_attribute pool;
  int64_t size[AXES]; /* of the image */
} gradient_attribute;

/* Inputs: the gradient of the value and, for a maximum, the index. */
static bool infer_gradient(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                           gt_error *error) {
  const gradient_attribute *a = node->attribute;
  const gt_node *g = gt_node_at(graph, node->input[0]);
  gt_shape value;
  *shape = g->shape;
  *dtype = GT_F32;
  for (int k = 0; k < a->pool.axes && k + 2 < g->shape.rank; k++) shape->dim[1 + k] = a->size[k];
  if (!infer_pooled(node->op->name, &a->pool, *shape, &value, error)) return false;
  bool fits = g->dtype == GT_F32 && gt_shape_equal(value, g->shape);
  if (fits && node->inputs == 2)
    fits = gt_is_i32(gt_node_at(graph, node->input[1]), gt_shape_count(index_shape(&a->pool, value)));
  return fits || gt_fail(error, GT_ERR_INTERNAL, "%s: the inputs do not match", node->op->name);
}

/* --- builders and gradients ----------------------------------------------------------------------------- */

static gt_id add_node(gt_graph *graph, int op_index, gt_id x, const gt_pool_attribute *attribute) {
  return gt_node_add(graph, &ops[op_index], &x, 1, attribute, sizeof *attribute);
}

/* The gradient for windows that tile the image, as elementwise nodes. */
static gt_id gradient_of_tiles(gt_graph *graph, const gradient_attribute *a, const gt_id input[2],
                               gt_shape image) {
  const gt_id repeated = gt_spread(graph, input[0], image);
  const double divisor = a->pool.divisor > 0 ? a->pool.divisor : (double)window_size(&a->pool);
  if (input[1] == GT_NONE) return gt_div(graph, repeated, gt_constant(graph, divisor));
  const gt_id is_maximum = gt_spread_choice(graph, input[1], image, &a->pool);
  return gt_where(graph, is_maximum, repeated, gt_constant(graph, 0));
}

static void gradient(gt_graph *graph, gt_id id, const gt_id *output_gradient, const bool *wanted,
                     gt_id *input_gradient) {
  const gt_node *node = gt_node_at(graph, id);
  const gt_id x = node->input[0];
  const gt_shape image = gt_node_at(graph, x)->shape;
  const int op_index = (int)(node->op - ops);
  gradient_attribute a = {.pool = *(const gt_pool_attribute *)node->attribute};
  gt_id input[2] = {output_gradient[0], GT_NONE};
  if (!wanted[0]) return;
  for (int k = 0; k < a.pool.axes; k++) a.size[k] = image.dim[1 + k];
  if (op_index != OP_AVERAGE)
    input[1] = gt_result(graph, op_index == OP_MAX_INDEX ? id : add_node(graph, OP_MAX_INDEX, x, &a.pool), 1);
  if (gt_can_spread(&a.pool, image) && (op_index == OP_AVERAGE || in_bytes(&a.pool, image))) {
    input_gradient[0] = gradient_of_tiles(graph, &a, input, image);
    return;
  }
  const gt_op *op = &ops[op_index == OP_AVERAGE ? OP_AVERAGE_GRADIENT : OP_MAX_GRADIENT];
  input_gradient[0] = gt_node_add(graph, op, input, op->min_inputs, &a, sizeof a);
}

/* max_pool(relu(input)) as a function of `input`. */
typedef struct rectified {
  gt_derivative derivative;
  gt_id input, maximum;
} rectified;

/* Only the positions of the maxima have a gradient, and relu makes it 0 exactly where the maximum is 0. So
 * the output of relu, which is many times as large as the maxima, need not be stored. */
static void gradient_of_rectified(gt_graph *graph, const gt_derivative *derivative, gt_id output_gradient,
                                  const bool *wanted, gt_id *input_gradient) {
  const rectified *r = derivative->context;
  const gt_id masked = gt_where(graph, r->maximum, output_gradient, gt_constant(graph, 0));
  gradient(graph, r->maximum, &masked, wanted, input_gradient);
}

static void derive_rectified(gt_graph *graph, gt_id maximum, gt_id x) {
  const gt_node *node = gt_node_at(graph, x);
  if (maximum == GT_NONE || node->op != gt_op_find("relu")) return;
  rectified *r = GT_NEW(graph->arena, rectified);
  *r = (rectified){.input = node->input[0], .maximum = maximum};
  r->derivative = (gt_derivative){&r->input, 1, gradient_of_rectified, r};
  gt_graph_set_derivative(graph, maximum, &r->derivative);
}

gt_id gt_max_pool(gt_graph *graph, gt_id x, const gt_pool_attribute *attribute, bool differentiated) {
  const gt_id maximum = add_node(graph, differentiated ? OP_MAX_INDEX : OP_MAX, x, attribute);
  if (differentiated) derive_rectified(graph, maximum, x);
  return maximum;
}

gt_id gt_avg_pool(gt_graph *graph, gt_id x, const gt_pool_attribute *attribute) {
  return add_node(graph, OP_AVERAGE, x, attribute);
}

/* --- lowering ------------------------------------------------------------------------------------------- */

static const gt_kernel pool_kernel = {"pool", gt_pool_cpu};
static const gt_kernel gradient_kernel = {"pool_gradient", gt_pool_gradient_cpu};

/* An image with three spatial axes, and windows along them; missing outer axes have one element. */
typedef struct geometry {
  uint32_t batch, channels, in_size[AXES], out_size[AXES], spec[GT_POOL_SPEC_DIVISOR + 1];
} geometry;

static geometry geometry_of(const gt_pool_attribute *a, gt_shape image, uint32_t index) {
  geometry g = {.batch = (uint32_t)image.dim[0], .channels = (uint32_t)image.dim[image.rank - 1]};
  g.spec[GT_POOL_SPEC_QUADS] = g.channels % 4 == 0;
  g.spec[GT_POOL_SPEC_INDEX] = index && in_bytes(a, image) ? GT_POOL_INDEX_BYTES : index;
  g.spec[GT_POOL_SPEC_INCLUDE] = a->count_include_pad != 0;
  const float divisor = (float)a->divisor;
  memcpy(&g.spec[GT_POOL_SPEC_DIVISOR], &divisor, sizeof divisor);
  for (int k = 0; k < AXES; k++) {
    const int axis = k - (AXES - (int)a->axes);
    g.in_size[k] = axis < 0 ? 1 : (uint32_t)image.dim[1 + axis];
    g.out_size[k] = axis < 0 ? 1 : (uint32_t)gt_pool_windows(a, axis, image.dim[1 + axis]);
    g.spec[GT_POOL_SPEC_WINDOW_D + k] = axis < 0 ? 1 : (uint32_t)a->window[axis];
    g.spec[GT_POOL_SPEC_STRIDE_D + k] = axis < 0 ? 1 : (uint32_t)a->stride[axis];
    g.spec[GT_POOL_SPEC_PADDING_D + k] = axis < 0 ? 0 : (uint32_t)a->padding[axis];
    g.spec[GT_POOL_SPEC_DILATION_D + k] = axis < 0 ? 1 : (uint32_t)a->dilation[axis];
  }
  return g;
}

/* Sets the constants and the grid of a step that writes values of shape `out`. */
static void set_step(gt_lowering *lowering, gt_step *step, const geometry *g, gt_shape out) {
  const uint64_t count = (uint64_t)gt_shape_count(out);
  for (int k = GT_SPEC_OWN; k <= GT_POOL_SPEC_DIVISOR; k++)
    if (k != GT_SPEC_ALIGNED /* set by the backend */) step->spec[k] = g->spec[k];
  step->tiles = (uint32_t)gt_ceil_div((int64_t)(count / g->channels), gt_image_tile_positions(g->channels));
  gt_lower_grid(lowering, g->spec[GT_POOL_SPEC_QUADS] ? count / 4 : count, WORKGROUP);
}

/* Binds the inputs of the prologue or, without a prologue, the image. */
static void read_image(gt_lowering *lowering, gt_step *step, const gt_group *group) {
  const gt_program identity = {.inputs = 1, .outputs = 1};
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  if (gt_prologue_row(gt_lowering_graph(lowering), node)) {
    gt_lower_program(lowering, group, offsetof(struct gt_pool_args, x), 0,
                     offsetof(struct gt_pool_args, clock), offsetof(struct gt_pool_args, layout_));
    return;
  }
  gt_program_to_spec(&identity, step->spec);
  gt_lower_read(lowering, offsetof(struct gt_pool_args, x), node->input[0]);
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const gt_pool_attribute *a = node->attribute;
  geometry g = geometry_of(a, gt_node_at(graph, node->input[0])->shape,
                           node->op == &ops[OP_MAX_INDEX] ? GT_POOL_INDEX_WORDS : GT_POOL_INDEX_NONE);
  struct gt_pool_args args = {.batch = g.batch, .channels = g.channels};
  memcpy(args.in_size, g.in_size, sizeof args.in_size);
  memcpy(args.out_size, g.out_size, sizeof args.out_size);
  g.spec[GT_POOL_SPEC_AVERAGE] = node->op == &ops[OP_AVERAGE];
  gt_step *step = gt_lower_step(lowering, &pool_kernel, &args, sizeof args);
  read_image(lowering, step, group);
  gt_lower_write(lowering, offsetof(struct gt_pool_args, y), group->leader);
  if (node->op->further)
    gt_lower_write(lowering, offsetof(struct gt_pool_args, index), gt_result(graph, group->leader, 1));
  set_step(lowering, step, &g, node->shape);
}

static void lower_gradient(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const gt_pool_attribute *a = &((const gradient_attribute *)node->attribute)->pool;
  const bool average = node->inputs == 1;
  geometry g = geometry_of(a, node->shape, average ? GT_POOL_INDEX_NONE : GT_POOL_INDEX_WORDS);
  struct gt_pool_gradient_args args = {.batch = g.batch, .channels = g.channels};
  memcpy(args.in_size, g.in_size, sizeof args.in_size);
  memcpy(args.out_size, g.out_size, sizeof args.out_size);
  g.spec[GT_POOL_SPEC_AVERAGE] = average;
  gt_step *step = gt_lower_step(lowering, &gradient_kernel, &args, sizeof args);
  gt_lower_read(lowering, offsetof(struct gt_pool_gradient_args, output_gradient), node->input[0]);
  if (!average) gt_lower_read(lowering, offsetof(struct gt_pool_gradient_args, index), node->input[1]);
  gt_lower_program(lowering, group, offsetof(struct gt_pool_gradient_args, x),
                   offsetof(struct gt_pool_gradient_args, y), offsetof(struct gt_pool_gradient_args, clock),
                   -1);
  set_step(lowering, step, &g, node->shape);
}

/* --- ops ------------------------------------------------------------------------------------------------ */

/* The length of a prologue's rows (the channels), 0: no prologue. Allows one on all devices if windows do not
 * overlap, without padding and dilation, and if a window fits the buffer of the CPU kernel. */
static uint32_t prologue(const gt_graph *graph, const gt_node *node) {
  const gt_pool_attribute *a = node->attribute;
  const gt_shape image = gt_node_at(graph, node->input[0])->shape;
  const int64_t channels = image.dim[image.rank - 1];
  int64_t room = channels;
  for (int k = 0; k < a->axes; k++) {
    if (!a->stride[k] || a->stride[k] < a->window[k] || a->padding[k] || a->dilation[k] != 1) return 0;
    room = gt_times_at_most(room, k == a->axes - 1 ? a->stride[k] : a->window[k], GT_POOL_ROOM + 1);
  }
  return room <= GT_POOL_ROOM ? (uint32_t)channels : 0;
}

static double flops(const gt_graph *graph, const gt_node *node) {
  (void)graph;
  return (double)window_size(node->attribute) * (double)gt_shape_count(node->shape);
}

static double flops_gradient(const gt_graph *graph, const gt_node *node) {
  const gradient_attribute *a = node->attribute;
  const double windows = (double)gt_shape_count(gt_node_at(graph, node->input[0])->shape);
  return node->inputs == 2 ? windows : windows * (double)window_size(&a->pool);
}

/* Prints a property, such as " stride 2x2", unless all axes have the default value. */
static size_t print_axes(const char *what, const int64_t *value, int64_t axes, int64_t fallback, char *buffer,
                         size_t size) {
  size_t used = 0;
  bool differs = false;
  for (int k = 0; k < axes; k++) differs |= value[k] != fallback;
  for (int k = 0; differs && k < axes && used < size; k++)
    used += (size_t)snprintf(buffer + used, size - used, "%s%lld", k ? "x" : what, (long long)value[k]);
  return used < size ? used : size;
}

/* Prints "3x3 stride 2x2 padding 1x1", without default values. */
static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  const gt_pool_attribute *a = node->attribute; /* also the first member of a gradient's attribute */
  size_t used = 0;
  (void)graph;
  used += print_axes("", a->window, a->axes, 0, buffer + used, size - used);
  used += print_axes(" stride ", a->stride, a->axes, 1, buffer + used, size - used);
  used += print_axes(" padding ", a->padding, a->axes, 0, buffer + used, size - used);
  print_axes(" dilation ", a->dilation, a->axes, 1, buffer + used, size - used);
}

#define OP(op_name, inputs, op_further, op_infer, op_gradient, op_lower, op_flops, ...)                    \
  {                                                                                                        \
    .name = op_name, .kind = GT_OP_KERNEL, .min_inputs = inputs, .further = op_further, .infer = op_infer, \
    .gradient = op_gradient, .lower = op_lower, .flops = op_flops, .print = print, __VA_ARGS__             \
  }

static const gt_op ops[OPS] = {
    [OP_MAX] = OP("max_pool", 1, 0, infer, gradient, lower, flops, .prologue = prologue),
    [OP_MAX_INDEX] = OP("max_pool_index", 1, 1, infer, gradient, lower, flops, .prologue = prologue),
    [OP_AVERAGE] = OP("avg_pool", 1, 0, infer, gradient, lower, flops, .prologue = prologue),
    [OP_MAX_GRADIENT] =
        OP("max_pool_gradient", 2, 0, infer_gradient, NULL, lower_gradient, flops_gradient, .epilogue = true),
    [OP_AVERAGE_GRADIENT] =
        OP("avg_pool_gradient", 1, 0, infer_gradient, NULL, lower_gradient, flops_gradient, .epilogue = true),
};
