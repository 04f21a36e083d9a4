/* The ops of a KAN layer: the output, the gradients of the coefficients and of the inputs, and the basis as a
 * value. The first three are GEMMs with an operand of basis functions that is computed on load
 * (op/kan/basis.h). The gradient of the inputs multiplies the sum for each function by the function's
 * derivative: on a device at the end of each K segment, on the CPU a tile at a time (kan_cpu.c). */
#include "op/kan/kan.h"
#include "base/count.h"
#include "op/check.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/kan/basis.h"
#include "op/kan/kan_cpu.h"
#include "op/kan/kan_product.h"
#include "op/kan/kan_scale.h"
#include "op/matmul/matmul.h"
#include "op/move.h"
#include "op/op.h"
#include "op/reduce.h"
#include "shaders/op/kan/kan_basis.h"
#include <stddef.h>

enum { OP_KAN, OP_COEFFICIENTS, OP_INPUT, OP_BASIS, OPS };
enum { MOST_LENGTH = 1 << 28 /* columns of B(x) */ };
static const gt_op ops[OPS];

GT_DEFINE(op, kan) = {ops, OPS};

#define NAME(number, name, function) #name,
static const char *const names[] = {GT_BASES(NAME) "bspline, its own knots"};
enum { BASES = sizeof names / sizeof *names };

/* --- attributes and shapes ------------------------------------------------------------------------------ */

gt_kan_attribute gt_kan_bspline(double low, double high, uint32_t grid, uint32_t degree) {
  return (gt_kan_attribute){.basis = GT_BASIS_BSPLINE,
                            .terms = grid + degree,
                            .degree = degree,
                            .low = (float)low,
                            .inverse = (float)(grid / (high - low))};
}

gt_kan_attribute gt_kan_knots(uint32_t grid, uint32_t degree) {
  return (gt_kan_attribute){.basis = GT_BASIS_KNOTS, .terms = grid + degree, .degree = degree, .inverse = 1};
}

gt_kan_attribute gt_kan_piecewise_linear(double low, double high, uint32_t grid) {
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

/* Functions of an input, with the base. */
static uint32_t total(const gt_kan_attribute *a) { return a->terms + a->base; }

uint32_t gt_kan_row(const gt_kan_attribute *a, uint32_t input, uint32_t term) {
  return (input / a->block * total(a) + term) * a->block + input % a->block;
}

uint32_t gt_kan_parameter_rows(const gt_kan_attribute *a) {
  return a->basis == GT_BASIS_KNOTS ? a->terms + a->degree + 1 : a->placed ? 2 * a->terms : 0;
}

typedef gt_kan_extents extents;

static int64_t last_dim(gt_shape shape) { return shape.rank ? shape.dim[shape.rank - 1] : 0; }

static gt_shape with_last_dim(gt_shape shape, int64_t value) {
  shape.dim[shape.rank - 1] = value;
  return shape;
}

static bool is_spline(const gt_kan_attribute *a) {
  return a->basis == GT_BASIS_BSPLINE || a->basis == GT_BASIS_KNOTS;
}

/* True if the members of the attribute are valid. Order GT_BASIS_BY_SCALE, which follows the highest order,
 * needs `placed`. */
static bool is_sound(const gt_kan_attribute *a, int64_t inputs) {
  return a->basis < BASES && a->terms && a->terms < MOST_LENGTH && a->base <= 1 && a->block &&
         inputs % a->block == 0 && a->order <= GT_BASIS_MOST_ORDER + a->placed && a->inverse > 0 &&
         (!a->apart || (a->base && !a->order && !gt_kan_parameter_rows(a))) &&
         a->placed <= (a->basis == GT_BASIS_RBF || a->basis == GT_BASIS_RSWAF ||
                       a->basis == GT_BASIS_WAVELET || a->basis == GT_BASIS_SINC ||
                       a->basis == GT_BASIS_FOURIER) &&
         (!GT_BASIS_IS_POLYNOMIAL(a->basis) || a->terms <= GT_BASIS_MOST_POLYNOMIALS) &&
         (a->basis != GT_BASIS_PIECEWISE_LINEAR || a->terms >= 2) &&
         (a->basis != GT_BASIS_FOURIER || a->terms % 2 == 0) &&
         (!is_spline(a) || (a->degree <= GT_BASIS_MOST_DEGREE && a->terms > a->degree));
}

/* The shape of the inputs that the functions read: x without the parameters that follow it, or without the
 * inputs of a base that is apart. */
static gt_shape input_shape(gt_shape x, const gt_kan_attribute *a) {
  x.dim[0] -= gt_kan_parameter_rows(a);
  return a->apart ? gt_shape_without_first(x) : x;
}

/* Sets e->inputs and e->lines; x: with the parameters that follow it. False if the attribute is invalid or
 * does not match x. */
static bool set_lines(gt_shape x, extents *e) {
  e->inputs = last_dim(x);
  if (x.rank < 2 || e->inputs < 1 || !is_sound(e->a, e->inputs) || total(e->a) > MOST_LENGTH / e->inputs ||
      (gt_kan_parameter_rows(e->a) && (x.rank > 2 || x.dim[0] <= gt_kan_parameter_rows(e->a))) ||
      (e->a->apart && (x.rank < 3 || x.dim[0] != 2)))
    return false;
  e->lines = gt_shape_count(input_shape(x, e->a)) / e->inputs;
  return true;
}

/* The input with the scales, after the coefficients; GT_NONE: there are none. */
static gt_id scales_of(const gt_node *node) {
  const int at = node->op == &ops[OP_KAN] ? 2 : node->op == &ops[OP_INPUT] ? 3 : node->inputs;
  return node->inputs > at ? node->input[at] : GT_NONE;
}

static bool extents_of(const gt_graph *graph, const gt_node *node, extents *e) {
  const gt_shape x_and_parameters = gt_node_at(graph, node->input[0])->shape;
  e->a = node->attribute;
  e->scales = scales_of(node);
  e->parts = 0;
  if (!set_lines(x_and_parameters, e)) return false;
  if (node->op == &ops[OP_BASIS]) {
    e->outputs = 0;
    return !e->a->apart;
  }
  const gt_shape x = input_shape(x_and_parameters, e->a), second = gt_node_at(graph, node->input[1])->shape;
  const bool forward = node->op == &ops[OP_KAN];
  e->outputs = last_dim(second);
  if (second.rank < 2 || e->outputs < 1) return false;
  if (!forward && !gt_shape_equal(second, with_last_dim(x, e->outputs))) return false;
  if (node->op == &ops[OP_COEFFICIENTS]) return true;
  const gt_shape c = forward ? second : gt_node_at(graph, node->input[2])->shape;
  if (last_dim(c) != e->outputs || gt_shape_count(c) != e->inputs * total(e->a) * e->outputs) return false;
  if (e->scales == GT_NONE || e->a->apart) return e->scales == GT_NONE && (forward || !e->a->apart);
  e->parts = gt_kan_scale_parts(gt_node_at(graph, e->scales)->shape, e->inputs, e->outputs, e->a);
  return e->parts > 0;
}

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  const char *name = node->op->name;
  const gt_kan_attribute *a = node->attribute;
  extents e;
  for (int i = 0; i < node->inputs; i++)
    if (!gt_check_f32(name, gt_node_at(graph, node->input[i]), error)) return false;
  if (a->order > GT_BASIS_MOST_ORDER + a->placed)
    return gt_fail(error, GT_ERR_CONFIG, "%s: basis functions have no derivative of order %u", name,
                   a->order);
  if (!extents_of(graph, node, &e)) {
    char x[128], y[128];
    const gt_id second = node->input[node->op != &ops[OP_BASIS]];
    return gt_fail(error, GT_ERR_CONFIG, "%s: %s and %s do not match %u basis functions per input", name,
                   gt_shape_text(gt_node_at(graph, node->input[0])->shape, x),
                   gt_shape_text(gt_node_at(graph, second)->shape, y), total(a));
  }
  const gt_shape x = input_shape(gt_node_at(graph, node->input[0])->shape, a);
  *shape = node->op == &ops[OP_KAN]     ? with_last_dim(x, e.outputs)
           : node->op == &ops[OP_INPUT] ? x
           : node->op == &ops[OP_BASIS] ? with_last_dim(x, e.inputs * total(a))
                                        : gt_shape_2(e.inputs * total(e.a), e.outputs);
  *dtype = GT_F32;
  return gt_check_size(name, x, error) && gt_check_size(name, *shape, error);
}

/* --- builders and gradients ----------------------------------------------------------------------------- */

static gt_id add(gt_graph *graph, int op_index, const gt_id *input, int inputs, const gt_kan_attribute *a) {
  return gt_node_add(graph, &ops[op_index], input, inputs, a, sizeof *a);
}

gt_id gt_kan(gt_graph *graph, gt_id x, gt_id coefficients, gt_id scales, const gt_kan_attribute *a) {
  return add(graph, OP_KAN, (const gt_id[]){x, coefficients, scales}, 2 + (scales != GT_NONE), a);
}

gt_id gt_kan_coefficients(gt_graph *graph, gt_id x, gt_id g, const gt_kan_attribute *a) {
  return add(graph, OP_COEFFICIENTS, (const gt_id[]){x, g}, 2, a);
}

gt_id gt_kan_input(gt_graph *graph, gt_id x, gt_id g, gt_id coefficients, gt_id scales,
                   const gt_kan_attribute *a) {
  return add(graph, OP_INPUT, (const gt_id[]){x, g, coefficients, scales}, 3 + (scales != GT_NONE), a);
}

gt_id gt_kan_basis(gt_graph *graph, gt_id x, const gt_kan_attribute *a) {
  return add(graph, OP_BASIS, &x, 1, a);
}

/* The node's attribute with the next order of the derivative. */
static gt_kan_attribute next_order(const gt_graph *graph, gt_id node) {
  gt_kan_attribute a = *(const gt_kan_attribute *)gt_node_at(graph, node)->attribute;
  a.order++;
  return a;
}

/* Reorders x, whose rows are in the order of coefficients ([blocks, total, block, rest]), to [terms, inputs,
 * rest], without the base. */
static gt_id by_terms(gt_graph *graph, gt_id x, const gt_kan_attribute *a, int64_t inputs, int64_t rest) {
  static const int axes[] = {1, 0, 2, 3};
  static const int64_t start[4] = {0};
  const int64_t blocks = inputs / a->block, stop[4] = {blocks, a->terms, a->block, rest};
  gt_id parted = gt_reshape(graph, x, (gt_shape){.rank = 4, .dim = {blocks, total(a), a->block, rest}});
  if (a->base) parted = gt_shrink(graph, parted, start, stop);
  if (blocks > 1) parted = gt_permute(graph, parted, axes);
  return gt_reshape(graph, parted, (gt_shape){.rank = 3, .dim = {a->terms, inputs, rest}});
}

static gt_kan_attribute of_order(const gt_kan_attribute *a, uint32_t order) {
  gt_kan_attribute other = *a;
  other.order = order;
  return other;
}

/* dx, followed by the gradients of the parameters that follow x. Knots have no gradient. placement_gradient,
 * for placed functions, each [terms, inputs]: the gradients by u's x and by the scales. */
static gt_id append_parameter_gradients(gt_graph *graph, const gt_kan_attribute *a, gt_id dx,
                                        const gt_id placement_gradient[2]) {
  const int64_t none[2] = {0}, after[2] = {gt_kan_parameter_rows(a), 0};
  if (!gt_kan_parameter_rows(a)) return dx;
  if (!a->placed) return gt_pad(graph, dx, none, after, 0);
  /* u = (x - centre) * scale: the derivative by the centre is minus that by x. */
  const gt_id parts[3] = {dx, gt_neg(graph, placement_gradient[0]), placement_gradient[1]};
  return gt_concatenate(graph, parts, 3, 0);
}

/* True if the node has a gradient of x; otherwise false, with the graph's error set. */
static bool check_has_gradient(gt_graph *graph, gt_id node, const gt_kan_attribute *a) {
  if (!a->placed || !a->order) return true;
  gt_fail(&graph->error, GT_ERR_CONFIG, "%s: basis functions with trained centres have no further derivative",
          gt_node_at(graph, node)->op->name);
  return false;
}

/* Sets to[0] to the gradient of the coefficients c and, if there are scales, to[1] to that of the scales. w:
 * the gradient of their product. */
static void add_coefficient_gradients(gt_graph *graph, const gt_kan_attribute *a, gt_id w, gt_id c,
                                      gt_id scales, gt_id to[2]) {
  if (scales != GT_NONE) {
    w = gt_kan_scale(graph, w, c, scales, a);
    to[1] = gt_result(graph, w, 1);
  }
  to[0] = gt_reshape(graph, w, gt_node_at(graph, c)->shape);
}

static gt_id gradient_of_coefficients(gt_graph *graph, const gt_kan_attribute *a, gt_id x, gt_id g) {
  return a->apart ? gt_kan_apart_coefficients(graph, a, x, g) : gt_kan_coefficients(graph, x, g, a);
}

/* The gradient of the inputs, with the rows of parameters that follow them. */
static gt_id gradient_of_inputs(gt_graph *graph, const gt_kan_attribute *a, const gt_id *x_and_g, gt_id c,
                                gt_id scales, const gt_id *placement_gradient) {
  if (a->apart) return gt_kan_apart_inputs(graph, a, x_and_g[0], x_and_g[1], c);
  const gt_kan_attribute next = of_order(a, a->order + 1);
  return append_parameter_gradients(graph, a, gt_kan_input(graph, x_and_g[0], x_and_g[1], c, scales, &next),
                                    placement_gradient);
}

static void gradient_kan(gt_graph *graph, gt_id node, const gt_id *given, const bool *wanted,
                         gt_id *input_gradient) {
  const gt_node n = *gt_node_at(graph, node);
  const gt_kan_attribute *a = n.attribute;
  const int64_t inputs = last_dim(gt_node_at(graph, n.input[0])->shape), outputs = last_dim(n.shape);
  const gt_id c = n.input[1], scales = scales_of(&n);
  if (wanted[0] && check_has_gradient(graph, node, a)) {
    gt_id placement_gradient[2] = {GT_NONE, GT_NONE};
    /* Σ over the lines of B'(x) (g Cᵀ) is Σ over the outputs of (B'(x)ᵀ g) C: a product like that of the
     * coefficients' gradient. */
    for (uint32_t k = 0; k < 2 && a->placed; k++) {
      const gt_kan_attribute by = of_order(a, k ? GT_BASIS_BY_SCALE : 1);
      const gt_id d =
          by_terms(graph, gt_kan_coefficients(graph, n.input[0], given[0], &by), a, inputs, outputs);
      const gt_id by_c = by_terms(graph, gt_kan_scaled(graph, c, scales, a), a, inputs, outputs);
      placement_gradient[k] = gt_sum(graph, gt_mul(graph, d, by_c), 4, false);
    }
    input_gradient[0] =
        gradient_of_inputs(graph, a, (const gt_id[]){n.input[0], given[0]}, c, scales, placement_gradient);
  }
  if (wanted[1] || (scales != GT_NONE && wanted[2]))
    add_coefficient_gradients(graph, a, gradient_of_coefficients(graph, a, n.input[0], given[0]), c, scales,
                              &input_gradient[1]);
}

static void gradient_coefficients(gt_graph *graph, gt_id node, const gt_id *given, const bool *wanted,
                                  gt_id *input_gradient) {
  const gt_node n = *gt_node_at(graph, node);
  const gt_kan_attribute *a = n.attribute, next = next_order(graph, node);
  if (wanted[0] && check_has_gradient(graph, node, &next))
    input_gradient[0] = gradient_of_inputs(graph, a, n.input, given[0], GT_NONE, NULL);
  if (wanted[1]) input_gradient[1] = gt_kan(graph, n.input[0], given[0], GT_NONE, n.attribute);
}

/* The columns of the basis, each times the value of h for its input. h: the gradient of the node's value, dx
 * = Σ_b B'_b(x) (g C_bᵀ). The products of the result with g and C are the gradients of C and g. The result is
 * stored in memory: only losses that contain a derivative by the inputs need it. */
static gt_id weighted_basis(gt_graph *graph, const gt_node *n, gt_id h) {
  const gt_kan_attribute *a = n->attribute;
  const gt_shape x = gt_node_at(graph, h)->shape;
  const int64_t blocks = last_dim(x) / a->block, functions = total(a);
  const gt_shape parted = {.rank = 4, .dim = {-1, blocks, functions, a->block}},
                 alike = {.rank = 4, .dim = {-1, blocks, 1, a->block}};
  const gt_id basis = gt_reshape(graph, gt_kan_basis(graph, n->input[0], a), parted);
  return gt_reshape(graph, gt_mul(graph, basis, gt_reshape(graph, h, alike)),
                    gt_shape_2(-1, last_dim(x) * functions));
}

static void gradient_input(gt_graph *graph, gt_id node, const gt_id *given, const bool *wanted,
                           gt_id *input_gradient) {
  const gt_node n = *gt_node_at(graph, node);
  const gt_kan_attribute *a = n.attribute, next = next_order(graph, node);
  const gt_id scales = scales_of(&n);
  if (wanted[0] && check_has_gradient(graph, node, a)) {
    const gt_id bend = gt_kan_input(graph, n.input[0], n.input[1], n.input[2], scales, &next);
    input_gradient[0] = append_parameter_gradients(graph, a, gt_mul(graph, given[0], bend), NULL);
  }
  if (!wanted[1] && !wanted[2] && (scales == GT_NONE || !wanted[3])) return;
  const gt_shape g = gt_node_at(graph, n.input[1])->shape;
  const gt_id columns = weighted_basis(graph, &n, given[0]),
              flat = gt_reshape(graph, n.input[1], gt_shape_2(-1, last_dim(g)));
  if (wanted[1]) {
    const gt_id c =
        gt_reshape(graph, gt_kan_scaled(graph, n.input[2], scales, a), gt_shape_2(-1, last_dim(g)));
    input_gradient[1] = gt_reshape(graph, gt_matmul(graph, columns, c, false, false), g);
  }
  if (wanted[2] || (scales != GT_NONE && wanted[3]))
    add_coefficient_gradients(graph, a, gt_matmul(graph, columns, flat, true, false), n.input[2], scales,
                              &input_gradient[2]);
}

/* g times the functions' derivatives, [lines, blocks, total, block]. order: of the derivatives, or
 * GT_BASIS_BY_SCALE. */
static gt_id times_derivative(gt_graph *graph, const gt_node *n, gt_id g, uint32_t order) {
  const gt_kan_attribute *a = n->attribute, by = of_order(a, order);
  const gt_shape x = gt_node_at(graph, n->input[0])->shape;
  const gt_id all = gt_mul(graph, g, gt_kan_basis(graph, n->input[0], &by));
  const gt_shape parted = {.rank = 4, .dim = {-1, last_dim(x) / a->block, total(a), a->block}};
  return gt_reshape(graph, all, parted);
}

static void gradient_basis(gt_graph *graph, gt_id node, const gt_id *given, const bool *wanted,
                           gt_id *input_gradient) {
  const gt_node n = *gt_node_at(graph, node);
  const gt_kan_attribute *a = n.attribute;
  const gt_shape x = input_shape(gt_node_at(graph, n.input[0])->shape, a);
  gt_id placement_gradient[2] = {GT_NONE, GT_NONE};
  if (!wanted[0] || !check_has_gradient(graph, node, a)) return;
  const gt_id each = times_derivative(graph, &n, given[0], a->order + 1);
  for (uint32_t k = 0; k < 2 && a->placed; k++) {
    const gt_id all = k ? times_derivative(graph, &n, given[0], GT_BASIS_BY_SCALE) : each;
    placement_gradient[k] =
        gt_reshape(graph, by_terms(graph, gt_sum(graph, all, 1, false), a, last_dim(x), 1),
                   gt_shape_2(a->terms, last_dim(x)));
  }
  input_gradient[0] = append_parameter_gradients(
      graph, a, gt_reshape(graph, gt_sum(graph, each, 4, false), x), placement_gradient);
}

/* --- lowering ------------------------------------------------------------------------------------------- */

static const gt_kernel input_kernel = {"kan_input", gt_kan_input_cpu, gt_kan_input_prepare};

static void lower_input_cpu(gt_lowering *lowering, const gt_group *group, const extents *e) {
  uint32_t geometry[GT_BASIS_WORDS];
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  const struct gt_kan_input_args args = {.m = (uint32_t)e->lines};
  const uint32_t scaled =
      e->scales == GT_NONE ? 0 : gt_kan_lower_scaled(lowering, node->input[2], e->scales, e->a);
  gt_step *step = gt_lower_step(lowering, &input_kernel, &args, sizeof args);
  step->tiles = gt_kan_input_tiles(args.m, (uint32_t)e->inputs, e->a->block);
  gt_basis_geometry(e->a, args.m, (uint32_t)e->inputs, (uint32_t)e->outputs, geometry,
                    step->spec + GT_FACTOR_SPEC_OWN);
  gt_lower_read(lowering, offsetof(struct gt_kan_input_args, x), node->input[0]);
  gt_lower_read(lowering, offsetof(struct gt_kan_input_args, g), node->input[1]);
  if (e->scales == GT_NONE)
    gt_lower_read(lowering, offsetof(struct gt_kan_input_args, c), node->input[2]);
  else
    gt_lower_use_scratch(lowering, offsetof(struct gt_kan_input_args, c), scaled, false);
  gt_lower_constants(lowering, offsetof(struct gt_kan_input_args, geometry), geometry, sizeof geometry);
  gt_lower_program(lowering, group, offsetof(struct gt_kan_input_args, in),
                   offsetof(struct gt_kan_input_args, y), offsetof(struct gt_kan_input_args, clock), -1);
}

static const gt_kernel basis_kernel = {"kan_basis", gt_kan_basis_cpu};

static void lower_basis(gt_lowering *lowering, const gt_group *group) {
  enum { WORKGROUP = 256 };
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  uint32_t geometry[GT_BASIS_WORDS];
  extents e;
  if (!extents_of(graph, node, &e)) return;
  const struct gt_kan_basis_args args = {.lines = (uint32_t)e.lines,
                                         .length = (uint32_t)e.inputs * total(e.a)};
  gt_step *step = gt_lower_step(lowering, &basis_kernel, &args, sizeof args);
  const bool quads = e.a->block % 4 == 0;
  gt_basis_geometry(e.a, args.lines, (uint32_t)e.inputs, 0, geometry, step->spec + GT_FACTOR_SPEC_OWN);
  step->spec[GT_KAN_BASIS_SPEC_QUADS] = quads;
  step->tiles = gt_kan_basis_tiles(args.lines, args.length);
  gt_lower_read(lowering, offsetof(struct gt_kan_basis_args, x), node->input[0]);
  gt_lower_write(lowering, offsetof(struct gt_kan_basis_args, y), group->leader);
  gt_lower_constants(lowering, offsetof(struct gt_kan_basis_args, geometry), geometry, sizeof geometry);
  gt_lower_grid(lowering, (uint64_t)args.lines * args.length / (quads ? 4 : 1), WORKGROUP);
}

static gt_kan_product_form form_of(const gt_node *node) {
  return node->op == &ops[OP_INPUT] ? GT_KAN_INPUT
         : node->op == &ops[OP_KAN] ? GT_KAN_FORWARD
                                    : GT_KAN_COEFFICIENTS;
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_graph *graph = gt_lowering_graph(lowering);
  const gt_node *node = gt_node_at(graph, group->leader);
  uint32_t geometry[GT_BASIS_WORDS];
  extents e;
  if (!extents_of(graph, node, &e)) return;
  if (form_of(node) == GT_KAN_INPUT && !gt_lowering_target(lowering)->device) {
    lower_input_cpu(lowering, group, &e);
    return;
  }
  const gt_product p = gt_kan_product(lowering, node, form_of(node), &e, geometry);
  gt_product_lower(lowering, group, &p);
}

/* Only the gradient of the coefficients reads an operand, g, whose amax another kernel can compute. */
static uint32_t measures(gt_lowering *lowering, const gt_node *node, int i) {
  uint32_t geometry[GT_BASIS_WORDS];
  extents e;
  if (node->op != &ops[OP_COEFFICIENTS] || i != 1 || !extents_of(gt_lowering_graph(lowering), node, &e))
    return 0;
  const gt_product p = gt_kan_product(lowering, node, GT_KAN_COEFFICIENTS, &e, geometry);
  return gt_product_measures(lowering, &p, node->precision, false);
}

/* Answers a question of product.h about the node's product. */
static bool ask(gt_lowering *lowering, const gt_node *node, gt_product_question *question) {
  uint32_t geometry[GT_BASIS_WORDS];
  extents e;
  if (!extents_of(gt_lowering_graph(lowering), node, &e)) return false;
  const gt_product p = gt_kan_product(lowering, node, form_of(node), &e, geometry);
  return question(lowering, &p, node->precision);
}

static bool joins(gt_lowering *lowering, const gt_node *node) {
  return ask(lowering, node, gt_product_joins);
}
static bool has_rows(gt_lowering *lowering, const gt_node *node) {
  return ask(lowering, node, gt_product_rows);
}
static bool has_sums(gt_lowering *lowering, const gt_node *node) {
  return ask(lowering, node, gt_product_sums);
}

/* --- table of ops --------------------------------------------------------------------------------------- */

static double flops(const gt_graph *graph, const gt_node *node) {
  extents e;
  if (!extents_of(graph, node, &e)) return 0;
  const double length = (double)(e.inputs * total(e.a));
  return node->op == &ops[OP_BASIS] ? (double)e.lines * length
                                    : 2.0 * (double)e.lines * length * (double)e.outputs;
}

/* Function values: one per line, input and function. */
static double functions(const gt_graph *graph, const gt_node *node) {
  extents e;
  return extents_of(graph, node, &e) ? (double)e.lines * (double)(e.inputs * total(e.a)) : 0;
}

static void print(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  const gt_kan_attribute *a = node->attribute;
  int end = snprintf(buffer, size, "%s, %u functions", names[a->basis], a->terms);
  if (is_spline(a)) end += snprintf(buffer + end, size - (size_t)end, " of degree %u", a->degree);
  if (a->base) end += snprintf(buffer + end, size - (size_t)end, a->apart ? ", silu apart" : " and silu");
  if (a->order) snprintf(buffer + end, size - (size_t)end, ", derivative %u", a->order);
}

/* One less than the derivatives that exist, because training by a derivative needs its gradient. bends: the
 * same for a spline. */
static int smooth(const gt_graph *graph, const gt_node *node) {
  (void)graph;
  const gt_kan_attribute *a = node->attribute;
  const int most = GT_BASIS_MOST_ORDER - 1, order = (int)a->order, bends = (int)a->degree - 1;
  if (a->placed || a->basis == GT_BASIS_PIECEWISE_LINEAR) return 0;
  return (is_spline(a) && bends < most ? bends : most) - order;
}

#define OP(op_name, least, most, its_gradient)                                                        \
  {                                                                                                   \
    .name = op_name, .kind = GT_OP_KERNEL, .min_inputs = least, .max_inputs = most, .infer = infer,   \
    .smooth = smooth, .gradient = its_gradient, .lower = lower, .measures = measures, .joins = joins, \
    .sums = has_sums, .rows = has_rows, .flops = flops, .functions = functions, .print = print,       \
    .epilogue = true                                                                                  \
  }

static const gt_op ops[OPS] = {[OP_KAN] = OP("kan", 2, 3, gradient_kan),
                               [OP_COEFFICIENTS] = OP("kan_coefficients", 2, 2, gradient_coefficients),
                               [OP_INPUT] = OP("kan_input", 3, 4, gradient_input),
                               [OP_BASIS] = {.name = "kan_basis",
                                             .kind = GT_OP_KERNEL,
                                             .min_inputs = 1,
                                             .infer = infer,
                                             .smooth = smooth,
                                             .gradient = gradient_basis,
                                             .lower = lower_basis,
                                             .flops = flops,
                                             .functions = functions,
                                             .print = print}};
