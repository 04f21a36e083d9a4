/* group_norm: normalizes groups of channels of each sample by their mean and variance over all positions (Wu
 * and He, "Group Normalization", ECCV 2018), as torch.nn.GroupNorm; and instance_norm, the same with one
 * channel per group (Ulyanov et al., "Instance Normalization", 2016), as torch.nn.InstanceNorm, optionally
 * with running averages of the mean and variance, averaged over the samples of a batch. Channels are the last
 * axis. */
#include "layer/norm.h"
#include "layer/review.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/reduce.h"

typedef struct group_norm_config {
  int64_t num_groups;
  double eps, momentum;
  bool affine, track_running_stats;
} group_norm_config;

#define EPS                                                                              \
  GT_ROW(group_norm_config, eps, GT_FIELD_FLOAT, .fallback = "1e-5", .min = 0, .max = 1, \
         .help = "added to the variance for numerical stability")

/* Moments of x [B, …, C], viewed as [B, positions, groups, channels per group], over axes 1 and 3. */
static gt_moments moments_of(gt_build *build, gt_id x, int64_t groups) {
  gt_graph *graph = build->graph;
  const gt_shape shape = gt_node_at(graph, x)->shape;
  const int64_t channels = shape.dim[shape.rank - 1], group_channels = channels / groups;
  const int64_t positions = gt_shape_count(shape) / shape.dim[0] / channels;
  const gt_shape split = {.rank = 4, .dim = {shape.dim[0], positions, groups, group_channels}};
  const gt_id count = gt_constant(graph, (double)(positions * group_channels));
  return gt_norm_moments(graph, gt_reshape(graph, x, split), 1u << 1 | 1u << 3, count);
}

static gt_id normalized(gt_build *build, gt_id x, const gt_moments *m, double eps) {
  gt_graph *graph = build->graph;
  return gt_reshape(graph, gt_norm_scale(graph, m->centered, m->variance, eps), gt_node_at(graph, x)->shape);
}

static bool check_channels(gt_build *build, const gt_id *input, int min_rank) {
  if (gt_node_at(build->graph, input[0])->shape.rank >= min_rank) return true;
  return gt_build_fail(build, NULL, "needs %s; its input is %s",
                       min_rank > 2 ? "spatial axes and channels besides the batch"
                                    : "an axis of channels besides the batch",
                       gt_build_input_text(build, input, 0));
}

static int64_t channels_of(const gt_build *build, gt_id x) {
  const gt_shape shape = gt_node_at(build->graph, x)->shape;
  return shape.dim[shape.rank - 1];
}

/* Number of values per sample. */
static int64_t values_of(const gt_build *build, gt_id x) {
  const gt_shape shape = gt_node_at(build->graph, x)->shape;
  return gt_shape_count(shape) / shape.dim[0];
}

/* --- group_norm --- */

static const gt_field group_fields[] = {
    GT_ROW(group_norm_config, num_groups, GT_FIELD_INT, .min = 1, .max = 1 << 24, .flags = GT_FIELD_REQUIRED,
           .help = "number of groups to divide the channels into"),
    EPS,
    GT_ROW(group_norm_config, affine, GT_FIELD_BOOL, .fallback = "true",
           .help = "learn a weight and a bias per channel"),
    {.name = NULL},
};

static gt_id build_group_norm(gt_build *build, const void *config, const gt_id *input) {
  const group_norm_config *c = config;
  if (!check_channels(build, input, 2) || !gt_norm_check_padding(build, input, 1u << 1)) return GT_NONE;
  const int64_t channels = channels_of(build, input[0]);
  if (channels % c->num_groups)
    return gt_build_error(build, "num_groups", "cannot divide %lld channels into %lld groups",
                          (long long)channels, (long long)c->num_groups);
  gt_review_norm(build, values_of(build, input[0]) / c->num_groups, false, "remove it, or use fewer groups");
  const gt_moments m = moments_of(build, input[0], c->num_groups);
  const gt_id out = normalized(build, input[0], &m, c->eps);
  return gt_norm_affine(build, out, gt_shape_1(channels), c->affine, c->affine);
}

GT_DEFINE(layer, group_norm) = {
    .name = "group_norm",
    .help = "normalization of groups of channels, per sample",
    .schema = GT_SCHEMA("group_norm", "normalization of groups of channels", group_fields, "num_groups"),
    .config_size = sizeof(group_norm_config),
    .family = GT_LAYER_NORM,
    .features = GT_FEATURES_KEPT,
    .axes = gt_norm_axes,
    .refit = gt_refit_overlap,
    .build = build_group_norm};

/* --- instance_norm --- */

static const gt_field instance_fields[] = {
    EPS,
    GT_ROW(group_norm_config, momentum, GT_FIELD_FLOAT, .fallback = "0.1", .min = 0, .max = 1,
           .help = "weight of a new batch in the running statistics"),
    GT_ROW(group_norm_config, affine, GT_FIELD_BOOL, .fallback = "false",
           .help = "learn a weight and a bias per channel"),
    GT_ROW(group_norm_config, track_running_stats, GT_FIELD_BOOL, .fallback = "false",
           .help = "evaluate with running statistics; false: with those of the sample"),
    {.name = NULL},
};

/* The mean of [B, 1, C, 1] over the samples that count. */
static gt_id over_samples(gt_build *build, gt_id x) {
  gt_graph *graph = build->graph;
  if (build->weight == GT_NONE) return gt_mean(graph, x, 1u << 0, false);
  const gt_id samples = gt_max(graph, gt_sum(graph, build->weight, 0, false), gt_constant(graph, 1));
  const gt_shape rows = {.rank = 4, .dim = {gt_node_at(graph, x)->shape.dim[0], 1, 1, 1}};
  const gt_id counted = gt_mul(graph, x, gt_reshape(graph, build->weight, rows));
  return gt_div(graph, gt_sum(graph, counted, 1u << 0, false), samples);
}

static void track(gt_build *build, const group_norm_config *c, gt_norm_running before, gt_id x,
                  const gt_moments *m) {
  gt_graph *graph = build->graph;
  const gt_shape shape = gt_node_at(graph, x)->shape;
  const double values = (double)(gt_shape_count(shape) / shape.dim[0] / shape.dim[shape.rank - 1]);
  if (values < 2) return; /* one value has no variance: running averages stay unchanged */
  const double unbiased = values / (values - 1);
  const gt_id variance = gt_mul(graph, over_samples(build, m->variance), gt_constant(graph, unbiased));
  gt_norm_update_running(build, before, over_samples(build, m->mean), variance,
                         gt_constant(graph, c->momentum));
}

static gt_id build_instance_norm(gt_build *build, const void *config, const gt_id *input) {
  const group_norm_config *c = config;
  gt_graph *graph = build->graph;
  gt_norm_running before = {GT_NONE, GT_NONE, GT_NONE};
  gt_id out;
  if (!check_channels(build, input, 3) || !gt_norm_check_padding(build, input, 1u << 1)) return GT_NONE;
  const int64_t channels = channels_of(build, input[0]);
  gt_review_norm(build, values_of(build, input[0]) / channels, false,
                 "remove it: there is only one position");
  if (c->track_running_stats) before = gt_norm_read_running(build, channels);
  if (gt_norm_uses_batch(build, c->track_running_stats)) {
    const gt_moments m = moments_of(build, input[0], channels);
    if (c->track_running_stats) track(build, c, before, input[0], &m);
    out = normalized(build, input[0], &m, c->eps);
  } else {
    out = gt_norm_scale(graph, gt_sub(graph, input[0], before.mean), before.variance, c->eps);
  }
  return gt_norm_affine(build, out, gt_shape_1(channels), c->affine, c->affine);
}

GT_DEFINE(layer, instance_norm) = {
    .name = "instance_norm",
    .help = "normalization of each channel, per sample",
    .schema = GT_SCHEMA("instance_norm", "normalization of each channel", instance_fields, "eps"),
    .config_size = sizeof(group_norm_config),
    .family = GT_LAYER_NORM,
    .features = GT_FEATURES_KEPT,
    .axes = gt_norm_axes,
    .refit = gt_refit_overlap,
    .build = build_instance_norm};
