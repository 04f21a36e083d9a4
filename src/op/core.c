/* Leaf and bookkeeping ops: variables, views, packs and assigns have no kernel; the clock and the log have
 * tiny ones. */
#include "op/core.h"
#include "op/move.h"
#include "op/op.h"
#include "shaders/op/clock.h"
#include "shaders/op/log_row.h"
#include "step/lowering.h"
#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum { OP_VARIABLE, OP_VIEW, OP_PACK, OP_ASSIGN, OP_CLOCK, OP_LOG_ROW, OPS, MAX_LOG_VALUES = 8 };
static const gt_op ops[OPS];

GT_DEFINE(op, core) = {ops, OPS};

static bool variable_exists(const gt_graph *graph, uint32_t variable, gt_error *error) {
  if (variable < graph->variables) return true;
  return gt_fail(error, GT_ERR_INTERNAL, "variable %" PRIu32 " does not exist", variable);
}

/* --- variable --- */

static bool infer_variable(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                           gt_error *error) {
  const gt_variable_attribute *attribute = node->attribute;
  if (!variable_exists(graph, attribute->variable, error)) return false;
  *shape = graph->variable[attribute->variable].shape;
  *dtype = graph->variable[attribute->variable].dtype;
  return true;
}

static void print_variable(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  const gt_variable_attribute *attribute = node->attribute;
  snprintf(buffer, size, "%s", graph->variable[attribute->variable].name);
}

gt_id gt_variable_read(gt_graph *graph, uint32_t variable) {
  const gt_variable_attribute attribute = {variable};
  return gt_node_add(graph, &ops[OP_VARIABLE], NULL, 0, &attribute, sizeof attribute);
}

static bool is_bits(const gt_graph *graph, const gt_node *node) {
  return graph->variable[((const gt_variable_attribute *)node->attribute)->variable].bits;
}

/* --- view --- */

static bool infer_view(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                       gt_error *error) {
  const gt_view_attribute *attribute = node->attribute;
  const gt_node *x = gt_node_at(graph, node->input[0]);
  const int64_t size = gt_shape_count(x->shape), count = gt_shape_count(attribute->shape);
  if (attribute->offset < 0 || count > size || attribute->offset > size - count) {
    char from[128], to[128];
    return gt_fail(error, GT_ERR_CONFIG, "cannot view %s at element %" PRId64 " as %s",
                   gt_shape_text(x->shape, from), attribute->offset, gt_shape_text(attribute->shape, to));
  }
  *shape = attribute->shape;
  *dtype = x->dtype;
  return true;
}

/* The gradient of a view is padded with zeros to the size of the input. */
static void gradient_view(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                          gt_id *input_gradient) {
  if (!wanted[0]) return;
  const gt_node *view = gt_node_at(graph, node), *x = gt_node_at(graph, view->input[0]);
  const gt_view_attribute *attribute = view->attribute;
  const gt_shape x_shape = x->shape;
  const int64_t count = gt_shape_count(view->shape), before = attribute->offset,
                after = gt_shape_count(x_shape) - count - before;
  gt_id gradient = output_gradient[0];
  if (before || after) {
    const gt_id flat = gt_view(graph, gradient, 0, gt_shape_1(count));
    gradient = gt_pad(graph, flat, &before, &after, 0.0);
  }
  input_gradient[0] = gt_view(graph, gradient, 0, x_shape);
}

static void print_view(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  const gt_view_attribute *attribute = node->attribute;
  if (attribute->offset) snprintf(buffer, size, "at %" PRId64, attribute->offset);
}

gt_id gt_view(gt_graph *graph, gt_id x, int64_t offset, gt_shape shape) {
  if (x == GT_NONE) return GT_NONE;
  if (offset == 0 && gt_shape_equal(gt_node_at(graph, x)->shape, shape)) return x;
  gt_view_attribute attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.offset = offset;
  attribute.shape.rank = shape.rank;
  for (int d = 0; d < shape.rank; d++) attribute.shape.dim[d] = shape.dim[d];
  return gt_node_add(graph, &ops[OP_VIEW], &x, 1, &attribute, sizeof attribute);
}

gt_id gt_reshape(gt_graph *graph, gt_id x, gt_shape shape) {
  if (x == GT_NONE) return GT_NONE;
  const gt_shape from = gt_node_at(graph, x)->shape;
  const int64_t count = gt_shape_count(from);
  char a[128], b[128];
  int64_t known = 1;
  int unknown = -1, unknowns = 0;
  for (int d = 0; d < shape.rank; d++) {
    if (shape.dim[d] == -1)
      unknown = d, unknowns++;
    else if (__builtin_mul_overflow(known, shape.dim[d], &known))
      known = INT64_MAX;
  }
  if (unknowns == 1 && known > 0 && count % known == 0) {
    shape.dim[unknown] = count / known;
    unknowns = 0, known = count;
  }
  if (unknowns || known != count) {
    gt_fail(&graph->error, GT_ERR_CONFIG, "%s: cannot reshape %s into %s",
            graph->scope ? graph->scope : "graph", gt_shape_text(from, a), gt_shape_text(shape, b));
    return GT_NONE;
  }
  return gt_view(graph, x, 0, shape);
}

/* --- pack --- */

int64_t gt_pack_offset(const gt_graph *graph, gt_id pack, int part) {
  return ((const gt_pack_attribute *)gt_node_at(graph, pack)->attribute)->offset[part];
}

bool gt_pack_has_gaps(const gt_graph *graph, gt_id pack) {
  const gt_node *node = gt_node_at(graph, pack);
  int64_t elements = 0;
  for (int i = 0; i < node->inputs; i++) elements += gt_shape_count(gt_node_at(graph, node->input[i])->shape);
  return elements < gt_shape_count(node->shape);
}

gt_id gt_view_origin(const gt_graph *graph, gt_id x, int64_t *offset) {
  for (*offset = 0;;) {
    const gt_node *node = gt_node_at(graph, x);
    if (node->op->kind != GT_OP_VIEW || node->dtype != gt_node_at(graph, node->input[0])->dtype) return x;
    *offset += ((const gt_view_attribute *)node->attribute)->offset;
    x = node->input[0];
  }
}

gt_id gt_view_or_input(gt_graph *graph, gt_id x, int64_t offset, gt_shape shape) {
  if (x == GT_NONE) return GT_NONE;
  int64_t begin;
  const gt_id origin = gt_view_origin(graph, x, &begin);
  const gt_node *node = gt_node_at(graph, origin);
  for (int i = 0; node->op->kind == GT_OP_PACK && i < node->inputs; i++)
    if (gt_pack_offset(graph, origin, i) == begin + offset &&
        gt_shape_count(gt_node_at(graph, node->input[i])->shape) == gt_shape_count(shape))
      return gt_reshape(graph, node->input[i], shape);
  return gt_view(graph, x, offset, shape);
}

/* Parts are in ascending order and do not overlap. */
static bool infer_pack(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                       gt_error *error) {
  const gt_pack_attribute *attribute = node->attribute;
  int64_t end = 0;
  *dtype = gt_node_at(graph, node->input[0])->dtype;
  for (int i = 0; i < node->inputs; i++) {
    const gt_node *x = gt_node_at(graph, node->input[i]);
    if (x->dtype != *dtype)
      return gt_fail(error, GT_ERR_CONFIG, "cannot pack %s with %s", gt_dtype_name(x->dtype),
                     gt_dtype_name(*dtype));
    if (attribute->offset[i] < end)
      return gt_fail(error, GT_ERR_INTERNAL, "part %d of a pack overlaps the one before it", i);
    end = attribute->offset[i] + gt_shape_count(x->shape);
  }
  if (attribute->total < end)
    return gt_fail(error, GT_ERR_INTERNAL, "the parts of a pack reach past its end");
  *shape = gt_shape_1(attribute->total);
  return true;
}

static void gradient_pack(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                          gt_id *input_gradient) {
  for (int i = 0; i < gt_node_at(graph, node)->inputs; i++) {
    const gt_shape shape = gt_node_at(graph, gt_node_at(graph, node)->input[i])->shape;
    if (wanted[i])
      input_gradient[i] = gt_view_or_input(graph, output_gradient[0], gt_pack_offset(graph, node, i), shape);
  }
}

gt_id gt_pack_at(gt_graph *graph, const gt_id *x, const int64_t *offset, int count, int64_t total) {
  size_t size = sizeof(gt_pack_attribute) + sizeof *offset * (size_t)count;
  gt_pack_attribute *attribute = gt_arena_alloc(graph->arena, size);
  attribute->total = total;
  memcpy(attribute->offset, offset, sizeof *offset * (size_t)count);
  return gt_node_add(graph, &ops[OP_PACK], x, count, attribute, size);
}

gt_id gt_pack(gt_graph *graph, const gt_id *x, int count) {
  int64_t *offset = GT_NEW_N(graph->arena, int64_t, count), total = 0;
  for (int i = 0; i < count; i++) {
    if (x[i] == GT_NONE) return GT_NONE;
    offset[i] = total;
    total += gt_shape_count(gt_node_at(graph, x[i])->shape);
  }
  return gt_pack_at(graph, x, offset, count, total);
}

/* --- assign --- */

static bool infer_assign(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                         gt_error *error) {
  const gt_assign_attribute *attribute = node->attribute;
  const gt_node *x = gt_node_at(graph, node->input[0]);
  if (!variable_exists(graph, attribute->variable, error)) return false;
  const gt_variable *variable = &graph->variable[attribute->variable];
  const int64_t size = gt_shape_count(variable->shape), count = gt_shape_count(x->shape);
  if (x->dtype != variable->dtype || attribute->offset < 0 || count > size ||
      attribute->offset > size - count) {
    char from[128], to[128];
    return gt_fail(error, GT_ERR_CONFIG,
                   "cannot assign %s %s to %s %s of variable \"%s\" at element %" PRId64,
                   gt_dtype_name(x->dtype), gt_shape_text(x->shape, from), gt_dtype_name(variable->dtype),
                   gt_shape_text(variable->shape, to), variable->name, attribute->offset);
  }
  if (variable->bits && !x->bits)
    return gt_fail(error, GT_ERR_INTERNAL, "variable \"%s\" must hold only 0 and 1", variable->name);
  *shape = x->shape;
  *dtype = x->dtype;
  return true;
}

static void print_assign(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  const gt_assign_attribute *attribute = node->attribute;
  snprintf(buffer, size, "%s at %" PRId64, graph->variable[attribute->variable].name, attribute->offset);
}

gt_id gt_assign(gt_graph *graph, uint32_t variable, int64_t offset, gt_id x) {
  gt_assign_attribute attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.variable = variable;
  attribute.offset = offset;
  const gt_id node = gt_node_add(graph, &ops[OP_ASSIGN], &x, 1, &attribute, sizeof attribute);
  if (node != GT_NONE) gt_graph_add_root(graph, node);
  return node;
}

/* --- clock --- */

static void clock_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  (void)spec, (void)tile;
  const struct gt_clock_args *a = args;
  uint32_t *state = GT_PTR(uint32_t, a->state), *now = GT_PTR(uint32_t, a->now);
  const uint32_t step = state[0];
  now[0] = step, now[1] = state[1], now[2] = state[2], now[3] = 0;
  const uint32_t *row = GT_PTR(const uint32_t, a->table) + (size_t)(step % a->rows) * a->scalars;
  for (uint32_t k = 0; k < a->scalars; k++) now[GT_CLOCK_WORDS + k] = row[k];
  state[0] = step + 1;
}

static const gt_kernel clock_kernel = {"clock", clock_cpu};

static bool infer_clock(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                        gt_error *error) {
  const gt_clock_attribute *attribute = node->attribute;
  if (!variable_exists(graph, attribute->state, error) || !variable_exists(graph, attribute->table, error))
    return false;
  const gt_variable *state = &graph->variable[attribute->state], *table = &graph->variable[attribute->table];
  if (gt_shape_count(state->shape) != GT_STATE_WORDS || table->shape.rank != 2)
    return gt_fail(error, GT_ERR_INTERNAL, "the clock needs a state of %d words and a table of rows",
                   GT_STATE_WORDS);
  *shape = gt_shape_1(GT_CLOCK_WORDS + table->shape.dim[1]);
  *dtype = GT_F32;
  return true;
}

static void lower_clock(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const gt_clock_attribute *attribute = node->attribute;
  const gt_shape table = graph->variable[attribute->table].shape;
  struct gt_clock_args args = {.rows = (uint32_t)table.dim[0], .scalars = (uint32_t)table.dim[1]};
  gt_step *step = gt_lower_step(lowering, &clock_kernel, &args, sizeof args);
  step->tiles = 1;
  step->touched = 4ull * (2 * args.scalars + 2 * GT_STATE_WORDS + GT_CLOCK_WORDS);
  gt_lower_update_variable(lowering, offsetof(struct gt_clock_args, state), attribute->state);
  gt_lower_read(lowering, offsetof(struct gt_clock_args, table), node->input[0]);
  gt_lower_write(lowering, offsetof(struct gt_clock_args, now), group->leader);
  gt_lower_grid(lowering, 64, 64);
}

gt_id gt_clock(gt_graph *graph, uint32_t state, uint32_t table) {
  const gt_clock_attribute attribute = {state, table};
  const gt_id row = gt_variable_read(graph, table);
  return gt_node_add(graph, &ops[OP_CLOCK], &row, 1, &attribute, sizeof attribute);
}

gt_id gt_clock_scalar(gt_graph *graph, gt_id clock, int index) {
  return gt_view(graph, clock, GT_CLOCK_WORDS + index, gt_shape_of(0, NULL));
}

/* --- log_row --- */

static void log_row_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  (void)spec, (void)tile;
  const struct gt_log_row_args *a = args;
  const uint32_t step = *GT_PTR(const uint32_t, a->clock);
  float *log = GT_PTR(float, a->log) + (size_t)(step % a->rows) * a->count;
  for (uint32_t k = 0; k < a->inputs; k++) {
    memcpy(log, GT_PTR(const float, a->x[k]), a->width[k] * sizeof *log);
    log += a->width[k];
  }
}

static const gt_kernel log_row_kernel = {"log_row", log_row_cpu};

static bool infer_log_row(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                          gt_error *error) {
  const gt_log_attribute *attribute = node->attribute;
  if (!variable_exists(graph, attribute->log, error)) return false;
  const gt_variable *log = &graph->variable[attribute->log];
  int64_t count = 0;
  for (int i = 1; i < node->inputs; i++) {
    const gt_node *x = gt_node_at(graph, node->input[i]);
    if (x->dtype != GT_F32) return gt_fail(error, GT_ERR_INTERNAL, "log value %d is not F32", i - 1);
    count += gt_shape_count(x->shape);
  }
  if (log->shape.rank != 2 || log->shape.dim[1] != count || log->dtype != GT_F32)
    return gt_fail(error, GT_ERR_INTERNAL, "log variable \"%s\" does not hold rows of %" PRId64 " values",
                   log->name, count);
  *shape = gt_shape_of(0, NULL); /* the value is not read: the row in the log is the result */
  *dtype = GT_F32;
  return true;
}

static void lower_log_row(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const gt_log_attribute *attribute = node->attribute;
  const gt_shape log = graph->variable[attribute->log].shape;
  struct gt_log_row_args args = {
      .rows = (uint32_t)log.dim[0], .count = (uint32_t)log.dim[1], .inputs = (uint32_t)node->inputs - 1};
  for (int i = 1; i < node->inputs; i++)
    args.width[i - 1] = (uint32_t)gt_shape_count(gt_node_at(graph, node->input[i])->shape);
  gt_step *step = gt_lower_step(lowering, &log_row_kernel, &args, sizeof args);
  step->tiles = 1;
  step->touched = 4ull * (2 * args.count + 1);
  gt_lower_read(lowering, offsetof(struct gt_log_row_args, clock), node->input[0]);
  for (int i = 1; i < node->inputs; i++)
    gt_lower_read(lowering, offsetof(struct gt_log_row_args, x) + 8 * (size_t)(i - 1), node->input[i]);
  gt_lower_update_variable(lowering, offsetof(struct gt_log_row_args, log), attribute->log);
  gt_lower_grid(lowering, 64, 64);
}

gt_id gt_log_row(gt_graph *graph, uint32_t log, gt_id clock, const gt_id *value, int count) {
  assert(count >= 1 && count <= MAX_LOG_VALUES);
  const gt_log_attribute attribute = {log};
  gt_id input[1 + MAX_LOG_VALUES] = {clock};
  for (int i = 0; i < count; i++) input[1 + i] = value[i];
  const gt_id node = gt_node_add(graph, &ops[OP_LOG_ROW], input, 1 + count, &attribute, sizeof attribute);
  if (node != GT_NONE) gt_graph_add_root(graph, node);
  return node;
}

static const gt_op ops[OPS] = {
    [OP_VARIABLE] = {.name = "variable",
                     .kind = GT_OP_VARIABLE,
                     .infer = infer_variable,
                     .bits = is_bits,
                     .print = print_variable,
                     .flops = gt_no_flops},
    [OP_VIEW] = {.name = "view",
                 .kind = GT_OP_VIEW,
                 .min_inputs = 1,
                 .infer = infer_view,
                 .bits = gt_inputs_are_bits,
                 .limit = gt_inputs_limit,
                 .gradient = gradient_view,
                 .print = print_view,
                 .flops = gt_no_flops},
    [OP_PACK] = {.name = "pack",
                 .kind = GT_OP_PACK,
                 .min_inputs = 1,
                 .max_inputs = -1,
                 .infer = infer_pack,
                 .limit = gt_inputs_limit,
                 .gradient = gradient_pack,
                 .flops = gt_no_flops},
    [OP_ASSIGN] = {.name = "assign",
                   .kind = GT_OP_ASSIGN,
                   .min_inputs = 1,
                   .infer = infer_assign,
                   .print = print_assign,
                   .flops = gt_no_flops},
    [OP_CLOCK] = {.name = "clock",
                  .kind = GT_OP_KERNEL,
                  .min_inputs = 1,
                  .infer = infer_clock,
                  .lower = lower_clock,
                  .bookkeeping = true,
                  .flops = gt_no_flops},
    [OP_LOG_ROW] = {.name = "log_row",
                    .kind = GT_OP_KERNEL,
                    .min_inputs = 2,
                    .max_inputs = 1 + MAX_LOG_VALUES,
                    .infer = infer_log_row,
                    .lower = lower_log_row,
                    .bookkeeping = true,
                    .flops = gt_no_flops},
};
