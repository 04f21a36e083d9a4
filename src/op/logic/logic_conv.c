/* Trees of gates over an image with OR pooling, and the gradients of coefficients and image in one pass,
 * without atomics. */
#include "op/logic/logic_conv.h"
#include "base/count.h"
#include "op/check.h"
#include "op/core.h"
#include "op/logic/logic_conv_cpu.h"
#include "op/logic/logic_cpu.h"
#include "op/op.h"
#include "shaders/op/logic/logic_conv_sums.h"
#include "step/lowering.h"
#include <stddef.h>
#include <string.h>

enum { OP_CONV, OP_COEFFICIENTS, OP_GRADIENT, OPS };
/* The gradient kernel needs 180 registers for two trees at once. On AMD devices (subgroups of 64) that limits
 * occupancy or makes the compiler spill, so leaves are read twice there (docs/notes/thresholds.md). */
enum { NARROW_SUBGROUP = 32 };
enum { WORKGROUP = 256, GRADIENT_WORKGROUP = 128 };
enum { MIN_ITEMS = 4 /* per invocation of the gradient */, WORKGROUPS_PER_UNIT = 8 };
/* On the CPU: with at least MANY_TILES blocks of samples, a tile has all kernels, else TILE_KERNELS. */
enum { MANY_TILES = 16, TILE_KERNELS = 64 };
enum { MAX_POOL = 15 }; /* a position in the window is stored as a byte */
static const gt_op ops[OPS];

GT_DEFINE(op, logic_conv) = {ops, OPS};

static const gt_kernel conv_kernel = {"logic_conv", gt_logic_conv_cpu};
static const gt_kernel gradient_kernel = {"logic_conv_gradient", gt_logic_conv_gradient_cpu};
static const gt_kernel inputs_kernel = {"logic_conv_inputs", NULL}; /* devices only */
static const gt_kernel sums_kernel = {"logic_conv_sums", gt_logic_conv_sums_cpu};

/* --- shapes --------------------------------------------------------------------------------------------- */

int64_t gt_logic_conv_windows(const gt_logic_conv_attribute *a, int64_t size) {
  const int64_t range = size + 2 * (int64_t)a->padding - a->field;
  return range < 0 ? 0 : (range / a->stride + 1) / a->pool;
}

/* The smallest depth of a tree with at least wiring.dim[1] leaves. */
static uint32_t depth_of(gt_shape wiring) {
  uint32_t depth = 0;
  while (wiring.rank == 2 && depth < 32 && INT64_C(1) << depth < wiring.dim[1]) depth++;
  return depth;
}

int64_t gt_logic_conv_gates(gt_shape x, gt_shape wiring) {
  const uint32_t depth = depth_of(wiring);
  const bool fits =
      x.rank == 4 && depth >= 1 && depth <= GT_LOGIC_CONV_DEPTH && wiring.dim[1] == INT64_C(1) << depth;
  return fits ? wiring.dim[0] * (wiring.dim[1] - 1) : 0;
}

bool gt_logic_conv_shape(const char *op, const gt_logic_conv_attribute *a, gt_shape x, gt_shape wiring,
                         gt_shape *shape, gt_error *error) {
  char text[128];
  if (!a->field || !a->stride || !a->pool || a->pool > MAX_POOL || !gt_logic_conv_windows(a, x.dim[0]) ||
      !gt_logic_conv_windows(a, x.dim[1]))
    return gt_fail(error, GT_ERR_CONFIG, "%s: a field of %u and a window of %u do not fit into %s", op,
                   a->field, a->pool, gt_shape_text(x, text));
  *shape = (gt_shape){.rank = 4,
                      .dim = {gt_logic_conv_windows(a, x.dim[0]), gt_logic_conv_windows(a, x.dim[1]),
                              wiring.dim[0], x.dim[3]}};
  return gt_check_size(op, *shape, error);
}

/* The checks of all ops; sets *shape to that of the layer's value. */
static bool check(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_error *error) {
  const gt_logic_conv_attribute *a = node->attribute;
  const gt_node *x = gt_node_at(graph, node->input[0]), *c = gt_node_at(graph, node->input[1]),
                *wiring = gt_node_at(graph, node->input[2]);
  const int64_t gates = gt_logic_conv_gates(x->shape, wiring->shape);
  char texts[3][128];
  if (x->dtype != GT_F32 || c->dtype != GT_F32 || wiring->dtype != GT_I32 || !gates ||
      !gt_shape_equal(c->shape, gt_shape_2(gates, 4)))
    return gt_fail(error, GT_ERR_CONFIG,
                   "%s needs float32 [height, width, channels, batch] and [kernels * gates, 4] and int32 "
                   "[kernels, 2^(1 to %d)], not %s, %s and %s",
                   node->op->name, GT_LOGIC_CONV_DEPTH, gt_shape_text(x->shape, texts[0]),
                   gt_shape_text(c->shape, texts[1]), gt_shape_text(wiring->shape, texts[2]));
  return gt_logic_conv_shape(node->op->name, a, x->shape, wiring->shape, shape, error);
}

static bool infer_conv(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                       gt_error *error) {
  if (!check(graph, node, shape, error)) return false;
  if (node->inputs == 4) {
    const gt_node *inverse = gt_node_at(graph, node->input[3]);
    const int64_t channels = gt_node_at(graph, node->input[0])->shape.dim[2];
    const int64_t leaves = gt_shape_count(gt_node_at(graph, node->input[2])->shape);
    if (inverse->dtype != GT_I32 ||
        gt_shape_count(inverse->shape) != gt_logic_conv_inverse_count(channels, leaves))
      return gt_fail(error, GT_ERR_INTERNAL, "logic_conv: the inverse wiring does not match");
  }
  *dtype = GT_F32;
  return true;
}

/* Inputs: x, coefficients, wiring, the gradient of the value and optionally the inverse. Results: the
 * gradient of the coefficients and, with the inverse, that of x; most of the computation is shared. */
static bool infer_gradient(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                           gt_error *error) {
  const gt_node *x = gt_node_at(graph, node->input[0]), *g = gt_node_at(graph, node->input[3]);
  const int64_t leaves = gt_node_at(graph, node->input[2])->shape.dim[1];
  gt_shape value;
  if (!check(graph, node, &value, error)) return false;
  if (g->dtype != GT_F32 || !gt_shape_equal(g->shape, value))
    return gt_fail(error, GT_ERR_INTERNAL, "logic_conv_gradient: the inputs do not match");
  for (int k = 0; k <= node->op->further; k++) {
    shape[k] = k ? x->shape : gt_node_at(graph, node->input[1])->shape;
    dtype[k] = GT_F32;
  }
  value.dim[2] *= leaves; /* the intermediate gradients of leaves */
  return gt_check_size(node->op->name, *shape, error) && gt_check_size(node->op->name, value, error);
}

static void gradient_conv(gt_graph *graph, gt_id id, const gt_id *output_gradient, const bool *wanted,
                          gt_id *input_gradient) {
  const gt_node *node = gt_node_at(graph, id);
  const gt_id input[5] = {node->input[0], node->input[1], node->input[2], output_gradient[0],
                          node->inputs == 4 ? node->input[3] : GT_NONE};
  if (!wanted[0] && !wanted[1]) return;
  if (wanted[0] && input[4] == GT_NONE && !graph->error.status)
    gt_fail(&graph->error, GT_ERR_INTERNAL, "logic_conv: the gradient of x needs the inverse wiring");
  const gt_op *op = &ops[wanted[0] ? OP_GRADIENT : OP_COEFFICIENTS];
  const gt_id gradients =
      gt_node_add(graph, op, input, op->min_inputs, node->attribute, node->attribute_size);
  if (wanted[1]) input_gradient[1] = gradients;
  if (wanted[0]) input_gradient[0] = gt_result(graph, gradients, 1);
}

/* --- lowering ------------------------------------------------------------------------------------------- */

typedef struct geometry {
  struct gt_logic_conv_args args;
  uint32_t spec[GT_CONV_SPEC_COLUMNS + 1];
  uint32_t kernels, leaves, windows, width; /* width: items (vec4s or samples) per row */
} geometry;

void gt_logic_conv_spec(const gt_logic_conv_attribute *a, gt_shape x, gt_shape wiring, uint32_t *spec) {
  spec[GT_CONV_SPEC_DEPTH] = depth_of(wiring);
  spec[GT_CONV_SPEC_FIELD] = a->field;
  spec[GT_CONV_SPEC_POOL] = a->pool;
  spec[GT_CONV_SPEC_STRIDE] = a->stride;
  spec[GT_CONV_SPEC_CHANNELS] = (uint32_t)x.dim[2];
  spec[GT_CONV_SPEC_KERNELS] = (uint32_t)wiring.dim[0];
  spec[GT_CONV_SPEC_COLUMNS] = (uint32_t)gt_logic_conv_windows(a, x.dim[1]);
}

static geometry geometry_of(const gt_graph *graph, const gt_node *node) {
  const gt_logic_conv_attribute *a = node->attribute;
  const gt_shape x = gt_node_at(graph, node->input[0])->shape,
                 wiring = gt_node_at(graph, node->input[2])->shape;
  const uint32_t out_rows = (uint32_t)gt_logic_conv_windows(a, x.dim[0]), batch = (uint32_t)x.dim[3];
  geometry g = {.args = {.height = (uint32_t)x.dim[0],
                         .width = (uint32_t)x.dim[1],
                         .rows = out_rows,
                         .padding = a->padding,
                         .batch = batch},
                .spec = {[GT_LOGIC_SPEC_QUADS] = batch % 4 == 0},
                .kernels = (uint32_t)wiring.dim[0],
                .leaves = (uint32_t)wiring.dim[1],
                .width = batch % 4 ? batch : batch / 4};
  gt_logic_conv_spec(a, x, wiring, g.spec);
  g.windows = out_rows * g.spec[GT_CONV_SPEC_COLUMNS];
  return g;
}

gt_step *gt_logic_conv_step(gt_lowering *lowering, const gt_kernel *kernel, const void *args, size_t size,
                            const uint32_t *spec) {
  gt_step *step = gt_lower_step(lowering, kernel, args, size);
  for (int k = GT_CONV_SPEC_DEPTH; k <= GT_CONV_SPEC_COLUMNS; k++) step->spec[k] = spec[k];
  return step;
}

static gt_step *emit_step(gt_lowering *lowering, const geometry *g, const gt_kernel *kernel) {
  return gt_logic_conv_step(lowering, kernel, &g->args, sizeof g->args, g->spec);
}

#define AT(field) offsetof(struct gt_logic_conv_args, field)

static uint32_t sample_blocks(const geometry *g) { return gt_ceil_div(g->args.batch, GT_CONV_BLOCK); }

/* Adds scratch memory for the CPU kernels: `images` padded images of a block of samples. */
static void use_planes(gt_lowering *lowering, const geometry *g, uint32_t images) {
  const uint64_t height = g->args.height + 2ull * g->args.padding,
                 width = g->args.width + 2ull * g->args.padding;
  const uint64_t values = height * width * g->spec[GT_CONV_SPEC_CHANNELS] * GT_CONV_BLOCK;
  gt_lower_use_scratch(lowering, AT(leaves), gt_lower_scratch(lowering, 4 * values * images), true);
}

static void lower_conv(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  geometry g = geometry_of(gt_lowering_graph(lowering), node);
  /* Small batches have few blocks of samples, so the kernels are divided into several tiles. */
  g.args.chunks = sample_blocks(&g) >= MANY_TILES || g.kernels < TILE_KERNELS ? g.kernels : TILE_KERNELS;
  gt_step *step = emit_step(lowering, &g, &conv_kernel);
  step->tiles = sample_blocks(&g) * gt_ceil_div(g.kernels, g.args.chunks);
  if (!gt_lowering_target(lowering)->device) use_planes(lowering, &g, step->tiles);
  gt_lower_read(lowering, AT(x), node->input[0]);
  gt_lower_read(lowering, AT(coefficients), node->input[1]);
  gt_lower_read(lowering, AT(wiring), node->input[2]);
  gt_lower_write(lowering, AT(y), group->leader);
  gt_lower_grid(lowering, (uint64_t)g.windows * g.kernels * g.width, WORKGROUP);
}

/* The number of workgroups (tiles on the CPU) per kernel: enough to fill the device, but each with at least
 * MIN_ITEMS items per invocation. */
static uint32_t chunks_for(const gt_lowering *lowering, const geometry *g, uint32_t local) {
  const gt_target *target = gt_lowering_target(lowering);
  if (!target->device) return sample_blocks(g);
  const uint32_t wanted = WORKGROUPS_PER_UNIT * (target->units ? target->units : 1) / g->kernels + 1;
  const uint64_t maximum = (uint64_t)g->windows * g->width / ((uint64_t)MIN_ITEMS * local) + 1;
  return wanted < maximum ? wanted : (uint32_t)maximum;
}

static void lower_sums(gt_lowering *lowering, const geometry *g, uint32_t partial, gt_id node) {
  const struct gt_logic_conv_sums_args args = {.count = 4 * g->kernels * (g->leaves - 1),
                                               .slices = g->args.chunks};
  gt_step *step = gt_lower_step(lowering, &sums_kernel, &args, sizeof args);
  step->tiles = 1;
  gt_lower_use_scratch(lowering, offsetof(struct gt_logic_conv_sums_args, x), partial, false);
  gt_lower_write(lowering, offsetof(struct gt_logic_conv_sums_args, y), node);
  gt_lower_grid(lowering, args.count, 64);
}

static void lower_gradient(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const bool has_dx = node->op->further, device = gt_lowering_target(lowering)->device;
  const gt_id dx = has_dx ? gt_result(gt_lowering_graph(lowering), group->leader, 1) : GT_NONE;
  const uint32_t local = gt_lower_workgroup(lowering, GRADIENT_WORKGROUP, 1);
  geometry g = geometry_of(gt_lowering_graph(lowering), node);
  const uint32_t gates = g.kernels * (g.leaves - 1), items = g.kernels * g.windows * g.width;
  g.args.chunks = chunks_for(lowering, &g, local);
  g.args.has_dx = has_dx;
  const uint32_t partial = gt_lower_scratch(lowering, 16ull * gates * g.args.chunks);
  uint32_t leaves = 0, winner = 0;
  gt_step *step = emit_step(lowering, &g, &gradient_kernel);
  step->tiles = g.args.chunks;
  step->spec[GT_CONV_SPEC_RECALL] = gt_lowering_target(lowering)->subgroup > NARROW_SUBGROUP;
  gt_lower_read(lowering, AT(x), node->input[0]);
  gt_lower_read(lowering, AT(coefficients), node->input[1]);
  gt_lower_read(lowering, AT(wiring), node->input[2]);
  gt_lower_read(lowering, AT(g), node->input[3]);
  gt_lower_use_scratch(lowering, AT(sums), partial, true);
  if (!device) use_planes(lowering, &g, g.args.chunks * (has_dx ? 2 : 1));
  if (has_dx && device) {
    leaves = gt_lower_scratch(lowering, 4ull * g.leaves * g.kernels * g.windows * g.args.batch);
    winner = gt_lower_scratch(lowering, 4ull * items);
    gt_lower_use_scratch(lowering, AT(leaves), leaves, true);
    gt_lower_use_scratch(lowering, AT(winner), winner, true);
  } else if (has_dx) {
    gt_lower_write(lowering, AT(y), dx);
  }
  gt_lower_grid(lowering, (uint64_t)g.kernels * g.args.chunks * local, local);
  lower_sums(lowering, &g, partial, group->leader);
  if (!has_dx || !device) return;
  emit_step(lowering, &g, &inputs_kernel);
  gt_lower_read(lowering, AT(wiring), node->input[4]);
  gt_lower_use_scratch(lowering, AT(leaves), leaves, false);
  gt_lower_use_scratch(lowering, AT(winner), winner, false);
  gt_lower_write(lowering, AT(y), dx);
  const uint64_t features = (uint64_t)g.args.height * g.args.width * g.spec[GT_CONV_SPEC_CHANNELS];
  gt_lower_grid(lowering, features * g.width, WORKGROUP);
}

/* --- builders and ops ----------------------------------------------------------------------------------- */

gt_id gt_logic_conv(gt_graph *graph, gt_id x, gt_id coefficients, gt_id wiring, gt_id inverse,
                    const gt_logic_conv_attribute *attribute) {
  const gt_id input[4] = {x, coefficients, wiring, inverse};
  return gt_node_add(graph, &ops[OP_CONV], input, inverse == GT_NONE ? 3 : 4, attribute, sizeof *attribute);
}

void gt_logic_conv_inverse(const int32_t *wiring, int64_t channels, int64_t leaves, int32_t *out) {
  int32_t *start = out, *reader = out + channels + 1;
  memset(start, 0, (size_t)(channels + 1) * sizeof *start);
  for (int64_t i = 0; i < leaves; i++) start[wiring[i] % channels + 1]++;
  for (int64_t c = 0; c < channels; c++) start[c + 1] += start[c];
  for (int64_t i = 0; i < leaves; i++) {
    const int64_t position = start[wiring[i] % channels]++;
    reader[2 * position] = (int32_t)i;
    reader[2 * position + 1] = (int32_t)(wiring[i] / channels);
  }
  /* Each start has advanced to the end of its list, where the next list starts. */
  memmove(start + 1, start, (size_t)channels * sizeof *start);
  start[0] = 0;
}

/* Number of evaluations of gates. */
static double evaluations(const gt_graph *graph, const gt_node *node) {
  const geometry g = geometry_of(graph, node);
  const double pool = g.spec[GT_CONV_SPEC_POOL];
  return pool * pool * g.windows * g.kernels * (g.leaves - 1) * (double)g.args.batch;
}

static double flops_conv(const gt_graph *graph, const gt_node *node) { return 6 * evaluations(graph, node); }

static double flops_gradient(const gt_graph *graph, const gt_node *node) {
  const double pool = ((const gt_logic_conv_attribute *)node->attribute)->pool;
  /* Operations per evaluation; with pooling, all trees are recomputed to find the maximum. */
  const double per_gate = pool > 1 ? 6 + (6 + 15) / (pool * pool) : 6 + 15;
  return per_gate * evaluations(graph, node);
}

void gt_logic_conv_print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  const gt_logic_conv_attribute *a = node->attribute;
  snprintf(buffer, size, "field %u, stride %u, padding %u, pool %u", a->field, a->stride, a->padding,
           a->pool);
}

static const gt_op ops[OPS] = {
    [OP_CONV] = {.name = "logic_conv",
                 .kind = GT_OP_KERNEL,
                 .min_inputs = 3,
                 .max_inputs = 4,
                 .infer = infer_conv,
                 .gradient = gradient_conv,
                 .lower = lower_conv,
                 .flops = flops_conv,
                 .print = gt_logic_conv_print},
    [OP_COEFFICIENTS] = {.name = "logic_conv_coefficients_gradient",
                         .kind = GT_OP_KERNEL,
                         .min_inputs = 4,
                         .infer = infer_gradient,
                         .lower = lower_gradient,
                         .flops = flops_gradient,
                         .print = gt_logic_conv_print},
    [OP_GRADIENT] = {.name = "logic_conv_gradient",
                     .kind = GT_OP_KERNEL,
                     .min_inputs = 5,
                     .further = 1,
                     .infer = infer_gradient,
                     .lower = lower_gradient,
                     .flops = flops_gradient,
                     .print = gt_logic_conv_print},
};
