#include "op/group_sum.h"
#include "base/count.h"
#include "op/check.h"
#include "op/move.h"
#include "op/op.h"
#include "shaders/op/group_sum.h"
#include "step/lowering.h"
#include "step/math.h"
#include <stddef.h>
#include <string.h>

enum { OP_SUM, OP_SPREAD, OPS };
enum { WORKGROUP = 1024, MAX_COLUMNS = 32, MIN_COLUMNS = 2 }; /* columns: items of the batch per workgroup */
/* On the CPU: items of the batch per tile, rows per partial sum, rows of group_spread per tile. */
enum { PIECE = 512, BLOCK = 64, TILE_ROWS = 64 };
static const gt_op ops[OPS];

GT_DEFINE(op, group_sum) = {ops, OPS};

typedef struct group_attribute {
  int64_t groups, group_size;
  double scale;
} group_attribute;

/* --- shapes and gradient -------------------------------------------------------------------------------- */

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const group_attribute *a = node->attribute;
  const gt_shape x = gt_node_at(graph, node->input[0])->shape;
  const bool is_sum = node->op == &ops[OP_SUM];
  char text[128];
  if (!gt_check_f32(node->op->name, gt_node_at(graph, node->input[0]), error)) return false;
  if (x.rank != 2 || a->groups < 1 || a->group_size < 1 ||
      x.dim[0] != a->groups * (is_sum ? a->group_size : 1))
    return gt_fail(error, GT_ERR_CONFIG, "%s of %lld groups of %lld does not match %s", node->op->name,
                   (long long)a->groups, (long long)a->group_size, gt_shape_text(x, text));
  *shape = is_sum ? gt_shape_2(x.dim[1], a->groups) : gt_shape_2(a->groups * a->group_size, x.dim[1]);
  *dtype = GT_F32;
  return gt_check_size(node->op->name, *shape, error);
}

static void gradient_sum(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                         gt_id *input_gradient) {
  if (!wanted[0]) return;
  const group_attribute a = *(const group_attribute *)gt_node_at(graph, node)->attribute;
  const gt_id g = gt_permute(graph, output_gradient[0], (const int[]){1, 0});
  input_gradient[0] = gt_node_add(graph, &ops[OP_SPREAD], &g, 1, &a, sizeof a);
}

gt_id gt_group_sum(gt_graph *graph, gt_id x, int64_t groups, double scale) {
  if (x == GT_NONE) return GT_NONE;
  const group_attribute a = {groups, gt_node_at(graph, x)->shape.dim[0] / groups, scale};
  return gt_node_add(graph, &ops[OP_SUM], &x, 1, &a, sizeof a);
}

gt_id gt_group_sum_source(const gt_graph *graph, gt_id gradient, uint32_t *group_size, float *scale) {
  const gt_node *node = gt_node_at(graph, gradient);
  if (node->op != &ops[OP_SPREAD]) return GT_NONE;
  const group_attribute *a = node->attribute;
  *group_size = (uint32_t)a->group_size;
  *scale = (float)a->scale;
  return node->input[0];
}

/* --- CPU kernels ---------------------------------------------------------------------------------------- */

/* Adds rows to `sum` by way of partial sums of BLOCK rows, which keeps the rounding error small. */
GT_CLONES static void add_rows(const float *x, size_t stride, uint32_t count, float *restrict sum,
                               uint32_t n) {
  float partial[PIECE];
  for (uint32_t first = 0; first < count; first += BLOCK) {
    memset(partial, 0, n * sizeof *partial);
    for (uint32_t r = first; r < first + BLOCK && r < count; r++)
      for (uint32_t i = 0; i < n; i++) partial[i] += x[r * stride + i];
    for (uint32_t i = 0; i < n; i++) sum[i] += partial[i];
  }
}

/* A tile sums one group for a part of the batch. */
static void sum_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_group_sum_args *t = args;
  const uint32_t pieces = gt_ceil_div(t->batch, PIECE), group = tile / pieces, s = tile % pieces * PIECE;
  const uint32_t n = t->batch - s < PIECE ? t->batch - s : PIECE;
  float sum[PIECE] = {0}, *y = GT_PTR(float, t->y);
  (void)spec;
  add_rows(GT_PTR(const float, t->x) + (size_t)group * t->group_size * t->batch + s, t->batch, t->group_size,
           sum, n);
  for (uint32_t i = 0; i < n; i++) y[(size_t)(s + i) * t->groups + group] = t->scale * sum[i];
}

static void spread_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_group_sum_args *t = args;
  const uint32_t rows = t->groups * t->group_size;
  (void)spec;
  for (uint32_t r = tile * TILE_ROWS; r < (tile + 1) * TILE_ROWS && r < rows; r++) {
    const float *x = GT_PTR(const float, t->x) + (size_t)(r / t->group_size) * t->batch;
    float *y = GT_PTR(float, t->y) + (size_t)r * t->batch;
    for (uint32_t i = 0; i < t->batch; i++) y[i] = t->scale * x[i];
  }
}

static const gt_kernel sum_kernel = {"group_sum", sum_cpu};
static const gt_kernel spread_kernel = {"group_spread", spread_cpu};

/* --- lowering ------------------------------------------------------------------------------------------- */

/* Items (or vec4s of them) of the batch per workgroup: as many as leave enough workgroups for the device. */
static uint32_t columns_for(const gt_target *target, uint32_t groups, uint32_t width) {
  uint32_t columns = MAX_COLUMNS;
  while (columns > MIN_COLUMNS &&
         (columns / 2 >= width || (uint64_t)groups * gt_ceil_div(width, columns) < 2ull * target->units))
    columns /= 2;
  return columns;
}

static void lower_sum(gt_lowering *lowering, const struct gt_group_sum_args *args, gt_id node) {
  const gt_target *target = gt_lowering_target(lowering);
  gt_step *step = gt_lower_step(lowering, &sum_kernel, args, sizeof *args);
  const bool quads = args->batch % 4 == 0;
  const uint32_t width = quads ? args->batch / 4 : args->batch,
                 columns = columns_for(target, args->groups, width);
  uint32_t lanes = 1;
  while (lanes < args->group_size && lanes * 2 * columns <= WORKGROUP &&
         (!target->max_workgroup || lanes * 2 * columns <= target->max_workgroup))
    lanes *= 2;
  step->tiles = args->groups * gt_ceil_div(args->batch, PIECE);
  step->spec[GT_GROUP_SUM_SPEC_LANES] = lanes;
  step->spec[GT_GROUP_SUM_SPEC_QUADS] = quads;
  gt_lower_write(lowering, offsetof(struct gt_group_sum_args, y), node);
  gt_lower_grid(lowering, (uint64_t)args->groups * gt_ceil_div(width, columns) * lanes * columns,
                lanes * columns);
}

static void lower_spread(gt_lowering *lowering, const struct gt_group_sum_args *args, gt_id node) {
  gt_step *step = gt_lower_step(lowering, &spread_kernel, args, sizeof *args);
  step->tiles = gt_ceil_div(args->groups * args->group_size, TILE_ROWS);
  gt_lower_write(lowering, offsetof(struct gt_group_sum_args, y), node);
  gt_lower_grid(lowering, (uint64_t)args->groups * args->group_size * args->batch, 256);
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const group_attribute *a = node->attribute;
  const bool is_sum = node->op == &ops[OP_SUM];
  const struct gt_group_sum_args args = {.groups = (uint32_t)a->groups,
                                         .group_size = (uint32_t)a->group_size,
                                         .batch = (uint32_t)node->shape.dim[is_sum ? 0 : 1],
                                         .scale = (float)a->scale};
  if (is_sum)
    lower_sum(lowering, &args, group->leader);
  else
    lower_spread(lowering, &args, group->leader);
  gt_lower_read(lowering, offsetof(struct gt_group_sum_args, x), node->input[0]);
}

void gt_group_sum_lower(gt_lowering *lowering, gt_id node, uint32_t scratch, uint32_t groups,
                        uint32_t group_size, float scale) {
  const uint32_t batch = (uint32_t)gt_node_at(gt_lowering_graph(lowering), node)->shape.dim[0];
  const struct gt_group_sum_args args = {
      .groups = groups, .group_size = group_size, .batch = batch, .scale = scale};
  lower_sum(lowering, &args, node);
  gt_lower_use_scratch(lowering, offsetof(struct gt_group_sum_args, x), scratch, false);
}

/* --- ops ------------------------------------------------------------------------------------------------ */

static double flops(const gt_graph *graph, const gt_node *node) {
  const gt_node *x = gt_node_at(graph, node->input[0]);
  return (double)gt_shape_count(node->op == &ops[OP_SUM] ? x->shape : node->shape);
}

static const gt_op ops[OPS] = {
    [OP_SUM] = {.name = "group_sum",
                .kind = GT_OP_KERNEL,
                .min_inputs = 1,
                .infer = infer,
                .gradient = gradient_sum,
                .lower = lower,
                .flops = flops},
    [OP_SPREAD] = {.name = "group_spread",
                   .kind = GT_OP_KERNEL,
                   .min_inputs = 1,
                   .infer = infer,
                   .lower = lower,
                   .flops = flops},
};
