/* softmax and log-softmax of the rows of a matrix; if the axis is not the last one, it is moved there by a
 * permute and back afterwards. */
#include "op/softmax.h"
#include "base/count.h"
#include "op/check.h"
#include "op/elementwise.h"
#include "op/move.h"
#include "op/op.h"
#include "op/reduce.h"
#include "shaders/op/softmax.h"
#include "step/lowering.h"
#include "step/math.h"
#include <stddef.h>

enum { OP_SOFTMAX, OP_LOG_SOFTMAX, OPS };
enum { TILE_ELEMENTS = 8192, LANES = 16 };
enum { MAX_LANE_COLUMNS = 32 }; /* on a device, one invocation computes a row of at most this length */
static const gt_op ops[OPS];

GT_DEFINE(op, softmax) = {ops, OPS};

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_node *x = gt_node_at(graph, node->input[0]);
  if (!gt_check_f32(node->op->name, x, error)) return false;
  if (x->shape.rank == 0)
    return gt_fail(error, GT_ERR_CONFIG, "%s needs an axis, not a scalar", node->op->name);
  *shape = x->shape;
  *dtype = GT_F32;
  return gt_check_size(node->op->name, *shape, error);
}

static double flops(const gt_graph *graph, const gt_node *node) {
  (void)graph;
  return 4.0 * (double)gt_shape_count(node->shape);
}

static gt_id add_over_axis(gt_graph *graph, int op_index, gt_id x, int axis) {
  if (x == GT_NONE) return GT_NONE;
  const int rank = gt_node_at(graph, x)->shape.rank, last = rank - 1;
  if (axis < -rank || axis >= rank) {
    gt_fail(&graph->error, GT_ERR_CONFIG, "%s over axis %d of a value with %d axes", ops[op_index].name, axis,
            rank);
    return GT_NONE;
  }
  if (axis < 0) axis += rank;
  if (axis == last) return gt_node_add(graph, &ops[op_index], &x, 1, NULL, 0);
  int order[GT_MAX_RANK];
  for (int d = 0; d < rank; d++) order[d] = d == axis ? last : d == last ? axis : d; /* its own inverse */
  x = gt_permute(graph, x, order);
  return gt_permute(graph, gt_node_add(graph, &ops[op_index], &x, 1, NULL, 0), order);
}

gt_id gt_softmax(gt_graph *graph, gt_id x, int axis) { return add_over_axis(graph, OP_SOFTMAX, x, axis); }

gt_id gt_log_softmax(gt_graph *graph, gt_id x, int axis) {
  return add_over_axis(graph, OP_LOG_SOFTMAX, x, axis);
}

static gt_id row_sum(gt_graph *graph, gt_id x) {
  return gt_sum(graph, x, 1u << (gt_node_at(graph, x)->shape.rank - 1), true);
}

static void gradient_softmax(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                             gt_id *input_gradient) {
  if (!wanted[0]) return;
  const gt_id sum = row_sum(graph, gt_mul(graph, output_gradient[0], node));
  input_gradient[0] = gt_mul(graph, node, gt_sub(graph, output_gradient[0], sum));
}

static void gradient_log_softmax(gt_graph *graph, gt_id node, const gt_id *output_gradient,
                                 const bool *wanted, gt_id *input_gradient) {
  if (!wanted[0]) return;
  const gt_id sum = row_sum(graph, output_gradient[0]);
  input_gradient[0] = gt_sub(graph, output_gradient[0], gt_mul(graph, gt_exp(graph, node), sum));
}

/* --- the CPU kernel ------------------------------------------------------------------------------------- */

GT_CLONES static void softmax_row(const float *restrict x, float *restrict y, uint32_t n, bool logarithm) {
  const uint32_t vector_end = n / LANES * LANES;
  /* lane: partial results, so that the order of additions is the same at any vector width */
  float largest = -INFINITY, sum = 0.0f, lane[LANES];
  for (int l = 0; l < LANES; l++) lane[l] = -INFINITY;
  for (uint32_t i = 0; i < vector_end; i += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] = gt_pick(x[i + (uint32_t)l] > lane[l], x[i + (uint32_t)l], lane[l]);
  for (int l = 0; l < LANES; l++) largest = gt_pick(lane[l] > largest, lane[l], largest);
  for (uint32_t i = vector_end; i < n; i++) largest = gt_pick(x[i] > largest, x[i], largest);
  for (uint32_t i = 0; i < n; i++) y[i] = gt_expf(x[i] - largest);
  for (int l = 0; l < LANES; l++) lane[l] = 0.0f;
  for (uint32_t i = 0; i < vector_end; i += LANES)
    for (int l = 0; l < LANES; l++) lane[l] += y[i + (uint32_t)l];
  for (int l = 0; l < LANES; l++) sum += lane[l];
  for (uint32_t i = vector_end; i < n; i++) sum += y[i];
  if (logarithm) {
    const float shift = gt_logf(sum);
    for (uint32_t i = 0; i < n; i++) y[i] = (x[i] - largest) - shift;
  } else {
    for (uint32_t i = 0; i < n; i++) y[i] /= sum;
  }
}

static uint32_t rows_per_tile(uint32_t columns) {
  return columns >= TILE_ELEMENTS ? 1 : TILE_ELEMENTS / columns;
}

static void softmax_cpu(const void *arguments, const uint32_t *spec, uint32_t tile) {
  const struct gt_softmax_args *args = arguments;
  const uint32_t per_tile = rows_per_tile(args->columns), first = tile * per_tile;
  for (uint32_t r = first; r < first + per_tile && r < args->rows; r++) {
    const size_t offset = (size_t)r * args->columns;
    softmax_row(GT_PTR(const float, args->x) + offset, GT_PTR(float, args->y) + offset, args->columns,
                spec[GT_SOFTMAX_SPEC_LOG]);
  }
}

static const gt_kernel kernel = {"softmax", softmax_cpu};

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const uint32_t columns = (uint32_t)node->shape.dim[node->shape.rank - 1];
  const uint32_t count = (uint32_t)gt_shape_count(node->shape) / columns, per_tile = rows_per_tile(columns);
  const struct gt_softmax_args args = {.rows = count, .columns = columns};
  gt_step *step = gt_lower_step(lowering, &kernel, &args, sizeof args);
  gt_lower_read(lowering, offsetof(struct gt_softmax_args, x), node->input[0]);
  gt_lower_write(lowering, offsetof(struct gt_softmax_args, y), group->leader);
  step->spec[GT_SOFTMAX_SPEC_LOG] = node->op == &ops[OP_LOG_SOFTMAX];
  step->spec[GT_SPEC_PER_LANE] = columns <= MAX_LANE_COLUMNS;
  const uint32_t local = gt_lower_workgroup(lowering, columns <= 1024 ? 128 : 256, 1);
  if (columns <= MAX_LANE_COLUMNS)
    gt_lower_grid(lowering, count, 64);
  else
    gt_lower_grid(lowering, (uint64_t)count * local, local);
  step->tiles = gt_ceil_div(count, per_tile);
}

/* --- ops ------------------------------------------------------------------------------------------------ */

#define OP(op_name, op_gradient)                                                                     \
  {                                                                                                  \
    .name = op_name, .kind = GT_OP_KERNEL, .min_inputs = 1, .infer = infer, .gradient = op_gradient, \
    .lower = lower, .flops = flops                                                                   \
  }

static const gt_op ops[OPS] = {
    [OP_SOFTMAX] = OP("softmax", gradient_softmax),
    [OP_LOG_SOFTMAX] = OP("log_softmax", gradient_log_softmax),
};
