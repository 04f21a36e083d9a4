/* The elementwise ops, one per instruction (shaders/lib/opcodes.h). A fused group of them is a program of
 * such instructions (step/program.h), which the kernel of this file interprets. */
#include "op/elementwise.h"
#include "base/count.h"
#include "base/philox.h"
#include "op/check.h"
#include "op/elementwise_gradient.h"
#include "shaders/op/elementwise.h"
#include "step/lowering.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { TILE_ELEMENTS = 4096, WORKGROUP = 256, ELEMENTS_PER_INVOCATION = 4 };

typedef struct constant_attribute {
  double value;
} constant_attribute;
typedef struct leaky_relu_attribute {
  double slope;
} leaky_relu_attribute;
typedef struct random_attribute {
  gt_shape shape;
  uint32_t purpose, reserved; /* reserved fills the struct, so that equal attributes have equal bytes */
} random_attribute;

/* --- shapes --------------------------------------------------------------------------------------------- */

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  *shape = (gt_shape){.rank = 0};
  *dtype = GT_F32;
  for (int i = 0; i < node->inputs; i++) {
    const gt_node *input = gt_node_at(graph, node->input[i]);
    const gt_shape so_far = *shape;
    if (!gt_check_f32(node->op->name, input, error)) return false;
    if (!gt_shape_broadcast(so_far, input->shape, shape)) {
      char a[128], b[128];
      return gt_fail(error, GT_ERR_CONFIG,
                     "%s cannot combine shapes %s and %s: axes aligned from the last one must "
                     "be equal or 1",
                     node->op->name, gt_shape_text(so_far, a), gt_shape_text(input->shape, b));
    }
  }
  return gt_check_size(node->op->name, *shape, error);
}

static bool infer_random(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                         gt_error *error) {
  const random_attribute *attribute = node->attribute;
  (void)graph;
  *shape = attribute->shape;
  *dtype = GT_F32;
  return gt_check_size(node->op->name, *shape, error);
}

/* True for `less`: its values are 0 or 1. */
static bool gives_bits(const gt_graph *graph, const gt_node *node) {
  (void)graph;
  return node->op->opcode == GT_I_LESS;
}

static int smooth(const gt_graph *graph, const gt_node *node) {
  (void)graph;
  switch (node->op->opcode) {
  case GT_I_MAX:
  case GT_I_MIN:
  case GT_I_ABS:
  case GT_I_RELU:
  case GT_I_LEAKY_RELU: return 0;
  case GT_I_MOD:
  case GT_I_LESS:
  case GT_I_EQUAL:
  case GT_I_SIGN:
  case GT_I_WHERE: return -1;
  default: return GT_SMOOTH;
  }
}

/* A bound on |value| for common ops; INFINITY: unknown. */
static double limit(const gt_graph *graph, const gt_node *node) {
  const double first = node->inputs ? gt_node_at(graph, node->input[0])->limit : 0,
               second = node->inputs > 1 ? gt_node_at(graph, node->input[1])->limit : 0;
  switch (node->op->opcode) {
  case GT_I_CONSTANT: return fabs(((const constant_attribute *)node->attribute)->value);
  case GT_I_RANDOM:
  case GT_I_TANH:
  case GT_I_SIGMOID:
  case GT_I_SIN:
  case GT_I_COS:
  case GT_I_ERF:
  case GT_I_SIGN: return 1;
  case GT_I_MOVE:
  case GT_I_NEG:
  case GT_I_ABS:
  case GT_I_RELU:
  case GT_I_GELU:
  case GT_I_SILU: return first;
  case GT_I_ADD:
  case GT_I_SUB: return first + second;
  case GT_I_MUL: return isinf(first) || isinf(second) ? INFINITY : first * second;
  default: return INFINITY;
  }
}

/* --- printing ------------------------------------------------------------------------------------------- */

static void print_constant(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  snprintf(buffer, size, "%g", ((const constant_attribute *)node->attribute)->value);
}

static void print_leaky_relu(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  snprintf(buffer, size, "slope %g", gt_leaky_relu_slope(node));
}

static void print_random(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  snprintf(buffer, size, "stream %" PRIu32, ((const random_attribute *)node->attribute)->purpose);
}

/* --- ops ------------------------------------------------------------------------------------------------ */

#define GRADIENT_SLOPE(name) gt_gradient_##name
#define GRADIENT_FLAT(name)  NULL
#define OP(op, op_name, op_inputs, op_gradient) \
  {.name = #op_name,                            \
   .kind = GT_OP_ELEMENTWISE,                   \
   .min_inputs = op_inputs,                     \
   .max_inputs = op_inputs,                     \
   .opcode = op,                                \
   .infer = infer,                              \
   .bits = gives_bits,                          \
   .smooth = smooth,                            \
   .limit = limit,                              \
   .gradient = op_gradient},
#define OP_0(...)
#define OP_1(...) OP(__VA_ARGS__)
#define OP_2(...) OP(__VA_ARGS__)
#define OP_3(...) OP(__VA_ARGS__)
#define OP_OF(opcode, NAME, name, inputs, slope, ...) \
  OP_##inputs(opcode, name, inputs, GRADIENT_##slope(name))

enum { OP_CONSTANT, OP_RANDOM, OP_LEAKY_RELU }; /* ops with an attribute are first */
static const gt_op ops[] = {
    {.name = "constant",
     .kind = GT_OP_ELEMENTWISE,
     .opcode = GT_I_CONSTANT,
     .infer = infer,
     .limit = limit,
     .print = print_constant},
    {.name = "random",
     .kind = GT_OP_ELEMENTWISE,
     .min_inputs = 1,
     .opcode = GT_I_RANDOM,
     .clocked = true,
     .infer = infer_random,
     .limit = limit,
     .print = print_random},
    {.name = "leaky_relu",
     .kind = GT_OP_ELEMENTWISE,
     .min_inputs = 1,
     .opcode = GT_I_LEAKY_RELU,
     .infer = infer,
     .smooth = smooth,
     .gradient = gt_gradient_leaky_relu,
     .print = print_leaky_relu},
    /* clang-format off */
    GT_INSTRUCTIONS(OP_OF)
    /* clang-format on */
};

GT_DEFINE(op, elementwise) = {ops, sizeof ops / sizeof *ops};

/* --- builders ------------------------------------------------------------------------------------------- */

gt_id gt_constant(gt_graph *graph, double value) {
  const constant_attribute attribute = {value};
  return gt_node_add(graph, &ops[OP_CONSTANT], NULL, 0, &attribute, sizeof attribute);
}

gt_id gt_random(gt_graph *graph, gt_shape shape, gt_id clock) {
  random_attribute attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.shape.rank = shape.rank;
  for (int d = 0; d < shape.rank; d++) attribute.shape.dim[d] = shape.dim[d];
  attribute.purpose = GT_PURPOSE_GRAPH + graph->next_purpose++;
  return gt_node_add(graph, &ops[OP_RANDOM], &clock, 1, &attribute, sizeof attribute);
}

gt_id gt_leaky_relu(gt_graph *graph, gt_id x, double slope) {
  const leaky_relu_attribute attribute = {slope};
  return gt_node_add(graph, &ops[OP_LEAKY_RELU], &x, 1, &attribute, sizeof attribute);
}

double gt_leaky_relu_slope(const gt_node *node) {
  return ((const leaky_relu_attribute *)node->attribute)->slope;
}

/* --- lowering ------------------------------------------------------------------------------------------- */

bool gt_elementwise_code(const gt_graph *graph, gt_id id, uint32_t *opcode, int *operands, float *immediate,
                         bool *has_immediate) {
  const gt_node *node = gt_node_at(graph, id);
  if (node->op->kind != GT_OP_ELEMENTWISE) return false;
  *opcode = node->op->opcode;
  *operands = node->inputs;
  *immediate = 0.0f;
  *has_immediate = true;
  switch (*opcode) {
  case GT_I_CONSTANT: *immediate = (float)((const constant_attribute *)node->attribute)->value; break;
  case GT_I_LEAKY_RELU: *immediate = (float)gt_leaky_relu_slope(node); break;
  case GT_I_RANDOM: /* the clock is not an operand: kernels have a separate argument for it */
    *operands = 0;
    memcpy(immediate, &((const random_attribute *)node->attribute)->purpose, sizeof *immediate);
    break;
  default: *has_immediate = false;
  }
  return true;
}

static void elementwise_cpu(const void *arguments, const uint32_t *spec, uint32_t tile) {
  const struct gt_elementwise_args *args = arguments;
  const uint32_t first = tile * TILE_ELEMENTS, remaining = args->count - first;
  gt_program program;
  gt_program_from_spec(spec, &program);
  gt_program_context context = {.program = &program,
                                .clock = GT_PTR(const uint32_t, args->clock),
                                .layout = GT_PTR(const uint32_t, args->layout_),
                                .row_length = args->row_length};
  float *out[GT_PROGRAM_OUTPUTS];
  for (uint32_t k = 0; k < program.inputs; k++) context.x[k] = GT_PTR(const float, args->x[k]);
  for (uint32_t k = 0; k < program.outputs; k++) out[k] = GT_PTR(float, args->y[k]) + first;
  gt_program_evaluate(&context, first, remaining < TILE_ELEMENTS ? remaining : TILE_ELEMENTS, NULL, out);
}

static const gt_kernel elementwise_kernel = {"elementwise", elementwise_cpu};

void gt_elementwise_lower(gt_lowering *lowering, const gt_group *group) {
  const uint32_t count = (uint32_t)gt_shape_count(group->shape);
  const struct gt_elementwise_args args = {.count = count, .row_length = group->row_length};
  gt_step *step = gt_lower_step(lowering, &elementwise_kernel, &args, sizeof args);
  gt_lower_program(lowering, group, offsetof(struct gt_elementwise_args, x),
                   offsetof(struct gt_elementwise_args, y), offsetof(struct gt_elementwise_args, clock),
                   offsetof(struct gt_elementwise_args, layout_));
  step->spec[GT_ELEMENTWISE_SPEC_QUADS] = gt_program_is_vec4(&group->program, count, group->row_length);
  gt_lower_grid(lowering, gt_ceil_div(count, ELEMENTS_PER_INVOCATION), WORKGROUP);
  step->tiles = gt_ceil_div(count, TILE_ELEMENTS);
}
