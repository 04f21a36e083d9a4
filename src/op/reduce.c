/* Reductions: one kernel over the iteration space [outer, reduced, inner]. Long reductions run in passes:
 * each divides `reduced` into chunks, whose results the next pass reduces, until one chunk is left. */
#include "op/reduce.h"
#include "base/count.h"
#include "op/check.h"
#include "op/columns.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/move.h"
#include "op/op.h"
#include "op/reduce_cpu.h"
#include "lib/columns.h"
#include "shaders/op/reduce.h"
#include "step/lowering.h"
#include <stddef.h>

enum { OP_SUM, OP_MEAN, OP_MAX, OP_MIN, OP_FINITE, OPS };
enum {
  WORKGROUP = 256,
  SMALL_WORKGROUP = 64,
  SERIAL = GT_COLUMNS_SERIAL,
  RESIDENT = 2048 /* invocations that keep a unit busy */
};
static const gt_op ops[OPS];

GT_DEFINE(op, reduce) = {ops, OPS};

/* --- shapes --------------------------------------------------------------------------------------------- */

static bool is_reduced(uint32_t axes, int axis) { return axes >> axis & 1; }

/* The number of groups of adjacent reduced axes; axes of length 1 are ignored. *last: the axes of the last
 * group. */
static int axis_groups(gt_shape shape, uint32_t axes, uint32_t *last) {
  int count = 0;
  bool inside = false;
  for (int d = 0; d < shape.rank; d++) {
    if (shape.dim[d] == 1) continue;
    if (is_reduced(axes, d) && !inside) {
      count++;
      *last = 0;
    }
    inside = is_reduced(axes, d);
    if (inside) *last |= 1u << d;
  }
  return count;
}

static gt_shape reduced_shape(gt_shape shape, uint32_t axes, bool keep) {
  gt_shape out = {.rank = 0};
  for (int d = 0; d < shape.rank; d++)
    if (!is_reduced(axes, d))
      out.dim[out.rank++] = shape.dim[d];
    else if (keep)
      out.dim[out.rank++] = 1;
  return out;
}

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const gt_reduce_attribute *attribute = node->attribute;
  const gt_node *x = gt_node_at(graph, node->input[0]);
  uint32_t last;
  if (!gt_check_f32(node->op->name, x, error) || !gt_check_size(node->op->name, x->shape, error))
    return false;
  if (axis_groups(x->shape, attribute->axes, &last) > 1)
    return gt_fail(error, GT_ERR_INTERNAL, "%s: the reduced axes are not adjacent", node->op->name);
  *shape = reduced_shape(x->shape, attribute->axes, attribute->keep);
  *dtype = GT_F32;
  return true;
}

static bool infer_finite(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                         gt_error *error) {
  const gt_node *x = gt_node_at(graph, node->input[0]), *if_finite = gt_node_at(graph, node->input[1]);
  if (!gt_check_f32(node->op->name, x, error) || !gt_check_f32(node->op->name, if_finite, error) ||
      !gt_check_size(node->op->name, x->shape, error))
    return false;
  if (gt_shape_count(if_finite->shape) != 1)
    return gt_fail(error, GT_ERR_INTERNAL, "%s: its second input is not one element", node->op->name);
  *shape = if_finite->shape;
  *dtype = GT_F32;
  return true;
}

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  const gt_reduce_attribute *attribute = node->attribute;
  size_t used = (size_t)snprintf(buffer, size, "axes");
  for (int d = 0; d < GT_MAX_RANK && used < size; d++)
    if (is_reduced(attribute->axes, d)) used += (size_t)snprintf(buffer + used, size - used, " %d", d);
  if (attribute->keep && used < size) snprintf(buffer + used, size - used, ", kept");
}

static double flops(const gt_graph *graph, const gt_node *node) {
  return (double)gt_shape_count(gt_node_at(graph, node->input[0])->shape);
}

/* True if the op reduces contiguous rows: no axis longer than 1 follows the reduced ones. */
static bool row(const gt_graph *graph, const gt_node *node, gt_row_form *form) {
  const gt_reduce_attribute *attribute = node->attribute;
  const gt_shape shape = gt_node_at(graph, node->input[0])->shape;
  form->width = 1;
  for (int d = 0; d < shape.rank; d++) {
    if (is_reduced(attribute->axes, d))
      form->width *= shape.dim[d];
    else if (form->width > 1 && shape.dim[d] > 1)
      return false;
  }
  form->opcode = node->op == &ops[OP_MAX]   ? GT_I_ROW_MAX
                 : node->op == &ops[OP_MIN] ? GT_I_ROW_MIN
                                            : GT_I_ROW_SUM;
  form->scale = node->op == &ops[OP_MEAN] ? 1.0 / (double)form->width : 1.0;
  return true;
}

/* gt_op.columns: column sums that a GEMM epilogue should compute: over more rows than this kernel reduces in
 * one pass, or over fewer rows if the epilogue's sums are final. */
static uint32_t columns_kind(const gt_graph *graph, const gt_node *node) {
  const gt_reduce_attribute *attribute = node->attribute;
  const gt_shape shape = gt_node_at(graph, node->input[0])->shape;
  const int last = shape.rank - 1;
  if (shape.rank < 2 || is_reduced(attribute->axes, last)) return 0;
  for (int d = 0; d < last; d++)
    if (shape.dim[d] > 1 && !is_reduced(attribute->axes, d)) return 0;
  if (gt_shape_count(shape) / shape.dim[last] > SERIAL) return GT_COLUMNS_SUM;
  return node->op == &ops[OP_SUM] ? GT_COLUMNS_SUM | GT_COLUMNS_WHOLE : 0;
}

/* --- builders ------------------------------------------------------------------------------------------- */

static gt_id add_node(gt_graph *graph, int op_index, gt_id x, uint32_t axes, bool keep) {
  const gt_reduce_attribute attribute = {axes, keep};
  return gt_node_add(graph, &ops[op_index], &x, 1, &attribute, sizeof attribute);
}

/* Permutes the axes so that the reduced ones are adjacent, at the place of the last one, and reduces them. */
static gt_id reduce_permuted(gt_graph *graph, int op_index, gt_id x, uint32_t axes) {
  const gt_shape shape = gt_node_at(graph, x)->shape;
  int order[GT_MAX_RANK], n = 0, last = 0;
  uint32_t moved = 0;
  for (int d = 0; d < shape.rank; d++)
    if (is_reduced(axes, d)) last = d;
  for (int d = 0; d < last; d++)
    if (!is_reduced(axes, d)) order[n++] = d;
  for (int d = 0; d <= last; d++)
    if (is_reduced(axes, d)) {
      moved |= 1u << n;
      order[n++] = d;
    }
  for (int d = last + 1; d < shape.rank; d++) order[n++] = d;
  return add_node(graph, op_index, gt_permute(graph, x, order), moved, false);
}

static gt_id reduce(gt_graph *graph, int op_index, gt_id x, uint32_t axes, bool keep) {
  if (x == GT_NONE) return GT_NONE;
  const gt_shape shape = gt_node_at(graph, x)->shape;
  const uint32_t all_axes = (1u << shape.rank) - 1;
  uint32_t last = 0;
  char text[128];
  if (axes == 0) axes = all_axes;
  if (axes & ~all_axes) {
    gt_fail(&graph->error, GT_ERR_CONFIG, "%s over an axis that shape %s does not have", ops[op_index].name,
            gt_shape_text(shape, text));
    return GT_NONE;
  }
  int groups_left = axis_groups(shape, axes, &last);
  if (groups_left == 1) return add_node(graph, op_index, x, axes, keep);
  if (groups_left > 1 && (op_index == OP_MAX || op_index == OP_MIN)) {
    x = reduce_permuted(graph, op_index, x, axes); /* in stages, ties would not share the gradient equally */
  } else {
    for (uint32_t axes_left = axes; groups_left > 0;
         groups_left = axis_groups(gt_node_at(graph, x)->shape, axes_left, &last)) {
      x = add_node(graph, op_index, x, last, true);
      if (x == GT_NONE) return GT_NONE;
      axes_left &= ~last;
    }
  }
  return gt_reshape(graph, x, reduced_shape(shape, axes, keep));
}

gt_id gt_sum(gt_graph *graph, gt_id x, uint32_t axes, bool keep) {
  return reduce(graph, OP_SUM, x, axes, keep);
}

gt_id gt_mean(gt_graph *graph, gt_id x, uint32_t axes, bool keep) {
  return reduce(graph, OP_MEAN, x, axes, keep);
}

gt_id gt_reduce_max(gt_graph *graph, gt_id x, uint32_t axes, bool keep) {
  return reduce(graph, OP_MAX, x, axes, keep);
}

gt_id gt_reduce_min(gt_graph *graph, gt_id x, uint32_t axes, bool keep) {
  return reduce(graph, OP_MIN, x, axes, keep);
}

gt_id gt_sum_to(gt_graph *graph, gt_id x, gt_shape shape) {
  if (x == GT_NONE) return GT_NONE;
  const gt_shape from = gt_node_at(graph, x)->shape;
  if (gt_shape_equal(from, shape)) return x;
  uint32_t axes = 0;
  for (int d = 0; d < from.rank; d++) {
    const int axis = d - (from.rank - shape.rank);
    if (from.dim[d] > 1 && (axis < 0 || shape.dim[axis] == 1)) axes |= 1u << d;
  }
  if (axes) x = gt_sum(graph, x, axes, false);
  return gt_reshape(graph, x, shape);
}

gt_id gt_all_finite(gt_graph *graph, gt_id x, gt_id if_finite) {
  const gt_id input[] = {x, if_finite};
  return gt_node_add(graph, &ops[OP_FINITE], input, 2, NULL, 0);
}

/* --- gradients ------------------------------------------------------------------------------------------ */

/* A value of the node's shape with the reduced axes kept as 1, so that it broadcasts against the input. */
static gt_id with_kept_axes(gt_graph *graph, gt_id node, gt_id value) {
  const gt_node *reduction = gt_node_at(graph, node);
  const gt_reduce_attribute *attribute = reduction->attribute;
  return gt_reshape(graph, value,
                    reduced_shape(gt_node_at(graph, reduction->input[0])->shape, attribute->axes, true));
}

static void gradient_sum(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                         gt_id *input_gradient) {
  if (!wanted[0]) return;
  const gt_shape shape = gt_node_at(graph, gt_node_at(graph, node)->input[0])->shape;
  input_gradient[0] = gt_expand(graph, with_kept_axes(graph, node, output_gradient[0]), shape);
}

static void gradient_mean(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                          gt_id *input_gradient) {
  if (!wanted[0]) return;
  const gt_node *mean = gt_node_at(graph, node);
  const double share =
      (double)gt_shape_count(mean->shape) / (double)gt_shape_count(gt_node_at(graph, mean->input[0])->shape);
  const gt_id scaled = gt_mul(graph, output_gradient[0], gt_constant(graph, share));
  gradient_sum(graph, node, &scaled, wanted, input_gradient);
}

static void gradient_extremum(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                              gt_id *input_gradient) {
  if (!wanted[0]) return;
  const gt_id x = gt_node_at(graph, node)->input[0];
  const gt_reduce_attribute *attribute = gt_node_at(graph, node)->attribute;
  const gt_id ties = gt_equal(graph, x, with_kept_axes(graph, node, node));
  const gt_id count = gt_sum(graph, ties, attribute->axes, true);
  input_gradient[0] =
      gt_mul(graph, ties, gt_div(graph, with_kept_axes(graph, node, output_gradient[0]), count));
}

/* --- lowering ------------------------------------------------------------------------------------------- */

/* On the CPU chunks depend only on the shape, because results must not depend on the number of threads: a
 * single chunk if there are 64 or more tiles without chunks, or at most 65536 values in a segment; otherwise
 * chunks of about 32768 values. */
static uint32_t chunk_for_cpu(const struct gt_reduce_args *a) {
  const uint32_t segment = a->inner < GT_REDUCE_SEGMENT ? a->inner : GT_REDUCE_SEGMENT;
  const uint64_t parallel = (uint64_t)a->outer * gt_ceil_div(a->inner, GT_REDUCE_SEGMENT);
  if (parallel >= 64 || (uint64_t)a->reduced * segment <= 65536) return a->reduced;
  const uint32_t chunk = 32768 / segment;
  return chunk < a->reduced ? chunk : a->reduced;
}

/* The work distribution of kernel reduce_columns; zero if that kernel is not used. */
static gt_columns choose_columns(gt_lowering *lowering, const struct gt_reduce_args *a, bool is_partial) {
  enum { SERIAL_PARTIALS = 4, SERIAL_ROWS = 16 }; /* the other kernel reduces this number of rows as fast */
  if (!gt_lowering_target(lowering)->device || a->inner % 4 ||
      a->reduced <= (is_partial ? SERIAL_PARTIALS : SERIAL_ROWS))
    return (gt_columns){.across = 1};
  return gt_columns_choose(lowering, a->reduced, a->inner / 4, is_partial);
}

/* Square root, rounded up. */
static uint32_t ceil_sqrt(uint32_t n) {
  uint32_t r = 0;
  while ((uint64_t)r * r < n) r++;
  return r;
}

/* On a device: enough chunks to fill it, but none so short that the next pass costs more than it saves. */
static uint32_t chunk_for_device(const struct gt_reduce_args *a, const gt_target *target) {
  const uint64_t units = target->units ? target->units : 16;
  uint64_t chunk = a->reduced;
  if (a->reduced <= SERIAL) return a->reduced;
  if (a->inner == 1) {
    if (a->reduced <= 4096 || a->outer >= 2 * units) return a->reduced;
    chunk = gt_ceil_div(gt_ceil_div((uint64_t)a->outer * a->reduced, 4 * units), WORKGROUP) * WORKGROUP;
    if (chunk < 2048) chunk = 2048;
  } else {
    const uint64_t wanted = gt_ceil_div(units * RESIDENT, (uint64_t)a->outer * a->inner),
                   square_root = ceil_sqrt(a->reduced);
    if (wanted == 1) return a->reduced;
    chunk = gt_ceil_div(a->reduced, wanted);
    if (chunk < square_root) chunk = square_root;
    if (chunk < 16) chunk = 16;
  }
  return chunk < a->reduced ? (uint32_t)chunk : a->reduced;
}

static const gt_kernel kernel = {"reduce", gt_reduce_cpu}, columns_kernel = {.name = "reduce_columns"};

static void set_grid(gt_lowering *lowering, gt_step *step, const struct gt_reduce_args *args, uint32_t kind) {
  const uint64_t outputs = (uint64_t)args->outer * args->chunks * args->inner;
  const uint32_t workgroup = gt_lower_workgroup(lowering, WORKGROUP, 1);
  step->spec[GT_REDUCE_SPEC_KIND] = kind;
  step->spec[GT_REDUCE_SPEC_PER_LANE] = args->inner > 1 || args->chunk <= SERIAL;
  if (step->spec[GT_REDUCE_SPEC_PER_LANE])
    gt_lower_grid(lowering, outputs, SMALL_WORKGROUP);
  else
    gt_lower_grid(lowering, outputs * workgroup, workgroup);
  step->tiles = gt_reduce_tiles(args);
}

/* Emits one pass. It reads its input from scratch memory `from`, at byte `offset` (GT_NONE: the group's
 * inputs), and writes the results of its chunks to scratch memory `to` (GT_NONE: the node's value). */
static void lower_pass(gt_lowering *lowering, const gt_group *group, const struct gt_reduce_args *args,
                       uint32_t kind, uint32_t from, uint64_t offset, uint32_t to) {
  const gt_columns c = choose_columns(lowering, args, from != GT_NONE);
  const uint64_t count = (uint64_t)args->outer * args->reduced * args->inner;
  gt_step *step = gt_lower_step(lowering, c.down ? &columns_kernel : &kernel, args, sizeof *args);
  if (from == GT_NONE) {
    gt_lower_program(lowering, group, offsetof(struct gt_reduce_args, x), offsetof(struct gt_reduce_args, y),
                     offsetof(struct gt_reduce_args, clock), offsetof(struct gt_reduce_args, layout_));
  } else {
    const gt_program identity = {.inputs = 1, .outputs = 1};
    gt_program_to_spec(&identity, step->spec);
    gt_lower_read_scratch(lowering, offsetof(struct gt_reduce_args, x), from, offset, 4 * count);
  }
  if (to == GT_NONE)
    gt_lower_write(lowering, offsetof(struct gt_reduce_args, y), group->leader);
  else
    gt_lower_use_scratch(lowering, offsetof(struct gt_reduce_args, y), to, true);
  if (to == GT_NONE) gt_lower_check(lowering, group, offsetof(struct gt_reduce_args, flag));
  if (!c.down) {
    set_grid(lowering, step, args, kind);
    return;
  }
  step->spec[GT_REDUCE_SPEC_KIND] = kind;
  step->spec[GT_REDUCE_SPEC_ACROSS] = c.across;
  step->spec[GT_REDUCE_SPEC_QUADS] =
      from == GT_NONE && gt_program_is_vec4(&group->program, count, args->row_length);
  gt_lower_grid(lowering, (uint64_t)args->outer * args->chunks * c.tiles * c.workgroup, c.workgroup);
}

static struct gt_reduce_args with_chunks(gt_lowering *lowering, struct gt_reduce_args args, bool is_partial) {
  const gt_target *target = gt_lowering_target(lowering);
  const gt_columns c = choose_columns(lowering, &args, is_partial);
  args.chunk = c.down           ? gt_columns_chunk(target, &c, args.reduced, args.outer)
               : target->device ? chunk_for_device(&args, target)
                                : chunk_for_cpu(&args);
  args.chunks = (uint32_t)gt_ceil_div(args.reduced, args.chunk);
  return args;
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  const gt_reduce_attribute *attribute = node->attribute;
  const gt_shape shape = gt_node_at(graph, node->input[0])->shape;
  const uint32_t kind = node->op == &ops[OP_MAX]   ? GT_REDUCE_MAX
                        : node->op == &ops[OP_MIN] ? GT_REDUCE_MIN
                                                   : 0;
  struct gt_reduce_args args = {.outer = 1, .reduced = 1, .inner = 1, .row_length = group->row_length};
  for (int d = 0; d < shape.rank; d++) {
    if (is_reduced(attribute->axes, d))
      args.reduced *= (uint32_t)shape.dim[d];
    else if (args.reduced == 1)
      args.outer *= (uint32_t)shape.dim[d];
    else
      args.inner *= (uint32_t)shape.dim[d];
  }
  const uint32_t reduced = args.reduced;
  gt_joined joined = {.scratch = GT_NONE};
  if (gt_lower_joined(lowering, group, &joined)) args.reduced = joined.tiles, args.row_length = 1;
  for (uint32_t from = joined.scratch, to = 0; to != GT_NONE;
       from = to, joined.offset = 0, args.reduced = args.chunks, args.row_length = 1) {
    args = with_chunks(lowering, args, from != GT_NONE);
    to =
        args.chunks == 1 ? GT_NONE : gt_lower_scratch(lowering, 4ull * args.outer * args.chunks * args.inner);
    args.scale = to == GT_NONE && node->op == &ops[OP_MEAN] ? (float)(1.0 / reduced) : 1.0f;
    lower_pass(lowering, group, &args, kind, from, joined.offset, to);
  }
}

static void copy_flag(gt_lowering *lowering, gt_id from, gt_id to) {
  const gt_program identity = {.inputs = 1, .outputs = 1};
  const struct gt_reduce_args one = {
      .outer = 1, .reduced = 1, .inner = 1, .chunk = 1, .chunks = 1, .row_length = 1, .scale = 1};
  gt_step *step = gt_lower_step(lowering, &kernel, &one, sizeof one);
  gt_program_to_spec(&identity, step->spec);
  gt_lower_read(lowering, offsetof(struct gt_reduce_args, x), from);
  gt_lower_write(lowering, offsetof(struct gt_reduce_args, y), to);
  set_grid(lowering, step, &one, GT_REDUCE_SUM);
}

/* Emits the check of all values of the group's program or, if `stretch` is given, of that range of the input
 * in memory. */
static void emit_check(gt_lowering *lowering, const gt_group *group, const gt_element_range *stretch) {
  const int64_t count = stretch ? stretch->count : gt_shape_count(group->shape);
  const struct gt_reduce_args args = with_chunks(
      lowering,
      (struct gt_reduce_args){
          .outer = 1, .reduced = (uint32_t)count, .inner = 1, .row_length = group->row_length, .scale = 1},
      false);
  gt_step *step = gt_lower_step(lowering, &kernel, &args, sizeof args);
  if (stretch) {
    const gt_program identity = {.inputs = 1, .outputs = 1};
    gt_program_to_spec(&identity, step->spec);
    gt_lower_read_range(lowering, offsetof(struct gt_reduce_args, x), group->input[0], *stretch);
  } else {
    gt_lower_program(lowering, group, offsetof(struct gt_reduce_args, x), offsetof(struct gt_reduce_args, y),
                     offsetof(struct gt_reduce_args, clock), offsetof(struct gt_reduce_args, layout_));
  }
  gt_lower_clear(lowering, group->leader, offsetof(struct gt_reduce_args, flag));
  set_grid(lowering, step, &args, GT_REDUCE_FINITE);
}

/* The initial value of the flag is copied by a separate step, because it may be known long before the checked
 * values. */
static void lower_finite(gt_lowering *lowering, const gt_group *group) {
  const gt_id if_finite = gt_node_at(gt_lowering_graph(lowering), group->leader)->input[1];
  size_t stretches;
  const gt_element_range *stretch = gt_lower_unchecked_ranges(lowering, &stretches);
  if (!gt_lower_is_in_place(lowering)) copy_flag(lowering, if_finite, group->leader);
  if (!stretch) emit_check(lowering, group, NULL);
  for (size_t i = 0; stretch && i < stretches; i++) emit_check(lowering, group, &stretch[i]);
}

/* --- ops ------------------------------------------------------------------------------------------------ */

static uint32_t any_row(const gt_graph *graph, const gt_node *node) {
  return (void)graph, (void)node, GT_ANY_ROW;
}

static int kinked(const gt_graph *graph, const gt_node *node) { return (void)graph, (void)node, 0; }

#define OP(op_name, op_gradient, ...)                                                                \
  {                                                                                                  \
    .name = op_name, .kind = GT_OP_KERNEL, .min_inputs = 1, .infer = infer, .gradient = op_gradient, \
    .lower = lower, .flops = flops, .print = print, .prologue = any_row, .row = row, __VA_ARGS__     \
  }

static const gt_op ops[OPS] = {
    [OP_SUM] = OP("sum", gradient_sum, .columns = columns_kind),
    [OP_MEAN] = OP("mean", gradient_mean, .columns = columns_kind),
    [OP_MAX] = OP("reduce_max", gradient_extremum, .smooth = kinked),
    [OP_MIN] = OP("reduce_min", gradient_extremum, .smooth = kinked),
    [OP_FINITE] = {.name = "all_finite",
                   .kind = GT_OP_KERNEL,
                   .min_inputs = 2,
                   .infer = infer_finite,
                   .lower = lower_finite,
                   .prologue = any_row,
                   .begins_as = 2,
                   .flag = true},
};
