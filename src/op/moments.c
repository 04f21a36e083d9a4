/* Moments of columns. A first pass of kernel moments reduces chunks of rows, unless the kernel that writes
 * the rows has already reduced tiles of them (gt_lower_joined); a last pass combines the partial results. */
#include "op/moments.h"
#include "base/count.h"
#include "op/check.h"
#include "op/columns.h"
#include "op/elementwise.h"
#include "op/core.h"
#include "op/move.h"
#include "op/moments_cpu.h"
#include "op/op.h"
#include "op/reduce.h"
#include "lib/columns.h"
#include "shaders/op/moments.h"
#include "step/lowering.h"
#include <stddef.h>

static const gt_op ops[1];

GT_DEFINE(op, moments) = {ops, 1};

/* --- shapes and gradient -------------------------------------------------------------------------------- */

static int64_t columns_of(gt_shape shape) { return shape.dim[shape.rank - 1]; }
static int64_t rows_of(gt_shape shape) { return gt_shape_count(shape) / columns_of(shape); }

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_node *x = gt_node_at(graph, node->input[0]);
  char text[128];
  if (!gt_check_f32("moments", x, error) || !gt_check_size("moments", x->shape, error)) return false;
  if (x->shape.rank < 2)
    return gt_fail(error, GT_ERR_CONFIG, "moments: %s has no columns", gt_shape_text(x->shape, text));
  if (node->inputs > 1) {
    const gt_node *weight = gt_node_at(graph, node->input[1]);
    if (!gt_check_f32("moments", weight, error)) return false;
    if (!gt_shape_equal(weight->shape, gt_shape_1(x->shape.dim[0])))
      return gt_fail(error, GT_ERR_CONFIG, "moments: a weight of shape %s does not match",
                     gt_shape_text(weight->shape, text));
  }
  for (int k = 0; k <= node->op->further; k++) {
    shape[k] = gt_shape_1(columns_of(x->shape));
    dtype[k] = GT_F32;
  }
  return true;
}

gt_id gt_column_moments(gt_graph *graph, gt_id x, gt_id weight, double eps) {
  const gt_id input[] = {x, weight};
  return gt_node_add(graph, &ops[0], input, weight == GT_NONE ? 1 : 2, &eps, sizeof eps);
}

/* The weight of each row in the mean, [batch, 1 …] or a scalar. */
static gt_id row_weight(gt_graph *graph, const gt_node *moments, gt_shape shape) {
  const double rows_per_sample = (double)(rows_of(shape) / shape.dim[0]);
  if (moments->inputs < 2) return gt_constant(graph, 1 / (double)rows_of(shape));
  const gt_id weight = moments->input[1];
  const gt_id weighted_rows =
      gt_mul(graph, gt_sum(graph, weight, 0, false), gt_constant(graph, rows_per_sample));
  gt_shape of_batch = shape;
  for (int d = 1; d < shape.rank; d++) of_batch.dim[d] = 1;
  /* not 0 if all weights are 0 */
  const gt_id total = gt_max(graph, weighted_rows, gt_constant(graph, 1e-30));
  return gt_reshape(graph, gt_div(graph, weight, total), of_batch);
}

/* The gradient of the variance, including the part through 1 / sqrt(variance + eps). */
static gt_id variance_gradient(gt_graph *graph, gt_id node, const gt_id *output_gradient) {
  const gt_id inverse = gt_result(graph, node, 2);
  if (output_gradient[2] == GT_NONE) return output_gradient[1];
  const gt_id cube = gt_mul(graph, gt_mul(graph, inverse, inverse), inverse);
  const gt_id slope = gt_mul(graph, output_gradient[2], gt_mul(graph, cube, gt_constant(graph, -0.5)));
  return output_gradient[1] == GT_NONE ? slope : gt_add(graph, output_gradient[1], slope);
}

/* The derivative of the variance with respect to the mean is 0. */
static void gradient(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                     gt_id *input_gradient) {
  const gt_node moments = *gt_node_at(graph, node);
  const gt_id x = moments.input[0];
  const gt_shape shape = gt_node_at(graph, x)->shape;
  gt_id value_gradient = GT_NONE;
  if (!wanted[0]) return;
  if (output_gradient[0] != GT_NONE) value_gradient = gt_expand(graph, output_gradient[0], shape);
  const gt_id of_variance = variance_gradient(graph, node, output_gradient);
  if (of_variance != GT_NONE) {
    const gt_id twice = gt_mul(graph, of_variance, gt_constant(graph, 2));
    const gt_id slope = gt_mul(graph, gt_sub(graph, x, node), twice);
    value_gradient = value_gradient == GT_NONE ? slope : gt_add(graph, value_gradient, slope);
  }
  input_gradient[0] = gt_mul(graph, value_gradient, row_weight(graph, &moments, shape));
}

/* --- lowering ------------------------------------------------------------------------------------------- */

static const gt_kernel kernel = {"moments", gt_moments_cpu};

/* gt_op.columns: the kind of reduction that the kernel of the input can take over. */
static uint32_t columns(const gt_graph *graph, const gt_node *node) {
  return rows_of(gt_node_at(graph, node->input[0])->shape) > GT_COLUMNS_SERIAL ? GT_COLUMNS_MOMENTS : 0;
}

/* Rows per chunk on the CPU. Chunks fit a cache and depend only on the shape, because results must not depend
 * on the number of threads. */
static uint32_t chunk_for_cpu(uint32_t row_count, uint32_t column_count) {
  enum { CACHED = 32768 /* values */, MIN_ROWS = 64, MAX_ROWS = 1024 };
  return gt_min_u32(gt_min_u32(gt_max_u32(CACHED / column_count, MIN_ROWS), MAX_ROWS), row_count);
}

typedef struct pass {     /* the input of a pass */
  uint32_t kind;          /* GT_MOMENTS_ROWS, … */
  uint32_t parts, counts; /* scratch memory: partial results of the pass before, and their weights */
} pass;

/* Emits a pass; returns the input of the next one. */
static pass lower_pass(gt_lowering *lowering, const gt_node *node, gt_id id, struct gt_moments_args *args,
                       const pass *from) {
  const gt_target *target = gt_lowering_target(lowering);
  const bool is_partial = from->kind != GT_MOMENTS_ROWS;
  const gt_columns c = gt_columns_choose(lowering, args->inputs, gt_ceil_div(args->columns, 4), is_partial);
  args->chunk = is_partial       ? args->inputs
                : target->device ? gt_columns_chunk(target, &c, args->inputs, 1)
                                 : chunk_for_cpu(args->inputs, args->columns);
  const uint32_t chunks = gt_ceil_div(args->inputs, args->chunk);
  pass next = {.kind = GT_MOMENTS_PARTS};
  gt_step *step = gt_lower_step(lowering, &kernel, args, sizeof *args);
  step->spec[GT_MOMENTS_SPEC_FROM] = from->kind;
  step->spec[GT_MOMENTS_SPEC_WEIGHTED] = node->inputs > 1;
  step->spec[GT_MOMENTS_SPEC_LAST] = chunks == 1;
  step->spec[GT_MOMENTS_SPEC_ACROSS] = c.across;
  step->spec[GT_MOMENTS_SPEC_QUADS] = args->columns % 4 == 0;
  step->tiles = gt_moments_tiles(args);
#define AT(name) offsetof(struct gt_moments_args, name)
  const bool weighted = from->kind != GT_MOMENTS_PARTS && node->inputs > 1;
  if (weighted || !is_partial) gt_lower_read(lowering, AT(x), node->input[0]);
  if (weighted) gt_lower_read(lowering, AT(weight), node->input[1]);
  if (is_partial) step->touched = 8ull * args->columns * (args->inputs + 1);
  if (is_partial) gt_lower_use_scratch(lowering, AT(from), from->parts, false);
  if (from->kind == GT_MOMENTS_PARTS) gt_lower_use_scratch(lowering, AT(from_counts), from->counts, false);
  if (chunks == 1) {
    gt_lower_write(lowering, AT(mean), id);
    gt_lower_write(lowering, AT(variance), gt_result(gt_lowering_graph(lowering), id, 1));
    gt_lower_write(lowering, AT(inverse), gt_result(gt_lowering_graph(lowering), id, 2));
  } else {
    next.parts = gt_lower_scratch(lowering, 8ull * chunks * args->columns);
    next.counts = gt_lower_scratch(lowering, 4ull * chunks);
    gt_lower_use_scratch(lowering, AT(parts), next.parts, true);
    gt_lower_use_scratch(lowering, AT(counts), next.counts, true);
  }
#undef AT
  gt_lower_grid(lowering, (uint64_t)chunks * c.tiles * c.workgroup, c.workgroup);
  return next;
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const gt_shape shape = gt_node_at(graph, node->input[0])->shape;
  const uint32_t row_count = (uint32_t)rows_of(shape);
  struct gt_moments_args args = {.rows = row_count,
                                 .columns = (uint32_t)columns_of(shape),
                                 .rows_per_sample = row_count / (uint32_t)shape.dim[0],
                                 .inputs = row_count,
                                 .eps = (float)*(const double *)node->attribute};
  gt_joined joined;
  pass from = {.kind = GT_MOMENTS_ROWS};
  if (gt_lower_joined(lowering, group, &joined)) {
    from = (pass){.kind = GT_MOMENTS_TILES, .parts = joined.scratch};
    args.inputs = joined.tiles, args.tile = joined.rows;
  }
  for (uint32_t chunks = 2; chunks > 1; args.inputs = chunks) {
    from = lower_pass(lowering, node, group->leader, &args, &from);
    chunks = gt_ceil_div(args.inputs, args.chunk);
  }
}

static double flops(const gt_graph *graph, const gt_node *node) {
  return 4.0 * (double)gt_shape_count(gt_node_at(graph, node->input[0])->shape);
}

static const gt_op ops[1] = {{.name = "moments",
                              .kind = GT_OP_KERNEL,
                              .min_inputs = 1,
                              .max_inputs = 2,
                              .further = 2,
                              .infer = infer,
                              .gradient = gradient,
                              .lower = lower,
                              .flops = flops,
                              .columns = columns}};
