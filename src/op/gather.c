#include "op/gather.h"
#include "base/count.h"
#include "op/check.h"
#include "op/core.h"
#include "op/gather_cpu.h"
#include "op/move.h"
#include "op/op.h"
#include "shaders/op/gather.h"
#include "shaders/op/gather_order.h"
#include "shaders/op/gather_sum.h"
#include "step/lowering.h"
#include <stddef.h>

enum { OP_GATHER, OP_ORDER, OP_SUM, OPS };
enum { WORKGROUP = 256 };
enum { SERIAL = 256 }; /* with at most this number of terms, a sum needs no partial sums */
static const gt_op ops[OPS];

GT_DEFINE(op, gather) = {ops, OPS};

typedef struct gather_attribute {
  int64_t rows, padding; /* of the table */
} gather_attribute;

static const gt_kernel gather_kernel = {"gather", gt_gather_cpu};
static const gt_kernel order_kernel = {"gather_order", gt_gather_order_cpu};
static const gt_kernel merge_kernel = {"gather_merge", gt_gather_merge_cpu};
static const gt_kernel sum_kernel = {"gather_sum", gt_gather_sum_cpu};

/* --- shapes --------------------------------------------------------------------------------------------- */

static bool infer_gather(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                         gt_error *error) {
  const gt_node *table = gt_node_at(graph, node->input[0]), *index = gt_node_at(graph, node->input[1]);
  const int rank = index->shape.rank + table->shape.rank - 1;
  if (table->dtype != GT_F32 || table->shape.rank < 1 || index->dtype != GT_I32 || rank > GT_MAX_RANK) {
    char x[128], y[128];
    return gt_fail(error, GT_ERR_CONFIG,
                   "gather needs an f32 table and i32 indices with at most %d axes in all, not %s %s and %s "
                   "%s",
                   GT_MAX_RANK + 1, gt_dtype_name(table->dtype), gt_shape_text(table->shape, x),
                   gt_dtype_name(index->dtype), gt_shape_text(index->shape, y));
  }
  *shape = index->shape;
  for (int d = 1; d < table->shape.rank; d++) shape->dim[shape->rank++] = table->shape.dim[d];
  *dtype = GT_F32;
  return gt_check_size("gather", table->shape, error) && gt_check_size("gather", *shape, error);
}

static bool infer_order(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                        gt_error *error) {
  const gt_node *index = gt_node_at(graph, node->input[0]);
  if (index->dtype != GT_I32)
    return gt_fail(error, GT_ERR_INTERNAL, "gather_order works on i32 indices, not on %s",
                   gt_dtype_name(index->dtype));
  *shape = gt_shape_2(2, gt_shape_count(index->shape));
  *dtype = GT_I32;
  return gt_check_size("gather_order", *shape, error);
}

static bool infer_sum(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                      gt_error *error) {
  const gather_attribute *a = node->attribute;
  const gt_node *order = gt_node_at(graph, node->input[0]), *x = gt_node_at(graph, node->input[1]);
  const int64_t count = gt_shape_count(x->shape);
  char text[128];
  if (!gt_check_f32("gather_sum", x, error)) return false;
  if (order->dtype != GT_I32 || order->shape.rank != 2 || count % order->shape.dim[1])
    return gt_fail(error, GT_ERR_CONFIG, "%s does not have one row per index", gt_shape_text(x->shape, text));
  *shape = gt_shape_2(a->rows, count / order->shape.dim[1]);
  *dtype = GT_F32;
  return gt_check_size("gather_sum", *shape, error);
}

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  const gather_attribute *a = node->attribute;
  if (a->padding >= 0) snprintf(buffer, size, "padding %lld", (long long)a->padding);
}

/* --- builders and gradient ------------------------------------------------------------------------------ */

gt_id gt_gather(gt_graph *graph, gt_id table, gt_id index, int64_t padding) {
  if (table == GT_NONE) return GT_NONE;
  const gt_id input[2] = {table, index};
  const gt_shape shape = gt_node_at(graph, table)->shape;
  const gather_attribute a = {shape.rank ? shape.dim[0] : 0, padding};
  return gt_node_add(graph, &ops[OP_GATHER], input, 2, &a, sizeof a);
}

bool gt_gather_find(const gt_graph *graph, gt_id x, gt_gather_parts *parts) {
  const gt_node *node = gt_node_at(graph, x);
  if (node->op != &ops[OP_GATHER]) return false;
  *parts =
      (gt_gather_parts){node->input[0], node->input[1], ((const gather_attribute *)node->attribute)->padding};
  return true;
}

gt_id gt_gather_swapped(gt_graph *graph, gt_id x) {
  static const int axes[GT_MAX_RANK] = {1, 0, 2, 3, 4, 5, 6, 7};
  gt_gather_parts parts;
  if (x == GT_NONE) return GT_NONE;
  if (!gt_gather_find(graph, x, &parts) || gt_node_at(graph, parts.index)->shape.rank != 2)
    return gt_permute(graph, x, axes);
  return gt_gather(graph, parts.table, gt_permute(graph, parts.index, axes), parts.padding);
}

gt_id gt_gather_order(gt_graph *graph, gt_id index) {
  return gt_node_add(graph, &ops[OP_ORDER], &index, 1, NULL, 0);
}

gt_id gt_gather_sum_ordered(gt_graph *graph, gt_id x, gt_id order, int64_t table_rows, int64_t padding) {
  const gather_attribute a = {table_rows, padding};
  const gt_id input[2] = {order, x};
  return gt_node_add(graph, &ops[OP_SUM], input, 2, &a, sizeof a);
}

gt_id gt_gather_sum(gt_graph *graph, gt_id x, gt_id index, int64_t table_rows, int64_t padding) {
  if (x == GT_NONE || index == GT_NONE) return GT_NONE;
  const gt_id sum = gt_gather_sum_ordered(graph, x, gt_gather_order(graph, index), table_rows, padding);
  const gt_shape x_shape = gt_node_at(graph, x)->shape;
  gt_shape shape = {.rank = 1, .dim = {table_rows}};
  for (int d = gt_node_at(graph, index)->shape.rank; d < x_shape.rank; d++)
    shape.dim[shape.rank++] = x_shape.dim[d];
  return gt_reshape(graph, sum, shape);
}

static void gradient_gather(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                            gt_id *input_gradient) {
  const gather_attribute a = *(const gather_attribute *)gt_node_at(graph, node)->attribute;
  const gt_id index = gt_node_at(graph, node)->input[1];
  if (wanted[0]) input_gradient[0] = gt_gather_sum(graph, output_gradient[0], index, a.rows, a.padding);
}

static bool leaves_rows(const gt_graph *graph, const gt_node *node, gt_form *form) {
  (void)graph;
  *form = (gt_form){.kind = GT_FORM_ROWS, .table = node->input[0], .index = node->input[1]};
  return true;
}

/* --- lowering ------------------------------------------------------------------------------------------- */

/* 1 if an invocation processes vec4s, because the row length is a multiple of 4. */
static uint32_t uses_vec4(uint32_t width) { return width % 4 == 0; }
/* Number of invocations for `count` rows of `width` elements. */
static uint64_t invocations(uint64_t count, uint32_t width) {
  return count * (uses_vec4(width) ? width / 4 : width);
}

static void lower_gather(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const gt_shape table = gt_node_at(graph, node->input[0])->shape;
  const struct gt_gather_args args = {.n = (uint32_t)gt_shape_count(gt_node_at(graph, node->input[1])->shape),
                                      .rows = (uint32_t)table.dim[0],
                                      .width = (uint32_t)(gt_shape_count(table) / table.dim[0])};
  gt_step *step = gt_lower_step(lowering, &gather_kernel, &args, sizeof args);
  step->spec[GT_GATHER_SPEC_QUADS] = uses_vec4(args.width);
  step->touched = 4ull * args.n * (2ull * args.width + 1);
  step->tiles = gt_ceil_div(args.n, gt_gather_tile_rows(args.width));
  gt_lower_read(lowering, offsetof(struct gt_gather_args, table), node->input[0]);
  gt_lower_read(lowering, offsetof(struct gt_gather_args, index), node->input[1]);
  gt_lower_write(lowering, offsetof(struct gt_gather_args, y), group->leader);
  gt_lower_grid(lowering, invocations(args.n, args.width), WORKGROUP);
}

/* Sorts short runs, then merges pairs of runs until one is left. */
static void lower_order(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const uint32_t n = (uint32_t)node->shape.dim[1];
  uint32_t merges = 0, scratch[2] = {0};
  while ((uint64_t)GT_GATHER_RUN << merges < n) merges++;
  for (uint32_t k = 0; k < 2 && k < merges; k++) scratch[k] = gt_lower_scratch(lowering, 8ull * n);
  for (uint32_t k = 0; k <= merges; k++) {
    const struct gt_gather_order_args args = {.n = n, .run = (uint32_t)GT_GATHER_RUN << (k ? k - 1 : 0)};
    gt_step *step = gt_lower_step(lowering, k ? &merge_kernel : &order_kernel, &args, sizeof args);
    step->tiles = gt_ceil_div(n, GT_GATHER_RUN);
    if (k)
      gt_lower_use_scratch(lowering, offsetof(struct gt_gather_order_args, x), scratch[(k - 1) % 2], false);
    else
      gt_lower_read(lowering, offsetof(struct gt_gather_order_args, x), node->input[0]);
    if (k < merges)
      gt_lower_use_scratch(lowering, offsetof(struct gt_gather_order_args, y), scratch[k % 2], true);
    else
      gt_lower_write(lowering, offsetof(struct gt_gather_order_args, y), group->leader);
    gt_lower_grid(lowering, n, WORKGROUP);
  }
}

/* Rows per block: a power of two near the square root of n, so that a sum of all rows has about as many
 * partial sums as a partial sum has terms. 0: no partial sums. */
static uint32_t block_for(uint32_t n) {
  uint32_t block = 1;
  while ((uint64_t)block * block < n) block *= 2;
  return n > SERIAL ? block : 0;
}

static void lower_sum(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const gather_attribute *a = node->attribute;
  struct gt_gather_sum_args args = {
      .n = (uint32_t)gt_node_at(gt_lowering_graph(lowering), node->input[0])->shape.dim[1],
      .rows = (uint32_t)node->shape.dim[0],
      .width = (uint32_t)node->shape.dim[1],
      .padding = (uint32_t)a->padding};
  args.block = block_for(args.n);
  const uint32_t blocks = args.block ? args.n / args.block : 0;
  const uint32_t scratch = blocks ? gt_lower_scratch(lowering, 4ull * blocks * args.width) : 0;
  for (int partial = blocks > 0; partial >= 0; partial--) {
    gt_step *step = gt_lower_step(lowering, &sum_kernel, &args, sizeof args);
    step->spec[GT_GATHER_SUM_SPEC_BLOCKS] = (uint32_t)partial;
    step->spec[GT_GATHER_SUM_SPEC_QUADS] = uses_vec4(args.width);
    step->tiles = partial ? gt_ceil_div(blocks, gt_gather_tile_blocks(args.block, args.width))
                          : gt_ceil_div(args.rows, gt_gather_tile_rows(args.width));
    gt_lower_read(lowering, offsetof(struct gt_gather_sum_args, order), node->input[0]);
    gt_lower_read(lowering, offsetof(struct gt_gather_sum_args, x), node->input[1]);
    if (blocks)
      gt_lower_use_scratch(lowering, offsetof(struct gt_gather_sum_args, partial), scratch, partial);
    if (!partial) gt_lower_write(lowering, offsetof(struct gt_gather_sum_args, y), group->leader);
    gt_lower_grid(lowering, invocations(partial ? blocks : args.rows, args.width), WORKGROUP);
  }
}

/* --- ops ------------------------------------------------------------------------------------------------ */

static double flops_sum(const gt_graph *graph, const gt_node *node) {
  return (double)gt_shape_count(gt_node_at(graph, node->input[1])->shape);
}

static const gt_op ops[OPS] = {
    [OP_GATHER] = {.name = "gather",
                   .kind = GT_OP_KERNEL,
                   .min_inputs = 2,
                   .infer = infer_gather,
                   .gradient = gradient_gather,
                   .lower = lower_gather,
                   .leaves = leaves_rows,
                   .flops = gt_no_flops,
                   .print = print},
    [OP_ORDER] = {.name = "gather_order",
                  .kind = GT_OP_KERNEL,
                  .min_inputs = 1,
                  .infer = infer_order,
                  .lower = lower_order,
                  .flops = gt_no_flops},
    [OP_SUM] = {.name = "gather_sum",
                .kind = GT_OP_KERNEL,
                .min_inputs = 2,
                .infer = infer_sum,
                .lower = lower_sum,
                .flops = flops_sum,
                .print = print},
};
