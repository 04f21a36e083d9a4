/* Penalties that keep a network of functions simple (Liu et al., "KAN: Kolmogorov-Arnold Networks", 2024,
 * section 2.5): l1 S + entropy (-Σ (|φ_io| / S) log(|φ_io| / S)) + smoothness Σ mean |c_{t+1} - c_t|, where
 * |φ_io| is the mean of |φ_io(x_i)| over the batch, and S the sum of these over all edges of the layer.
 * Unlike the layer itself, this writes the activations of edges to memory. */
#include "layer/kan/kan_layer.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/move.h"
#include "op/reduce.h"
#include "op/kan/basis.h"
#include <string.h>

static const double least_share = 1e-8; /* lower bound on |φ_io| / S in the logarithm */

/* Converts [blocks, functions, inputs of a block, outputs] to [inputs, functions, outputs]. */
static gt_id by_inputs(gt_graph *graph, const gt_kan_edges *e, gt_id coefficients) {
  static const int axes[] = {0, 2, 1, 3};
  const gt_shape shape = gt_node_at(graph, coefficients)->shape;
  return gt_reshape(graph, gt_permute(graph, coefficients, axes),
                    (gt_shape){.rank = 3, .dim = {e->inputs, shape.dim[1], e->units}});
}

/* The activation of every edge for every row of x: [inputs, rows, outputs]. */
static gt_id activations(gt_graph *graph, const gt_kan_edges *e) {
  static const int axes[] = {1, 3, 0, 2}, first_two_swapped[] = {1, 0, 2};
  const gt_kan_attribute *a = e->attribute;
  const int64_t functions = a->terms + a->base;
  const gt_id basis = gt_kan_basis(graph, e->x, a);
  const gt_id by_block =
      gt_reshape(graph, basis, (gt_shape){.rank = 4, .dim = {-1, e->inputs / a->block, functions, a->block}});
  const gt_id values = gt_reshape(graph, gt_permute(graph, by_block, axes),
                                  (gt_shape){.rank = 3, .dim = {e->inputs, -1, functions}});
  gt_id y = gt_matmul(graph, values, by_inputs(graph, e, e->coefficients), false, false);
  if (e->active == GT_NONE) return y;
  const gt_id active =
      gt_permute(graph, gt_reshape(graph, e->active, (gt_shape){.rank = 3, .dim = {-1, e->inputs, 1}}),
                 first_two_swapped);
  const gt_id weight =
      gt_reshape(graph, e->base_weight, (gt_shape){.rank = 3, .dim = {e->inputs, 1, e->units}});
  return gt_add(graph, y, gt_mul(graph, active, weight));
}

/* The weight of each row of x, which is that of its sample: [1, rows, 1]. */
static gt_id weights_of(gt_build *build, int64_t rows) {
  const int64_t batch = gt_node_at(build->graph, build->weight)->shape.dim[0];
  const gt_id sample_weight = gt_reshape(build->graph, build->weight, gt_shape_2(batch, 1));
  return gt_reshape(build->graph, gt_expand(build->graph, sample_weight, gt_shape_2(batch, rows / batch)),
                    (gt_shape){.rank = 3, .dim = {1, rows, 1}});
}

static gt_id mean_activations(gt_build *build, const gt_kan_edges *e) {
  gt_graph *graph = build->graph;
  const gt_id absolute = gt_abs(graph, activations(graph, e));
  if (build->weight == GT_NONE) return gt_mean(graph, absolute, 1u << 1, false);
  const gt_id weight = weights_of(build, gt_node_at(graph, absolute)->shape.dim[1]);
  return gt_div(graph, gt_sum(graph, gt_mul(graph, absolute, weight), 1u << 1, false),
                gt_sum(graph, weight, 0, false));
}

/* Coefficients of the functions first … end - 1: [blocks, end - first, inputs of a block, outputs]. */
static gt_id terms_of(gt_graph *graph, const gt_kan_edges *e, int64_t first, int64_t end) {
  gt_shape shape = gt_node_at(graph, e->coefficients)->shape;
  const int64_t start[4] = {0, first, 0, 0}, stop[4] = {shape.dim[0], end, shape.dim[2], shape.dim[3]};
  return first || end < shape.dim[1] ? gt_shrink(graph, e->coefficients, start, stop) : e->coefficients;
}

static gt_id mean_coefficients(gt_graph *graph, const gt_kan_edges *e) {
  return gt_mean(graph, gt_abs(graph, terms_of(graph, e, 0, e->attribute->terms)), 1u << 1, false);
}

static gt_id entropy_of(gt_graph *graph, gt_id sizes, gt_id sum) {
  const gt_id share = gt_div(graph, sizes, gt_max(graph, sum, gt_constant(graph, 1e-30)));
  const gt_id logarithm = gt_log(graph, gt_max(graph, share, gt_constant(graph, least_share)));
  return gt_neg(graph, gt_sum(graph, gt_mul(graph, share, logarithm), 0, false));
}

static gt_id roughness(gt_graph *graph, const gt_kan_edges *e) {
  const int64_t terms = e->attribute->terms;
  const gt_id difference = gt_sub(graph, terms_of(graph, e, 1, terms), terms_of(graph, e, 0, terms - 1));
  return gt_sum(graph, gt_mean(graph, gt_abs(graph, difference), 1u << 1, false), 0, false);
}

static void add(gt_build *build, double factor, gt_id value) {
  gt_build_penalty(build, gt_mul(build->graph, value, gt_constant(build->graph, factor)));
}

void gt_kan_penalize(gt_build *build, const gt_kan_config *c, const gt_kan_edges *edges) {
  gt_graph *graph = build->graph;
  const bool of_coefficients = c->edge_size && !strcmp(c->edge_size, "coefficient");
  gt_kan_edges scaled = *edges;
  const gt_kan_edges *e = &scaled;
  if (!build->training || !(c->l1 > 0 || c->entropy > 0 || c->smoothness > 0)) return;
  scaled.coefficients = gt_kan_scaled(graph, edges->coefficients, edges->scales, edges->attribute);
  if (c->l1 > 0 || c->entropy > 0) {
    const gt_id sizes = of_coefficients ? mean_coefficients(graph, e) : mean_activations(build, e);
    const gt_id sum = gt_sum(graph, sizes, 0, false);
    if (c->l1 > 0) add(build, c->l1, sum);
    if (c->entropy > 0) add(build, c->entropy, entropy_of(graph, sizes, sum));
  }
  if (c->smoothness > 0 && e->attribute->terms > 1) add(build, c->smoothness, roughness(graph, e));
}
