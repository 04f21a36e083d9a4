#include "layer/kan/kan_init.h"
#include "base/count.h"
#include "layer/kan/kan_layer.h"
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
  case GT_BASIS_PIECEWISE_LINEAR: return gt_kan_lines(o->low, o->high, o->grid);
  case GT_BASIS_FOURIER: return gt_kan_waves(o->grid);
  default:
    return o->basis >= GT_BASIS_CHEBYSHEV
               ? gt_kan_polynomials(o->basis, o->degree, o->alpha, o->beta)
               : gt_kan_bumps(o->basis, o->low, o->high, o->grid, o->config->width);
  }
}

/* --- parameters -------------------------------------------------------------------------------------------
 */

/* Neighbours that stand together: as many as a kernel reads while it stays with a function, if that comes out
 * even. */
static uint32_t block_of(int64_t inputs) {
  return inputs % 32 == 0 ? 32 : inputs % 16 == 0 ? 16 : (uint32_t)inputs;
}

/* Normal deviations of the sources where they have one: FastKAN 0.1, ChebyKAN (and all polynomials) 1 /
 * (inputs functions), FourierKAN 1 / sqrt(inputs frequencies); else such that outputs have a variance of
 * about one. */
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

static double base_reach(const gt_kan_config *c, double inputs) {
  return sqrt(6 / ((1 + 5 * c->scale_base * c->scale_base) * inputs));
}

/* Of each pair, 1 or 0. */
static gt_id read_mask(gt_build *build, const gt_kan_config *c, int64_t inputs) {
  const int64_t block = block_of(inputs);
  return gt_build_state(build, "mask", (gt_shape){.rank = 4, .dim = {inputs / block, 1, block, c->units}}, 1);
}

static gt_id read_coefficients(gt_build *build, const gt_kan_choice *o, const gt_kan_attribute *a,
                               int64_t inputs) {
  const gt_kan_config *c = o->config;
  const int64_t functions = a->terms + a->base, blocks = inputs / a->block;
  const gt_shape shape = {.rank = 4, .dim = {blocks, functions, a->block, c->units}};
  const gt_kan_start start = {.a = *a,
                              .points = o->basis == GT_BASIS_BSPLINE ? o->grid + 1 : 0,
                              .noise = o->noise / o->grid,
                              .deviation = deviation_of(a, (double)inputs),
                              .scale = o->scale ? 1 : c->scale_spline,
                              .base = base_reach(c, (double)inputs)};
  const gt_init *init = c->init ? gt_init_read(build->arena, c->init, build->diagnostics)
                                : gt_kan_start_of(build->arena, &start);
  gt_kan_attribute *kept = GT_NEW(build->arena, gt_kan_attribute);
  *kept = *a;
  return gt_build_formed(build, "coefficients", shape, init, kept);
}

/* The factors on coefficients, those that are learned times the mask, which is on the base, too. */
static gt_id read_scales(gt_build *build, const gt_kan_choice *o, const gt_kan_attribute *a, int64_t inputs) {
  const gt_kan_config *c = o->config;
  const double reach = sqrt(6 / ((1 + 5 * c->scale_spline * c->scale_spline) * (double)inputs));
  const gt_shape one = {.rank = 4, .dim = {inputs / a->block, 1, a->block, c->units}};
  gt_id scales = GT_NONE;
  if (o->scale)
    scales =
        gt_build_parameter(build, "spline_scale", one, gt_init_uniform_between(build->arena, -reach, reach));
  if (!c->mask) return scales;
  const gt_id mask = read_mask(build, c, inputs);
  const gt_id both[2] = {o->scale ? gt_mul(build->graph, scales, mask) : mask, mask};
  return a->base ? gt_concatenate(build->graph, both, 2, 1) : both[0];
}

static gt_id normalise(gt_build *build, const gt_kan_choice *o, gt_id x) {
  gt_graph *graph = build->graph;
  const gt_shape shape = gt_node_at(graph, x)->shape, last = gt_shape_1(shape.dim[shape.rank - 1]);
  if (!strcmp(o->norm, "tanh")) return gt_tanh(graph, x);
  if (strcmp(o->norm, "layer_norm") != 0) return x;
  const gt_id count = gt_constant(graph, (double)last.dim[0]);
  const gt_moments m = gt_norm_moments(graph, x, 1u << (shape.rank - 1), GT_NONE, count);
  const gt_id out = gt_norm_scale(graph, m.centered, m.variance, 1e-5);
  const gt_id weight = gt_build_parameter(build, "norm_weight", last, gt_init_constant_of(build->arena, 1));
  const gt_id bias = gt_build_parameter(build, "norm_bias", last, gt_init_constant_of(build->arena, 0));
  return gt_add(graph, gt_mul(graph, out, weight), bias);
}

/* Fills in what it is, and returns its output. */
static gt_id base_branch(gt_build *build, const gt_kan_choice *o, gt_id x, gt_kan_edges *edges) {
  const gt_kan_config *c = o->config;
  const int64_t inputs = edges->inputs;
  const double reach = base_reach(c, (double)inputs);
  edges->base_weight = gt_build_parameter(build, "base_weight", gt_shape_2(inputs, c->units),
                                          gt_init_uniform_between(build->arena, -reach, reach));
  if (c->mask) {
    const gt_id mask = gt_reshape(build->graph, read_mask(build, c, inputs), gt_shape_2(inputs, c->units));
    edges->base_weight = gt_mul(build->graph, edges->base_weight, mask);
  }
  edges->active = strcmp(o->base, "identity") ? gt_apply(build->graph, o->base, 1, x) : x;
  return gt_matmul(build->graph, edges->active, edges->base_weight, false, false);
}

static gt_id add_bias(gt_build *build, const gt_kan_choice *o, gt_id y, int64_t inputs) {
  /* FastKAN's bias is that of its base branch, a torch.nn.Linear; FourierKAN's begins as zeros. */
  const double reach = o->basis == GT_BASIS_RBF ? 1 / sqrt((double)inputs) : 0;
  const gt_init *init =
      reach > 0 ? gt_init_uniform_between(build->arena, -reach, reach) : gt_init_constant_of(build->arena, 0);
  return gt_add(build->graph, y, gt_build_parameter(build, "bias", gt_shape_1(o->config->units), init));
}

/* With the numbers behind it, [lines + rows, inputs]. */
static gt_id with_numbers(gt_graph *graph, gt_id x, gt_id numbers, int64_t inputs) {
  if (numbers == GT_NONE) return x;
  const gt_id parts[2] = {gt_reshape(graph, x, gt_shape_2(-1, inputs)), numbers};
  return gt_concatenate(graph, parts, 2, 0);
}

gt_id gt_kan_apply(gt_build *build, const gt_kan_choice *o, gt_id x) {
  gt_graph *graph = build->graph;
  gt_shape shape = gt_node_at(graph, x)->shape;
  const int64_t inputs = shape.dim[shape.rank - 1], units = o->config->units;
  const bool has_base = strcmp(o->base, "none") != 0;
  gt_kan_attribute a = attribute_of(o);
  a.block = block_of(inputs);
  a.base = !strcmp(o->base, "silu") && !strcmp(o->norm, "none");
  a.placed = o->centres || o->widths;
  if (a.placed) a.first = 1; /* the scales say it */
  const int64_t functions = a.terms + a.base;
  if (gt_times_at_most(gt_times_at_most(inputs, functions, INT32_MAX), units, INT32_MAX) == INT32_MAX)
    return gt_build_error(build, NULL, "would have %d coefficients or more", INT32_MAX);
  const gt_id read = normalise(build, o, x), coefficients = read_coefficients(build, o, &a, inputs);
  const gt_id scales = read_scales(build, o, &a, inputs);
  const gt_id numbers = gt_kan_numbers(build, o, &a, inputs);
  gt_kan_edges edges = {.attribute = &a,
                        .inputs = inputs,
                        .units = units,
                        .x = with_numbers(graph, read, numbers, inputs),
                        .coefficients = coefficients,
                        .scales = scales,
                        .active = GT_NONE,
                        .base_weight = GT_NONE};
  shape.dim[shape.rank - 1] = units;
  gt_id y = gt_kan(graph, edges.x, coefficients, scales, &a);
  if (numbers != GT_NONE) y = gt_reshape(graph, y, shape);
  if (has_base && !a.base) y = gt_add(graph, y, base_branch(build, o, x, &edges));
  if (o->adapts) gt_kan_follow(build, o, &a, read);
  gt_kan_penalise(build, o->config, &edges);
  return o->bias ? add_bias(build, o, y, inputs) : y;
}
