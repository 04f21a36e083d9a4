#include "layer/kan/kan_init.h"
#include "base/count.h"
#include "layer/kan/kan_layer.h"
#include "layer/review.h"
#include "layer/kan/kan_symbolic.h"
#include "layer/norm.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/move.h"
#include <math.h>
#include <string.h>

static gt_kan_attribute attribute_of(const gt_kan_choice *o) {
  switch (o->basis) {
  case GT_BASIS_BSPLINE:
    return o->adapts ? gt_kan_knots(o->grid, o->degree) : gt_kan_bspline(o->low, o->high, o->grid, o->degree);
  case GT_BASIS_PIECEWISE_LINEAR: return gt_kan_piecewise_linear(o->low, o->high, o->grid);
  case GT_BASIS_FOURIER: return gt_kan_waves(o->grid);
  default:
    return o->basis >= GT_BASIS_CHEBYSHEV
               ? gt_kan_polynomials(o->basis, o->degree, o->alpha, o->beta)
               : gt_kan_bumps(o->basis, o->low, o->high, o->grid, o->config->width);
  }
}

/* --- parameters ----------------------------------------------------------------------------------------- */

/* Inputs per block: 32 or 16, a tile of the kernels, if that divides the number of inputs; else all. */
static uint32_t block_of(int64_t inputs) {
  return inputs % 32 == 0 ? 32 : inputs % 16 == 0 ? 16 : (uint32_t)inputs;
}

/* Standard deviation of the initial coefficients, as in the original implementations: FastKAN 0.1, ChebyKAN
 * (and all polynomials) 1 / (inputs * functions), FourierKAN 1 / sqrt(inputs * frequencies). For other bases
 * it is chosen so that outputs have a variance of about one. */
static double deviation_of(const gt_kan_attribute *a, double inputs) {
  switch (a->basis) {
  case GT_BASIS_RBF: return 0.1;
  case GT_BASIS_FOURIER: return 1 / sqrt(inputs * a->terms / 2);
  case GT_BASIS_CHEBYSHEV:
  case GT_BASIS_LEGENDRE:
  case GT_BASIS_HERMITE:
  case GT_BASIS_JACOBI: return 1 / (inputs * a->terms);
  default: return 1 / sqrt(inputs);
  }
}

/* Bound of the initial base weights as in efficient-kan: kaiming_uniform_ with a = sqrt(5) * scale_base. */
static double base_bound(const gt_kan_config *c, double inputs) {
  return sqrt(6 / ((1 + 5 * c->scale_base * c->scale_base) * inputs));
}

/* The mask, 1 or 0 for each pair of input and output; GT_NONE: the layer has no mask. */
static gt_id read_mask(gt_build *build, const gt_kan_config *c, const gt_kan_symbolic *symbolic,
                       int64_t inputs) {
  const int64_t block = block_of(inputs);
  if (!c->mask && !symbolic->edges) return GT_NONE;
  return gt_kan_symbolic_mask(build, symbolic,
                              (gt_shape){.rank = 4, .dim = {inputs / block, 1, block, c->units}});
}

static gt_id read_coefficients(gt_build *build, const gt_kan_choice *o, const gt_kan_attribute *a,
                               int64_t inputs) {
  const gt_kan_config *c = o->config;
  const int64_t functions = a->terms + a->base, blocks = inputs / a->block;
  const gt_shape shape = {.rank = 4, .dim = {blocks, functions, a->block, c->units}};
  const gt_kan_init_settings start = {.a = *a,
                                      .points = o->basis == GT_BASIS_BSPLINE ? o->grid + 1 : 0,
                                      .noise = o->noise / o->grid,
                                      .deviation = deviation_of(a, (double)inputs),
                                      .scale = o->has_scale ? 1 : c->scale_spline,
                                      .base = base_bound(c, (double)inputs)};
  const gt_init *init = c->init ? gt_init_read(build->arena, c->init, build->diagnostics)
                                : gt_kan_init_create(build->arena, &start);
  return gt_build_parameter_with_form(build, "coefficients", shape, init,
                                      gt_arena_copy(build->arena, a, sizeof *a));
}

/* The factors on coefficients: the learned scales times the mask, which also applies to the base. */
static gt_id read_scales(gt_build *build, const gt_kan_choice *o, const gt_kan_attribute *a,
                         const gt_kan_symbolic *symbolic, int64_t inputs) {
  const gt_kan_config *c = o->config;
  /* efficient-kan: kaiming_uniform_ with a = sqrt(5) * scale_spline */
  const double bound = sqrt(6 / ((1 + 5 * c->scale_spline * c->scale_spline) * (double)inputs));
  const gt_shape shape = {.rank = 4, .dim = {inputs / a->block, 1, a->block, c->units}};
  gt_id scales = GT_NONE;
  if (o->has_scale)
    scales = gt_build_parameter(build, "spline_scale", shape,
                                gt_init_uniform_between(build->arena, -bound, bound));
  const gt_id mask = read_mask(build, c, symbolic, inputs);
  if (mask == GT_NONE) return scales;
  const gt_id factors[2] = {o->has_scale ? gt_mul(build->graph, scales, mask) : mask, mask};
  return a->base ? gt_concatenate(build->graph, factors, 2, 1) : factors[0];
}

static gt_id normalize(gt_build *build, const gt_kan_choice *o, gt_id x) {
  gt_graph *graph = build->graph;
  const gt_shape shape = gt_node_at(graph, x)->shape, last = gt_shape_1(shape.dim[shape.rank - 1]);
  if (!strcmp(o->norm, "tanh")) return gt_tanh(graph, x);
  if (strcmp(o->norm, "layer_norm") != 0) return x;
  const gt_id weight = gt_build_parameter(build, "norm_weight", last, gt_init_constant_of(build->arena, 1));
  const gt_id bias = gt_build_parameter(build, "norm_bias", last, gt_init_constant_of(build->arena, 0));
  const gt_norm_form form = {1u << (shape.rank - 1), true, 1e-5, weight, bias};
  return gt_norm_rows(build, x, &form);
}

/* Sets edges->base_weight, multiplied by the mask, and edges->active, the base branch's activated input. */
static void read_base(gt_build *build, const gt_kan_choice *o, const gt_kan_symbolic *symbolic,
                      gt_kan_edges *edges, gt_id x) {
  const gt_kan_config *c = o->config;
  const int64_t inputs = edges->inputs;
  const double bound = base_bound(c, (double)inputs);
  const gt_id weight = gt_build_parameter(build, "base_weight", gt_shape_2(inputs, c->units),
                                          gt_init_uniform_between(build->arena, -bound, bound));
  const gt_id mask = read_mask(build, c, symbolic, inputs);
  edges->base_weight = mask == GT_NONE ? weight
                                       : gt_mul(build->graph, weight,
                                                gt_reshape(build->graph, mask, gt_shape_2(inputs, c->units)));
  edges->active = strcmp(o->base, "identity") ? gt_apply(build->graph, o->base, 1, x) : x;
}

/* Computes the functions and a silu base as one GEMM, which reads the inputs of both, concatenated, and their
 * concatenated weights. The base reads x before normalization. */
static gt_id fuse_base(gt_graph *graph, const gt_kan_edges *edges, gt_id x) {
  gt_kan_attribute a = *edges->attribute;
  const gt_id inputs[2] = {edges->x, x}, weight[2] = {edges->coefficients, edges->base_weight};
  gt_shape shape = gt_node_at(graph, x)->shape;
  memmove(shape.dim + 1, shape.dim, (size_t)shape.rank * sizeof *shape.dim);
  shape.dim[0] = 2;
  shape.rank++;
  a.base = a.apart = 1;
  return gt_kan(graph, gt_reshape(graph, gt_pack(graph, inputs, 2), shape),
                gt_reshape(graph, gt_pack(graph, weight, 2), gt_shape_2(-1, edges->units)), GT_NONE, &a);
}

/* The functions of `edges`, plus the base branch of x unless the base is one of them (attribute->base). */
static gt_id apply(gt_build *build, const gt_kan_choice *o, const gt_kan_symbolic *symbolic, gt_id x,
                   gt_kan_edges *edges) {
  gt_graph *graph = build->graph;
  const bool has_separate_base = strcmp(o->base, "none") && !edges->attribute->base;
  gt_shape shape = gt_node_at(graph, x)->shape;
  if (has_separate_base) read_base(build, o, symbolic, edges, x);
  if (has_separate_base && !strcmp(o->base, "silu") && edges->scales == GT_NONE &&
      !gt_kan_parameter_rows(edges->attribute) && shape.rank < GT_MAX_RANK)
    return fuse_base(graph, edges, x);
  shape.dim[shape.rank - 1] = edges->units;
  const gt_id y =
      gt_reshape(graph, gt_kan(graph, edges->x, edges->coefficients, edges->scales, edges->attribute), shape);
  return has_separate_base
             ? gt_add(graph, y, gt_matmul(graph, edges->active, edges->base_weight, false, false))
             : y;
}

static gt_id add_bias(gt_build *build, const gt_kan_choice *o, gt_id y, int64_t inputs) {
  /* FastKAN's bias is that of its base branch, a torch.nn.Linear; FourierKAN's is initialized to zeros. */
  const double bound = o->basis == GT_BASIS_RBF ? 1 / sqrt((double)inputs) : 0;
  const gt_init *init =
      bound > 0 ? gt_init_uniform_between(build->arena, -bound, bound) : gt_init_constant_of(build->arena, 0);
  return gt_add(build->graph, y, gt_build_parameter(build, "bias", gt_shape_1(o->config->units), init));
}

/* Appends the rows of gt_kan_positions to the rows of x, [rows, inputs]. */
static gt_id append_positions(gt_graph *graph, gt_id x, gt_id positions, int64_t inputs) {
  if (positions == GT_NONE) return x;
  const gt_id parts[2] = {gt_reshape(graph, x, gt_shape_2(-1, inputs)), positions};
  return gt_concatenate(graph, parts, 2, 0);
}

static gt_id add_symbolic(gt_build *build, const gt_kan_symbolic *symbolic, gt_id x, int64_t inputs,
                          gt_id y) {
  gt_graph *graph = build->graph;
  const gt_shape shape = gt_node_at(graph, y)->shape;
  if (!symbolic->edges) return y;
  const gt_id samples = gt_reshape(graph, x, gt_shape_2(-1, inputs));
  const gt_id sum = gt_kan_symbolic_apply(build, symbolic, samples, shape.dim[shape.rank - 1]);
  return gt_add(graph, y, gt_reshape(graph, sum, shape));
}

/* A warning is given if at least this share of the training or test samples is outside the grid, where all
 * functions except the base are zero. */
static const double outside_threshold = 0.1;

/* Warns if many samples are outside the grid. A norm's output is always near 0, and knots that are updated
 * adapt to the data, so these need no check; tanh hardly distinguishes values beyond 3, where it is 0.995. */
static void review_range(gt_build *build, const gt_kan_choice *o) {
  const gt_sample_facts *facts = gt_review_facts(build);
  const bool tanh = !strcmp(o->norm, "tanh");
  const char *column = NULL;
  if (!facts || o->adapts || !strcmp(o->norm, "layer_norm") || (!tanh && !gt_kan_uses_range(o))) return;
  const double low = tanh ? -3 : o->low, high = tanh ? 3 : o->high;
  double share = facts->outside(facts, false, low, high, &column);
  const bool test = share < outside_threshold;
  if (test) share = facts->outside(facts, true, low, high, &column);
  if (share < outside_threshold) return;
  gt_diagnostic *item = gt_review_add_finding(
      build, GT_FINDING_outside_grid, tanh ? NULL : "range",
      "%s from %g to %g: %.3g %% of the %s samples lie outside%s%s%s",
      tanh ? "applies tanh to its input, and tanh saturates outside the range" : "defines its functions", low,
      high, 100 * share, test ? "test" : "training", column ? " in column '" : "", column ? column : "",
      column ? "'" : "");
  item->help =
      tanh ? "data: {normalize: standard}"
      : o->basis == GT_BASIS_BSPLINE
          ? "a `range` that contains the data, or `grid_update: {}`, which adapts the grid to the data"
          : "a `range` that contains the data";
}

static void review_edge_size(gt_build *build, const gt_kan_config *c) {
  if (build->review && !build->review->phase && c->edge_size && !(c->l1 > 0) && !(c->entropy > 0))
    gt_review_add_finding(build, GT_FINDING_no_effect, "edge_size",
                          "has an edge_size and no penalty that uses it: neither l1 nor entropy is above 0")
        ->help = "set l1 or entropy, or remove edge_size";
}

gt_id gt_kan_apply(gt_build *build, const gt_kan_choice *o, gt_id x) {
  gt_graph *graph = build->graph;
  const gt_shape shape = gt_node_at(graph, x)->shape;
  const int64_t inputs = shape.dim[shape.rank - 1], units = o->config->units;
  gt_kan_attribute a = attribute_of(o);
  a.block = block_of(inputs);
  a.base = !strcmp(o->base, "silu") && !strcmp(o->norm, "none");
  a.placed = o->learns_centres || o->learns_widths;
  if (a.placed) a.first = 1; /* no common scale: each function has its own, in the rows after x */
  const int64_t functions = a.terms + a.base;
  if (gt_times_at_most(gt_times_at_most(inputs, functions, INT32_MAX), units, INT32_MAX) == INT32_MAX)
    return gt_build_error(build, NULL, "would have %d coefficients or more", INT32_MAX);
  review_range(build, o);
  review_edge_size(build, o->config);
  gt_kan_symbolic symbolic;
  if (!gt_kan_symbolic_read(build, o->config->symbolic, inputs, units, &symbolic)) return GT_NONE;
  const gt_id normalized = normalize(build, o, x), coefficients = read_coefficients(build, o, &a, inputs);
  const gt_id scales = read_scales(build, o, &a, &symbolic, inputs);
  const gt_id positions = gt_kan_positions(build, o, &a, inputs);
  gt_kan_edges edges = {.attribute = &a,
                        .inputs = inputs,
                        .units = units,
                        .x = append_positions(graph, normalized, positions, inputs),
                        .coefficients = coefficients,
                        .scales = scales,
                        .active = GT_NONE,
                        .base_weight = GT_NONE};
  const gt_id y = add_symbolic(build, &symbolic, x, inputs, apply(build, o, &symbolic, x, &edges));
  if (o->adapts) gt_kan_adapt_grid(build, o, &a, normalized);
  gt_kan_penalize(build, o->config, &edges);
  return o->has_bias ? add_bias(build, o, y, inputs) : y;
}
