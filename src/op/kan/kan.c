/* The three products of a KAN layer, with a factor of basis functions that is made while it is read
 * (op/kan/basis.h). The gradient of the inputs multiplies each function's part of a sum by that function's
 * derivative: on a device what a segment of k comes to is drained so, on the CPU a tile at a time
 * (kan_cpu.c). */
#include "op/kan/kan.h"
#include "base/count.h"
#include "op/check.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/kan/basis.h"
#include "op/kan/kan_cpu.h"
#include "op/matmul/product.h"
#include "op/op.h"
#include <stddef.h>

enum { ROW_KAN, ROW_COEFFICIENTS, ROW_INPUT, ROWS, MOST_LENGTH = 1 << 28 };
static const gt_op rows[ROWS];

GT_REGISTER(op, kan)
const gt_op_family gt_op_kan;
const gt_op_family gt_op_kan = {rows, ROWS};

#define NAME(number, name, function) #name,
static const char *const names[] = {GT_BASES(NAME)};
enum { BASES = sizeof names / sizeof *names };

/* --- what they are about -------------------------------------------------------------------------------- */

gt_kan_attribute gt_kan_bspline(double low, double high, uint32_t grid, uint32_t degree) {
  return (gt_kan_attribute){.basis = GT_BASIS_BSPLINE,
                            .terms = grid + degree,
                            .degree = degree,
                            .low = (float)low,
                            .inverse = (float)(grid / (high - low))};
}

gt_kan_attribute gt_kan_lines(double low, double high, uint32_t grid) {
  return (gt_kan_attribute){.basis = GT_BASIS_PIECEWISE_LINEAR,
                            .terms = grid + 1,
                            .low = (float)low,
                            .inverse = (float)(grid / (high - low))};
}

gt_kan_attribute gt_kan_bumps(uint32_t basis, double low, double high, uint32_t grid, double width) {
  const double apart = (high - low) / (grid > 1 ? grid - 1 : 1);
  return (gt_kan_attribute){.basis = basis,
                            .terms = grid,
                            .low = (float)low,
                            .inverse = (float)(1 / apart),
                            .first = width > 0 ? (float)(apart / width) : 1};
}

gt_kan_attribute gt_kan_waves(uint32_t frequencies) {
  return (gt_kan_attribute){.basis = GT_BASIS_FOURIER, .terms = 2 * frequencies, .inverse = 1};
}

gt_kan_attribute gt_kan_polynomials(uint32_t basis, uint32_t degree, double a, double b) {
  return (gt_kan_attribute){
      .basis = basis, .terms = degree + 1, .inverse = 1, .first = (float)a, .second = (float)b};
}

static uint32_t total(const gt_kan_attribute *a) { return a->terms + a->base; }

uint32_t gt_kan_row(const gt_kan_attribute *a, uint32_t input, uint32_t term) {
  return (input / a->block * total(a) + term) * a->block + input % a->block;
}

typedef struct extents {
  const gt_kan_attribute *a;
  int64_t lines, inputs, outputs;
} extents;

static int64_t last(gt_shape shape) { return shape.rank ? shape.dim[shape.rank - 1] : 0; }

static gt_shape with_last(gt_shape shape, int64_t value) {
  shape.dim[shape.rank - 1] = value;
  return shape;
}

static bool is_sound(const gt_kan_attribute *a, int64_t inputs) {
  return a->basis < BASES && a->terms && a->terms < MOST_LENGTH && a->base <= 1 && a->block &&
         inputs % a->block == 0 && a->order <= GT_BASIS_MOST_ORDER && a->inverse > 0 &&
         (a->basis < GT_BASIS_CHEBYSHEV || a->terms <= GT_BASIS_MOST_POLYNOMIALS) &&
         (a->basis != GT_BASIS_PIECEWISE_LINEAR || a->terms >= 2) &&
         (a->basis != GT_BASIS_FOURIER || a->terms % 2 == 0) &&
         (a->basis != GT_BASIS_BSPLINE || (a->degree <= GT_BASIS_MOST_DEGREE && a->terms > a->degree));
}

static bool extents_of(const gt_graph *graph, const gt_node *node, extents *e) {
  const gt_shape x = gt_node_at(graph, node->input[0])->shape,
                 second = gt_node_at(graph, node->input[1])->shape;
  const bool forward = node->op == &rows[ROW_KAN];
  e->a = node->attribute;
  e->inputs = last(x);
  e->outputs = last(second);
  if (x.rank < 2 || second.rank < 2 || e->inputs < 1 || e->outputs < 1 || !is_sound(e->a, e->inputs) ||
      total(e->a) > MOST_LENGTH / e->inputs)
    return false;
  e->lines = gt_shape_count(x) / e->inputs;
  if (!forward && !gt_shape_equal(second, with_last(x, e->outputs))) return false;
  if (node->op == &rows[ROW_COEFFICIENTS]) return true;
  const gt_shape c = forward ? second : gt_node_at(graph, node->input[2])->shape;
  return last(c) == e->outputs && gt_shape_count(c) == e->inputs * total(e->a) * e->outputs;
}

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const char *name = node->op->name;
  const gt_kan_attribute *a = node->attribute;
  extents e;
  for (int i = 0; i < node->inputs; i++)
    if (!gt_check_f32(name, gt_node_at(graph, node->input[i]), error)) return false;
  if (a->order > GT_BASIS_MOST_ORDER)
    return gt_fail(error, GT_ERR_CONFIG, "%s: basis functions have no derivative of order %u", name,
                   a->order);
  if (!extents_of(graph, node, &e)) {
    char x[128], y[128];
    return gt_fail(error, GT_ERR_CONFIG, "%s: %s and %s do not fit %u basis functions of an input", name,
                   gt_shape_text(gt_node_at(graph, node->input[0])->shape, x),
                   gt_shape_text(gt_node_at(graph, node->input[1])->shape, y), total(a));
  }
  const gt_shape x = gt_node_at(graph, node->input[0])->shape;
  *shape = node->op == &rows[ROW_KAN]     ? with_last(x, e.outputs)
           : node->op == &rows[ROW_INPUT] ? x
                                          : gt_shape_2(e.inputs * total(e.a), e.outputs);
  *dtype = GT_F32;
  return gt_check_size(name, x, error) && gt_check_size(name, *shape, error);
}

/* --- builders and gradients ----------------------------------------------------------------------------- */

static gt_id add(gt_graph *graph, int row, const gt_id *input, int inputs, const gt_kan_attribute *a) {
  return gt_node_add(graph, &rows[row], input, inputs, a, sizeof *a);
}

gt_id gt_kan(gt_graph *graph, gt_id x, gt_id coefficients, const gt_kan_attribute *a) {
  return add(graph, ROW_KAN, (const gt_id[]){x, coefficients}, 2, a);
}

gt_id gt_kan_coefficients(gt_graph *graph, gt_id x, gt_id g, const gt_kan_attribute *a) {
  return add(graph, ROW_COEFFICIENTS, (const gt_id[]){x, g}, 2, a);
}

gt_id gt_kan_input(gt_graph *graph, gt_id x, gt_id g, gt_id coefficients, const gt_kan_attribute *a) {
  return add(graph, ROW_INPUT, (const gt_id[]){x, g, coefficients}, 3, a);
}

static gt_kan_attribute derived(const gt_graph *graph, gt_id node) {
  gt_kan_attribute a = *(const gt_kan_attribute *)gt_node_at(graph, node)->attribute;
  a.order++;
  return a;
}

static void gradient_kan(gt_graph *graph, gt_id node, const gt_id *given, const bool *wanted,
                         gt_id *input_gradient) {
  const gt_node n = *gt_node_at(graph, node);
  const gt_kan_attribute next = derived(graph, node);
  if (wanted[0]) input_gradient[0] = gt_kan_input(graph, n.input[0], given[0], n.input[1], &next);
  if (wanted[1])
    input_gradient[1] = gt_reshape(graph, gt_kan_coefficients(graph, n.input[0], given[0], n.attribute),
                                   gt_node_at(graph, n.input[1])->shape);
}

static void gradient_coefficients(gt_graph *graph, gt_id node, const gt_id *given, const bool *wanted,
                                  gt_id *input_gradient) {
  const gt_node n = *gt_node_at(graph, node);
  const gt_kan_attribute next = derived(graph, node);
  if (wanted[0]) input_gradient[0] = gt_kan_input(graph, n.input[0], n.input[1], given[0], &next);
  if (wanted[1]) input_gradient[1] = gt_kan(graph, n.input[0], given[0], n.attribute);
}

static void gradient_input(gt_graph *graph, gt_id node, const gt_id *given, const bool *wanted,
                           gt_id *input_gradient) {
  const gt_node n = *gt_node_at(graph, node);
  const gt_kan_attribute next = derived(graph, node);
  if (wanted[0]) {
    const gt_id bend = gt_kan_input(graph, n.input[0], n.input[1], n.input[2], &next);
    input_gradient[0] = gt_mul(graph, given[0], bend);
  }
  if ((wanted[1] || wanted[2]) && !graph->error.status)
    gt_fail(&graph->error, GT_ERR_CONFIG,
            "kan_input: derivatives by an input are not differentiable by anything else yet");
}

/* --- lowering ------------------------------------------------------------------------------------------- */

static const gt_kernel input_kernel = {"kan_input", gt_kan_input_cpu, gt_kan_input_prepare};

static void lower_input_cpu(gt_lowering *lowering, const gt_group *group, const extents *e,
                            const gt_product *p) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const struct gt_kan_input_args args = {.m = (uint32_t)e->lines};
  gt_step *step = gt_lower_step(lowering, &input_kernel, &args, sizeof args);
  step->tiles = gt_kan_input_tiles(args.m, (uint32_t)e->inputs, e->a->block);
  for (int i = GT_FACTOR_SPEC_OWN; i < GT_FACTOR_SPEC_END; i++)
    step->spec[i] = p->own[i - GT_FACTOR_SPEC_OWN];
  gt_lower_read(lowering, offsetof(struct gt_kan_input_args, x), node->input[0]);
  gt_lower_read(lowering, offsetof(struct gt_kan_input_args, g), node->input[1]);
  gt_lower_read(lowering, offsetof(struct gt_kan_input_args, c), node->input[2]);
  gt_lower_constants(lowering, offsetof(struct gt_kan_input_args, geometry), p->geometry, 4 * p->words);
  gt_lower_program(lowering, group, offsetof(struct gt_kan_input_args, in),
                   offsetof(struct gt_kan_input_args, y), offsetof(struct gt_kan_input_args, clock), -1);
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  uint32_t geometry[GT_BASIS_WORDS];
  extents e;
  if (!extents_of(graph, node, &e)) return;
  const uint32_t lines = (uint32_t)e.lines, outputs = (uint32_t)e.outputs, inputs = (uint32_t)e.inputs,
                 length = inputs * total(e.a);
  gt_product p = {.a = {.node = node->input[0]}, .b = {.node = node->input[1]}};
  p.geometry = geometry;
  p.words = GT_BASIS_WORDS;
  gt_basis_geometry(e.a, inputs, outputs, geometry, p.own);
  if (node->op == &rows[ROW_KAN]) {
    p.shape = (gt_matmul_shape){.m = lines, .n = outputs, .k = length, .batch = 1};
    p.shape.kind_a = GT_FACTOR_BASIS;
    p.shape.run = e.a->block;
  } else if (node->op == &rows[ROW_COEFFICIENTS]) {
    p.shape = (gt_matmul_shape){.m = length, .n = outputs, .k = lines, .batch = 1, .trans_a = true};
    p.shape.kind_a = GT_FACTOR_BASIS;
    p.shape.run = e.a->block;
  } else if (!gt_lowering_target(lowering)->device) {
    lower_input_cpu(lowering, group, &e, &p);
    return;
  } else {
    const uint32_t segment = gt_ceil_div(outputs, GT_FACTOR_SLICE) * GT_FACTOR_SLICE;
    p.shape =
        (gt_matmul_shape){.m = lines, .n = inputs, .k = total(e.a) * segment, .batch = 1, .trans_b = true};
    p.shape.kind_a = GT_FACTOR_REPEATED;
    p.shape.kind_b = GT_FACTOR_COEFFICIENTS;
    p.shape.segment = segment;
    p.shape.whole_k = true;
    p.drain = node->input[0];
    p.a.node = node->input[1];
    p.b.node = node->input[2];
  }
  gt_product_lower(lowering, group, &p);
}

/* --- rows ----------------------------------------------------------------------------------------------- */

static double flops(const gt_graph *graph, const gt_node *node) {
  extents e;
  if (!extents_of(graph, node, &e)) return 0;
  return 2.0 * (double)e.lines * (double)(e.inputs * total(e.a)) * (double)e.outputs;
}

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  const gt_kan_attribute *a = node->attribute;
  int end = snprintf(buffer, size, "%s, %u functions", names[a->basis], a->terms);
  if (a->basis == GT_BASIS_BSPLINE)
    end += snprintf(buffer + end, size - (size_t)end, " of degree %u", a->degree);
  if (a->base) end += snprintf(buffer + end, size - (size_t)end, " and silu");
  if (a->order) snprintf(buffer + end, size - (size_t)end, ", derivative %u", a->order);
}

#define ROW(title, count, its_gradient)                                                            \
  {                                                                                                \
    .name = title, .kind = GT_OP_KERNEL, .min_inputs = count, .max_inputs = count, .infer = infer, \
    .gradient = its_gradient, .lower = lower, .flops = flops, .print = print, .epilogue = true     \
  }

static const gt_op rows[ROWS] = {[ROW_KAN] = ROW("kan", 2, gradient_kan),
                                 [ROW_COEFFICIENTS] = ROW("kan_coefficients", 2, gradient_coefficients),
                                 [ROW_INPUT] = ROW("kan_input", 3, gradient_input)};
