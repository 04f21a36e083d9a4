/* batch_norm: normalizes every channel by its mean and variance over the batch and all positions (Ioffe and
 * Szegedy, "Batch Normalization", ICML 2015), as torch.nn.BatchNorm: y = (x - mean) / sqrt(var + eps) *
 * weight + bias with the biased variance of the batch in training, and with running averages of mean and
 * unbiased variance in evaluation. A frozen layer uses its running averages in training, too, and keeps them,
 * as in Keras: otherwise a frozen network would compute something else after training. Channels are the last
 * axis. Rows past the end of the data are ignored. A batch with one value per channel, where PyTorch raises
 * an error, has no variance: it leaves the running averages unchanged. */
#include "layer/norm.h"
#include "layer/review.h"
#include "op/chain.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/moments.h"
#include "op/reduce.h"

typedef struct batch_norm_config {
  double eps, momentum;
  bool affine, track_running_stats, cumulative;
} batch_norm_config;

static const gt_field fields[] = {
    GT_ROW(batch_norm_config, eps, GT_FIELD_FLOAT, .fallback = "1e-5", .min = 0, .max = 1,
           .help = "added to the variance for numerical stability"),
    GT_ROW(batch_norm_config, momentum, GT_FIELD_FLOAT, .fallback = "0.1", .min = 0, .max = 1,
           .help = "weight of a new batch in the running statistics"),
    GT_ROW(batch_norm_config, affine, GT_FIELD_BOOL, .fallback = "true",
           .help = "learn a weight and a bias per channel"),
    GT_ROW(batch_norm_config, track_running_stats, GT_FIELD_BOOL, .fallback = "true",
           .help = "evaluate with running statistics; false: with those of the batch"),
    GT_ROW(batch_norm_config, cumulative, GT_FIELD_BOOL, .fallback = "false",
           .help = "average over all batches so far, as momentum=None in PyTorch"),
    {.name = NULL},
};

/* Updates the running statistics. count: number of values per channel, a scalar node; may_be_single: it may
 * be 1 in some batches. */
static void track(gt_build *build, const batch_norm_config *c, gt_norm_running before, const gt_moments *m,
                  gt_id count, bool may_be_single) {
  gt_graph *graph = build->graph;
  const gt_id one = gt_constant(graph, 1);
  const gt_id degrees_of_freedom = gt_max(graph, gt_sub(graph, count, one), one);
  /* 1 if a channel has two values or more, else 0 */
  const gt_id has_variance = may_be_single ? gt_min(graph, gt_sub(graph, count, one), one) : one;
  const gt_id batches = gt_add(graph, before.batches, has_variance);
  gt_id share =
      c->cumulative ? gt_div(graph, one, gt_max(graph, batches, one)) : gt_constant(graph, c->momentum);
  if (may_be_single) share = gt_mul(graph, share, has_variance);
  const gt_id unbiased = gt_mul(graph, m->variance, gt_div(graph, count, degrees_of_freedom));
  gt_norm_update_running(build, before, m->mean, unbiased, share);
  gt_build_update(build, "num_batches_tracked", batches);
}

/* The number of values per channel in rows that count, a scalar node. */
static gt_id count_values(gt_build *build, gt_shape shape, uint32_t axes) {
  gt_graph *graph = build->graph;
  const int64_t values = gt_norm_count(shape, axes);
  if (build->weight == GT_NONE) return gt_constant(graph, (double)values);
  /* All rows of a batch may be past the end of the data. */
  const gt_id rows = gt_max(graph, gt_sum(graph, build->weight, 0, false), gt_constant(graph, 1));
  return gt_mul(graph, rows, gt_constant(graph, (double)(values / shape.dim[0])));
}

/* The inputs and statistics of a normalized batch, for its gradient. */
typedef struct normalization {
  gt_id input[3]; /* x, weight, bias; the last two are optional */
  gt_id mean, count;
  gt_id inverse;    /* 1 / sqrt(variance + eps) */
  gt_id row_weight; /* gt_build.weight */
  uint32_t axes;
  gt_derivative derivative;
} normalization;

/* Normalizes x again for each consumer: reading x costs no more than reading the result, and the result is
 * not stored. */
static gt_id normalized(gt_graph *graph, const normalization *p) {
  return gt_mul(graph, gt_sub(graph, p->input[0], p->mean), p->inverse);
}

/* Reduces over the axes: to means if all rows count, otherwise to sums, which mean_terms() divides by the
 * count. */
static gt_id reduced(gt_graph *graph, const normalization *p, gt_id x) {
  return p->row_weight == GT_NONE ? gt_mean(graph, x, p->axes, true) : gt_sum(graph, x, p->axes, true);
}

/* n mean(g n) + mean(g), from the results of reduced(). Sums are divided per channel, before they are
 * broadcast. */
static gt_id mean_terms(gt_graph *graph, const normalization *p, gt_id sum_g, gt_id sum_gn) {
  if (p->row_weight == GT_NONE) return gt_add(graph, gt_mul(graph, normalized(graph, p), sum_gn), sum_g);
  const gt_id factor = gt_mul(graph, p->inverse, gt_div(graph, sum_gn, p->count));
  const gt_id n_term = gt_mul(graph, gt_sub(graph, p->input[0], p->mean), factor);
  return gt_norm_weighted(graph, gt_add(graph, n_term, gt_div(graph, sum_g, p->count)), p->row_weight);
}

/* With g for dL/dy, n = (x - mean) * inverse, sums over the axes:
 *   dL/dbias = sum(g), dL/dweight = sum(g n), dL/dx = weight * inverse * (g - (sum(g) + n sum(g n)) / count),
 * the formulas of the paper combined. g is also recomputed if that reads less memory. */
static void gradient(gt_graph *graph, const gt_derivative *derivative, gt_id output_gradient,
                     const bool *wanted, gt_id *input_gradient) {
  const normalization *p = derivative->context;
  const bool affine = derivative->inputs > 1;
  const gt_id g[] = {gt_recompute_if_smaller(graph, output_gradient),
                     gt_recompute_if_smaller(graph, output_gradient)};
  gt_id sum_g = reduced(graph, p, g[0]);
  gt_id sum_gn = reduced(graph, p, gt_mul(graph, g[1], normalized(graph, p)));
  if (wanted[0]) {
    const gt_id factor = affine ? gt_mul(graph, p->inverse, p->input[1]) : p->inverse;
    input_gradient[0] =
        gt_mul(graph, gt_sub(graph, output_gradient, mean_terms(graph, p, sum_g, sum_gn)), factor);
  }
  if (!affine) return;
  const gt_shape shape = gt_node_at(graph, p->input[1])->shape;
  if (p->row_weight == GT_NONE) {
    sum_g = gt_mul(graph, sum_g, p->count);
    sum_gn = gt_mul(graph, sum_gn, p->count);
  }
  input_gradient[1] = gt_reshape(graph, sum_gn, shape);
  input_gradient[2] = gt_reshape(graph, sum_g, shape);
}

/* Normalizes by the moments of this batch (gt_column_moments). */
static gt_id normalize(gt_build *build, const batch_norm_config *c, gt_id x, uint32_t axes,
                       const gt_moments *m, gt_id count) {
  gt_graph *graph = build->graph;
  const gt_shape shape = gt_node_at(graph, x)->shape, channels = gt_shape_1(shape.dim[shape.rank - 1]);
  normalization *p = GT_NEW(build->arena, normalization);
  *p = (normalization){
      .input = {x}, .mean = m->mean, .count = count, .row_weight = build->weight, .axes = axes};
  p->inverse = gt_result(graph, m->mean, 2);
  gt_id y = gt_mul(graph, m->centered, p->inverse);
  if (c->affine) {
    p->input[1] = gt_build_parameter(build, "weight", channels, gt_init_constant_of(build->arena, 1));
    p->input[2] = gt_build_parameter(build, "bias", channels, gt_init_constant_of(build->arena, 0));
    y = gt_add(graph, gt_mul(graph, y, p->input[1]), p->input[2]);
  }
  p->derivative = (gt_derivative){p->input, c->affine ? 3 : 1, gradient, p};
  gt_graph_set_derivative(graph, y, &p->derivative);
  return y;
}

static gt_id build_batch_norm(gt_build *build, const void *config, const gt_id *input) {
  const batch_norm_config *c = config;
  gt_graph *graph = build->graph;
  const gt_shape shape = gt_node_at(graph, input[0])->shape;
  if (shape.rank < 2)
    return gt_build_error(build, NULL, "needs an axis of channels besides the batch; its input is %s",
                          gt_build_input_text(build, input, 0));
  const uint32_t axes = (1u << (shape.rank - 1)) - 1;
  const int64_t channels = shape.dim[shape.rank - 1];
  if (!gt_norm_check_padding(build, input, axes)) return GT_NONE;
  gt_norm_running before = {GT_NONE, GT_NONE, GT_NONE};
  if (!build->frozen || !c->track_running_stats)
    gt_review_norm(build, gt_norm_count(shape, axes), true,
                   "another batch_size, or layer_norm, which does not depend on the batch");
  if (c->track_running_stats && !build->frozen && !c->cumulative && c->momentum == 1)
    gt_review_add_finding(build, GT_FINDING_no_effect, "momentum",
                          "has momentum 1: evaluation uses the statistics of the last batch alone, and "
                          "nothing is averaged")
        ->help = "batch_norm without a number, which is no size: the number of channels is inferred from the "
                 "input";
  if (c->track_running_stats) before = gt_norm_read_running(build, channels);
  if (gt_norm_uses_batch(build, c->track_running_stats)) {
    const gt_id count = count_values(build, shape, axes);
    const gt_id mean = gt_column_moments(graph, input[0], build->weight, c->eps),
                variance = gt_result(graph, mean, 1);
    const gt_moments m = {mean, variance, gt_sub(graph, input[0], mean)};
    const bool may_be_single = gt_norm_count(shape, axes) == (build->weight == GT_NONE ? 1 : shape.dim[0]);
    if (c->track_running_stats) track(build, c, before, &m, count, may_be_single);
    return normalize(build, c, input[0], axes, &m, count);
  }
  const gt_id out = gt_norm_scale(graph, gt_sub(graph, input[0], before.mean), before.variance, c->eps);
  return gt_norm_affine(build, out, gt_shape_1(channels), c->affine, c->affine);
}

GT_DEFINE(layer, batch_norm) = {
    .name = "batch_norm",
    .help = "batch normalization of each channel (last axis)",
    .schema = GT_SCHEMA("batch_norm", "batch normalization of each channel", fields, "momentum"),
    .config_size = sizeof(batch_norm_config),
    .family = GT_LAYER_NORM,
    .features = GT_FEATURES_KEPT,
    .axes = gt_norm_axes,
    .refit = gt_refit_overlap,
    .build = build_batch_norm};
