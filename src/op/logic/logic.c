/* Logic gates: coefficients from logits, a layer of gates, and the gradients of a layer with respect to its
 * inputs and coefficients, both without atomics. */
#include "op/logic/logic.h"
#include "base/count.h"
#include "op/check.h"
#include "op/group_sum.h"
#include "op/logic/logic_cpu.h"
#include "op/logic/logic_walk.h"
#include "op/op.h"
#include "shaders/op/logic/logic.h"
#include "shaders/op/logic/logic_coefficients.h"
#include "step/lowering.h"
#include <stddef.h>
#include <string.h>

enum {
  OP_MIXTURE,
  OP_HARD,
  OP_MIXTURE_GRADIENT,
  OP_LOGIC,
  OP_COEFFICIENTS_GRADIENT,
  OP_LOGITS_GRADIENT,
  OP_X_GRADIENT,
  OPS
};
enum { WORKGROUP = 256, FUNCTIONS = 16 /* functions of two bits */ };
enum { SLICE_BYTES = 8 << 20, MIN_SLICE = 8 /* vec4s */ }; /* see slice_for */
static const gt_op ops[OPS];

GT_DEFINE(op, logic) = {ops, OPS};

static const gt_kernel coefficients_kernel = {"logic_coefficients", gt_logic_coefficients_cpu};
static const gt_kernel logic_kernel = {"logic", gt_logic_cpu};
static const gt_kernel sums_kernel = {"logic_coefficient_sums", gt_logic_coefficient_sums_cpu};
static const gt_kernel inputs_kernel = {"logic_inputs", gt_logic_inputs_cpu};

/* --- shapes --------------------------------------------------------------------------------------------- */

typedef struct logic_attribute {
  uint32_t half; /* the result is F16 */
} logic_attribute;

/* True if the value is F32 with at least `rank` axes and, unless `last` is 0, a last axis of this length. */
static bool is_floats(const gt_node *node, int rank, int64_t last) {
  return node->dtype == GT_F32 && node->shape.rank >= rank &&
         (!last || node->shape.dim[node->shape.rank - 1] == last);
}

static bool infer_coefficients(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                               gt_error *error) {
  const gt_node *logits = gt_node_at(graph, node->input[0]);
  char text[128];
  if (!is_floats(logits, 1, FUNCTIONS))
    return gt_fail(error, GT_ERR_CONFIG, "a gate has 16 float32 logits, not %s %s",
                   gt_dtype_name(logits->dtype), gt_shape_text(logits->shape, text));
  *shape = logits->shape;
  *dtype = GT_F32;
  if (node->inputs == 1) shape->dim[shape->rank - 1] = 4;
  return gt_check_size(node->op->name, logits->shape, error);
}

/* Inputs: x, coefficients, wiring and optionally the readers. */
static bool check_layer(const gt_graph *graph, const gt_node *node, gt_error *error) {
  const gt_node *x = gt_node_at(graph, node->input[0]), *c = gt_node_at(graph, node->input[1]),
                *wiring = gt_node_at(graph, node->input[2]);
  char texts[3][128];
  if (x->shape.rank == 2 && (x->dtype == GT_F32 || (x->dtype == GT_F16 && x->shape.dim[1] % 4 == 0)) &&
      c->shape.rank == 2 && is_floats(c, 2, 4) && wiring->dtype == GT_I32 &&
      gt_shape_equal(wiring->shape, gt_shape_2(2, c->shape.dim[0])))
    return gt_check_size(node->op->name, gt_shape_2(c->shape.dim[0], x->shape.dim[1]), error);
  return gt_fail(error, GT_ERR_CONFIG,
                 "%s needs float32 [inputs, batch] and [gates, 4] and int32 [2, gates], not %s, %s and %s",
                 node->op->name, gt_shape_text(x->shape, texts[0]), gt_shape_text(c->shape, texts[1]),
                 gt_shape_text(wiring->shape, texts[2]));
}

static bool infer_logic(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                        gt_error *error) {
  if (!check_layer(graph, node, error)) return false;
  const int64_t inputs = gt_node_at(graph, node->input[0])->shape.dim[0];
  const int64_t gates = gt_node_at(graph, node->input[1])->shape.dim[0];
  if (node->inputs == 4) {
    const gt_node *readers = gt_node_at(graph, node->input[3]);
    const bool fits = gt_logic_is_walk(graph, node->input[3])
                          ? inputs == gates && readers->shape.dim[1] == GT_LOGIC_WALK_WORDS
                          : gt_shape_count(readers->shape) == gt_logic_inverse_count(inputs, gates);
    if (readers->dtype != GT_I32 || !fits)
      return gt_fail(error, GT_ERR_INTERNAL, "logic: the inverse wiring or the walk does not match");
  }
  *shape = gt_shape_2(gates, gt_node_at(graph, node->input[0])->shape.dim[1]);
  *dtype = ((const logic_attribute *)node->attribute)->half ? GT_F16 : GT_F32;
  return true;
}

static bool infer_coefficients_gradient(const gt_graph *graph, const gt_node *node, gt_shape *shape,
                                        gt_dtype *dtype, gt_error *error) {
  (void)error;
  *shape = gt_node_at(graph, node->input[node->op == &ops[OP_LOGITS_GRADIENT] ? 4 : 1])->shape;
  *dtype = GT_F32;
  return true;
}

static bool infer_x_gradient(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                             gt_error *error) {
  (void)error;
  *shape = gt_node_at(graph, node->input[0])->shape;
  *dtype = gt_node_at(graph, node->input[0])->dtype == GT_F16 ? GT_BF16 : GT_F32;
  return true;
}

/* --- gradients ------------------------------------------------------------------------------------------ */

static void gradient_mixture(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                             gt_id *input_gradient) {
  if (!wanted[0]) return;
  const gt_id input[2] = {gt_node_at(graph, node)->input[0], output_gradient[0]};
  const gt_node *sums = gt_node_at(graph, output_gradient[0]);
  /* If the gradient of the coefficients is the sums of a layer, a fused kernel computes the sums and, from
   * them, the gradient of the logits; the node of the sums is then unused. */
  if (sums->op == &ops[OP_COEFFICIENTS_GRADIENT]) {
    const gt_id fused[5] = {sums->input[0], sums->input[1], sums->input[2], sums->input[3], input[0]};
    input_gradient[0] = gt_node_add(graph, &ops[OP_LOGITS_GRADIENT], fused, 5, NULL, 0);
    return;
  }
  input_gradient[0] = gt_node_add(graph, &ops[OP_MIXTURE_GRADIENT], input, 2, NULL, 0);
}

static void gradient_logic(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                           gt_id *input_gradient) {
  const gt_node *logic = gt_node_at(graph, node);
  const gt_id of_coefficients[4] = {logic->input[0], logic->input[1], logic->input[2], output_gradient[0]};
  const gt_id readers = logic->inputs == 4 ? logic->input[3] : GT_NONE;
  if (wanted[0] && gt_logic_is_walk(graph, readers)) {
    gt_logic_walk_gradient(graph, node, output_gradient[0], wanted, input_gradient);
    return;
  }
  if (wanted[1])
    input_gradient[1] = gt_node_add(graph, &ops[OP_COEFFICIENTS_GRADIENT], of_coefficients, 4, NULL, 0);
  if (!wanted[0]) return;
  if (readers == GT_NONE && !graph->error.status)
    gt_fail(&graph->error, GT_ERR_INTERNAL, "logic: the gradient of the inputs needs the inverse wiring");
  const gt_id of_x[4] = {logic->input[0], logic->input[1], readers, output_gradient[0]};
  input_gradient[0] = gt_node_add(graph, &ops[OP_X_GRADIENT], of_x, 4, NULL, 0);
}

/* --- lowering ------------------------------------------------------------------------------------------- */

static void lower_coefficients(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const gt_shape logits = gt_node_at(gt_lowering_graph(lowering), node->input[0])->shape;
  const struct gt_logic_coefficients_args args = {.gates = (uint32_t)(gt_shape_count(logits) / FUNCTIONS)};
  gt_step *step = gt_lower_step(lowering, &coefficients_kernel, &args, sizeof args);
  step->spec[GT_LOGIC_COEFFICIENTS_SPEC_MODE] = node->op == &ops[OP_HARD]      ? GT_LOGIC_HARD
                                                : node->op == &ops[OP_MIXTURE] ? GT_LOGIC_MIXTURE
                                                                               : GT_LOGIC_GRADIENT;
  step->tiles = gt_ceil_div(args.gates, GT_LOGIC_GATE_TILE);
  gt_lower_read(lowering, offsetof(struct gt_logic_coefficients_args, logits), node->input[0]);
  if (node->inputs == 2)
    gt_lower_read(lowering, offsetof(struct gt_logic_coefficients_args, g), node->input[1]);
  gt_lower_write(lowering, offsetof(struct gt_logic_coefficients_args, y), group->leader);
  gt_lower_grid(lowering, args.gates, 64);
}

uint32_t gt_logic_type(const gt_graph *graph, gt_id node) {
  const gt_dtype dtype = gt_node_at(graph, node)->dtype;
  return dtype == GT_F16 ? GT_LOGIC_F16 : dtype == GT_BF16 ? GT_LOGIC_BF16 : GT_LOGIC_F32;
}

/* Number of vec4s per row in a slice of the batch such that the slice of x fits the cache of the device
 * (SLICE_BYTES); the whole row if x fits. The row is halved while that gives equal slices of at least
 * MIN_SLICE. */
static uint32_t slice_for(const gt_lowering *lowering, const struct gt_logic_args *args, uint32_t type) {
  const uint64_t bytes = (type == GT_LOGIC_F32 ? 16ull : 8ull) * args->inputs;
  uint32_t slice = args->batch / 4;
  if (!gt_lowering_target(lowering)->device) return slice;
  while (slice % 2 == 0 && slice >= 2 * MIN_SLICE && bytes * slice > SLICE_BYTES) slice /= 2;
  return slice;
}

/* Sets the launch grid: a number of lanes for each run of gates and slice of the batch. */
static void lower_runs(gt_lowering *lowering, gt_step *step, uint32_t gates, uint32_t width, uint32_t slice,
                       uint32_t local) {
  const uint32_t runs = gt_ceil_div(gates, GT_LOGIC_RUN);
  const uint32_t lanes = gt_logic_lanes(gt_lowering_target(lowering), slice, runs, local),
                 runs_per_group = local / lanes;
  step->spec[GT_LOGIC_SPEC_LANES] = lanes;
  if (slice < width) step->spec[GT_LOGIC_SPEC_SLICE] = slice;
  gt_lower_grid(lowering, (uint64_t)gt_ceil_div(runs, runs_per_group) * local * (width / slice), local);
}

static void lower_layer(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  if (node->op == &ops[OP_LOGIC] && node->inputs == 4 && gt_logic_is_walk(graph, node->input[3])) {
    gt_logic_walk_lower(lowering, group->leader);
    return;
  }
  const gt_shape x = gt_node_at(graph, node->input[0])->shape;
  const struct gt_logic_args args = {.inputs = (uint32_t)x.dim[0],
                                     .gates = (uint32_t)gt_node_at(graph, node->input[1])->shape.dim[0],
                                     .batch = (uint32_t)x.dim[1]};
  const bool is_logits_gradient = node->op == &ops[OP_LOGITS_GRADIENT],
             is_sums = node->op == &ops[OP_COEFFICIENTS_GRADIENT] || is_logits_gradient;
  const bool is_x_gradient = node->op == &ops[OP_X_GRADIENT];
  const gt_kernel *kernel = is_sums ? &sums_kernel : is_x_gradient ? &inputs_kernel : &logic_kernel;
  const uint32_t result_rows = is_x_gradient ? args.inputs : args.gates,
                 tile_rows = gt_logic_tile_rows(args.batch);
  gt_step *step = gt_lower_step(lowering, kernel, &args, sizeof args);
  const bool quads = args.batch % 4 == 0;
  const uint32_t width = quads ? args.batch / 4 : args.batch,
                 local = gt_lower_workgroup(lowering, WORKGROUP, GT_LOGIC_RUN);
  const uint32_t slice = quads ? slice_for(lowering, &args, gt_logic_type(graph, node->input[0])) : width;
  step->spec[GT_LOGIC_SPEC_QUADS] = quads;
  step->spec[GT_LOGIC_SPEC_X] = gt_logic_type(graph, node->input[0]);
  if (is_sums || is_x_gradient) step->spec[GT_LOGIC_SPEC_G] = gt_logic_type(graph, node->input[3]);
  step->spec[GT_LOGIC_SPEC_Y] = gt_logic_type(graph, group->leader);
  step->tiles = gt_ceil_div(result_rows, tile_rows);
  gt_lower_read(lowering, offsetof(struct gt_logic_args, x), node->input[0]);
  step->spec[GT_LOGIC_SPEC_TO_LOGITS] = is_logits_gradient;
  if (!is_sums || is_logits_gradient)
    gt_lower_read(lowering, offsetof(struct gt_logic_args, coefficients),
                  node->input[is_logits_gradient ? 4 : 1]);
  gt_lower_read(lowering, offsetof(struct gt_logic_args, wiring), node->input[2]);
  if (is_sums || is_x_gradient) gt_lower_read(lowering, offsetof(struct gt_logic_args, g), node->input[3]);
  gt_lower_write(lowering, offsetof(struct gt_logic_args, y), group->leader);
  if (!is_x_gradient) {
    lower_runs(lowering, step, args.gates, width, is_sums ? width : slice, local);
    return;
  }
  if (slice < width) step->spec[GT_LOGIC_SPEC_SLICE] = slice;
  gt_lower_grid(lowering, (uint64_t)result_rows * width, local);
}

/* --- builders ------------------------------------------------------------------------------------------- */

gt_id gt_logic_coefficients(gt_graph *graph, gt_id logits, bool hard) {
  return gt_node_add(graph, &ops[hard ? OP_HARD : OP_MIXTURE], &logits, 1, NULL, 0);
}

gt_id gt_logic(gt_graph *graph, gt_id x, gt_id coefficients, gt_id wiring, gt_id readers) {
  const gt_id input[4] = {x, coefficients, wiring, readers};
  const logic_attribute attribute = {.half = 0};
  return gt_node_add(graph, &ops[OP_LOGIC], input, readers == GT_NONE ? 3 : 4, &attribute, sizeof attribute);
}

/* Adds the same op with a float16 result; the first node is not computed unless another node reads it. */
gt_id gt_logic_half(gt_graph *graph, gt_id x) {
  if (x == GT_NONE) return GT_NONE;
  const gt_node node = *gt_node_at(graph, x); /* a copy: adding nodes may move the array */
  const logic_attribute attribute = {.half = 1};
  if (node.op != &ops[OP_LOGIC] || node.shape.dim[1] % 4) return x;
  const char *scope = gt_graph_set_scope(graph, node.scope);
  const gt_id half = gt_node_add(graph, node.op, node.input, node.inputs, &attribute, sizeof attribute);
  gt_graph_set_scope(graph, scope);
  return half;
}

gt_id gt_logic_group_sum(gt_graph *graph, gt_id x, int64_t groups, double scale) {
  gt_id sum = GT_NONE;
  if (x == GT_NONE) return GT_NONE;
  const gt_node *node = gt_node_at(graph, x);
  if (node->op == &ops[OP_LOGIC] && node->inputs == 4 && gt_logic_is_walk(graph, node->input[3]))
    sum = gt_logic_walk_sum(graph, x, groups, scale);
  return sum == GT_NONE ? gt_group_sum(graph, x, groups, scale) : sum;
}

void gt_logic_inverse(const int32_t *wiring, int64_t inputs, int64_t gates, int32_t *out) {
  int32_t *start = out, *reader = out + inputs + 1;
  memset(start, 0, (size_t)(inputs + 1) * sizeof *start);
  for (int64_t i = 0; i < 2 * gates; i++) start[wiring[i] + 1]++;
  for (int64_t i = 0; i < inputs; i++) start[i + 1] += start[i];
  for (int64_t gate = 0; gate < gates; gate++)
    for (int side = 0; side < 2; side++) {
      const int64_t position = start[wiring[side * gates + gate]]++;
      reader[2 * position] = (int32_t)(2 * gate + side);
      reader[2 * position + 1] = wiring[(1 - side) * gates + gate];
    }
  /* Each start has advanced to the end of its list, where the next list starts. */
  memmove(start + 1, start, (size_t)inputs * sizeof *start);
  start[0] = 0;
}

/* --- ops ------------------------------------------------------------------------------------------------ */

static double coefficient_flops(const gt_graph *graph, const gt_node *node) {
  return 3.0 * (double)gt_shape_count(gt_node_at(graph, node->input[0])->shape);
}

/* The exponentials of the softmax over the logits. */
static double op_functions(const gt_graph *graph, const gt_node *node) {
  const bool mixes = node->op == &ops[OP_MIXTURE] || node->op == &ops[OP_MIXTURE_GRADIENT];
  return mixes ? (double)gt_shape_count(gt_node_at(graph, node->input[0])->shape) : 0;
}

static double layer_flops(const gt_graph *graph, const gt_node *node) {
  const double gates = (double)gt_node_at(graph, node->input[1])->shape.dim[0];
  const double per_gate = node->op == &ops[OP_X_GRADIENT] ? 8 : node->op == &ops[OP_LOGIC] ? 6 : 7;
  return per_gate * gates * (double)gt_node_at(graph, node->input[0])->shape.dim[1];
}

#define OP(op_name, min, max, op_infer, op_gradient, op_lower, op_flops)                            \
  {                                                                                                 \
    .name = op_name, .kind = GT_OP_KERNEL, .min_inputs = min, .max_inputs = max, .infer = op_infer, \
    .gradient = op_gradient, .lower = op_lower, .flops = op_flops, .functions = op_functions        \
  }

static const gt_op ops[OPS] = {
    [OP_MIXTURE] = OP("logic_coefficients", 1, 1, infer_coefficients, gradient_mixture, lower_coefficients,
                      coefficient_flops),
    [OP_HARD] =
        OP("logic_coefficients_hard", 1, 1, infer_coefficients, NULL, lower_coefficients, coefficient_flops),
    [OP_MIXTURE_GRADIENT] = OP("logic_coefficients_gradient", 2, 2, infer_coefficients, NULL,
                               lower_coefficients, coefficient_flops),
    [OP_LOGIC] = OP("logic", 3, 4, infer_logic, gradient_logic, lower_layer, layer_flops),
    [OP_COEFFICIENTS_GRADIENT] =
        OP("logic_coefficient_sums", 4, 4, infer_coefficients_gradient, NULL, lower_layer, layer_flops),
    [OP_LOGITS_GRADIENT] =
        OP("logic_logits_gradient", 5, 5, infer_coefficients_gradient, NULL, lower_layer, layer_flops),
    [OP_X_GRADIENT] = OP("logic_inputs", 4, 4, infer_x_gradient, NULL, lower_layer, layer_flops),
};
