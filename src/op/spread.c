#include "op/spread.h"
#include "op/check.h"
#include "op/elementwise.h"
#include "op/op.h"
#include <stdio.h>

enum { OP_SPREAD, OP_CHOICE, OPS };
enum { MAX_WINDOW = 255, MAX_COLUMNS = 8191 }; /* limits of the encoding of a load (lib/opcodes.h) */
static const gt_op ops[OPS];

GT_DEFINE(op, spread) = {ops, OPS};

typedef struct spread_attribute {
  int64_t axes, size[GT_POOL_AXES], window[GT_POOL_AXES];
} spread_attribute;

/* --- shapes --------------------------------------------------------------------------------------------- */

/* False if there is a single window along the last axis, as in small images: NVIDIA's compiler (580.159.04)
 * crashed on a kernel with such windows of 4 x 4 elements, whose indices simplify to a few bits of the
 * element number. */
bool gt_can_spread(const gt_pool_attribute *a, gt_shape image) {
  const int last = (int)a->axes - 1;
  bool any_larger = false;
  for (int k = 0; k <= last; k++) {
    const int64_t window = a->window[k];
    if (a->stride[k] != window || a->padding[k] || a->dilation[k] != 1 || image.dim[1 + k] % window)
      return false;
    if (window > (last - k < 2 ? MAX_WINDOW : 1)) return false;
    any_larger |= window > 1;
  }
  const int64_t columns = image.dim[1 + last];
  return any_larger && columns > a->window[last] && columns <= MAX_COLUMNS;
}

static gt_shape windows_of(const spread_attribute *a, gt_shape image) {
  for (int k = 0; k < a->axes; k++) image.dim[1 + k] /= a->window[k];
  return image;
}

static gt_shape image_of(const spread_attribute *a, gt_shape windows) {
  for (int k = 0; k < a->axes; k++) windows.dim[1 + k] = a->size[k];
  return windows;
}

static gt_pool_attribute pool_of(const spread_attribute *a) {
  gt_pool_attribute pool = {.axes = a->axes};
  for (int k = 0; k < a->axes; k++) {
    pool.window[k] = pool.stride[k] = a->window[k];
    pool.dilation[k] = 1;
  }
  return pool;
}

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const spread_attribute *a = node->attribute;
  const gt_node *x = gt_node_at(graph, node->input[0]);
  const bool is_choice = node->op == &ops[OP_CHOICE];
  gt_shape windows = x->shape;
  bool fits = windows.rank == a->axes + 2;
  if (is_choice && fits) windows.dim[windows.rank - 1] *= 4;
  const gt_pool_attribute pool = pool_of(a);
  const gt_shape image = image_of(a, windows);
  fits = fits && x->dtype == (is_choice ? GT_I32 : GT_F32) && gt_check_size(node->op->name, image, error) &&
         gt_can_spread(&pool, image) && gt_shape_equal(windows_of(a, image), windows);
  *shape = image;
  *dtype = GT_F32;
  return fits || gt_fail(error, GT_ERR_INTERNAL, "%s: the windows do not match", node->op->name);
}

/* --- builders and gradient ------------------------------------------------------------------------------ */

static gt_id add_node(gt_graph *graph, int op_index, gt_id x, gt_shape image, const int64_t *window) {
  spread_attribute a = {.axes = image.rank - 2};
  for (int k = 0; k < a.axes; k++) {
    a.size[k] = image.dim[1 + k];
    a.window[k] = window[k];
  }
  return gt_node_add(graph, &ops[op_index], &x, 1, &a, sizeof a);
}

gt_id gt_spread(gt_graph *graph, gt_id x, gt_shape image) {
  int64_t window[GT_POOL_AXES];
  if (x == GT_NONE) return GT_NONE;
  const gt_shape windows = gt_node_at(graph, x)->shape;
  for (int k = 0; k < image.rank - 2; k++) window[k] = image.dim[1 + k] / windows.dim[1 + k];
  return add_node(graph, OP_SPREAD, x, image, window);
}

gt_id gt_spread_choice(gt_graph *graph, gt_id index, gt_shape image, const gt_pool_attribute *attribute) {
  return add_node(graph, OP_CHOICE, index, image, attribute->window);
}

/* The gradient of a value is the sum over the elements of its window. */
static void gradient(gt_graph *graph, gt_id id, const gt_id *output_gradient, const bool *wanted,
                     gt_id *input_gradient) {
  gt_pool_attribute sum = pool_of(gt_node_at(graph, id)->attribute);
  if (!wanted[0]) return;
  sum.divisor = 1;
  input_gradient[0] = gt_avg_pool(graph, output_gradient[0], &sum);
}

/* --- ops ------------------------------------------------------------------------------------------------ */

static uint32_t load(const gt_node *node) {
  const spread_attribute *a = node->attribute;
  const int last = (int)a->axes - 1;
  const uint32_t height = last > 0 ? (uint32_t)a->window[last - 1] : 1;
  return GT_LOAD_OF(node->op == &ops[OP_CHOICE] ? GT_LOAD_CHOICE : GT_LOAD_SPREAD, height,
                    (uint32_t)a->window[last], (uint32_t)a->size[last]);
}

static bool always_bits(const gt_graph *graph, const gt_node *node) { return (void)graph, (void)node, true; }

static double limit_of_one(const gt_graph *graph, const gt_node *node) { return (void)graph, (void)node, 1; }

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  const spread_attribute *a = node->attribute;
  size_t used = 0;
  (void)graph;
  for (int k = 0; k < a->axes && used < size; k++)
    used += (size_t)snprintf(buffer + used, size - used, "%s%lld", k ? "x" : "", (long long)a->window[k]);
}

#define OP(op_name, op_bits, op_limit, op_gradient)                                                   \
  {                                                                                                   \
    .name = op_name, .kind = GT_OP_ELEMENTWISE, .min_inputs = 1, .opcode = GT_I_MOVE, .infer = infer, \
    .bits = op_bits, .limit = op_limit, .gradient = op_gradient, .load = load, .flops = gt_no_flops,  \
    .print = print                                                                                    \
  }

static const gt_op ops[OPS] = {
    [OP_SPREAD] = OP("spread", gt_inputs_are_bits, gt_inputs_limit, gradient),
    [OP_CHOICE] = OP("spread_choice", always_bits, limit_of_one, NULL),
};
