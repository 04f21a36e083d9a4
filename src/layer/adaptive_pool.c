/* Pooling to a given output size, independent of the image's size: adaptive_avg_pool and adaptive_max_pool,
 * as torch.nn.AdaptiveAvgPool1d to 3d and AdaptiveMaxPool1d to 3d; and global_avg_pool and global_max_pool,
 * the mean and the maximum of each channel, over the steps of each sample if samples have lengths. */
#include "layer/sequence.h"
#include "layer/spatial.h"
#include "op/core.h"
#include "op/pool.h"
#include "op/reduce.h"

typedef struct adaptive_config {
  gt_ints output_size;
} adaptive_config;

static const gt_field adaptive_fields[] = {
    GT_ROW(
        adaptive_config, output_size, GT_FIELD_INTS, .min = -1, .max = 1 << 24, .flags = GT_FIELD_REQUIRED,
        .help =
            "size of the output along each spatial axis, or one number for all; -1 keeps the input's size"),
    {.name = NULL},
};

/* The mean over all spatial axes; keep: these axes remain, with length 1. */
static gt_id mean(gt_build *build, gt_id x, bool keep) {
  const int rank = gt_node_at(build->graph, x)->shape.rank;
  return gt_mean(build->graph, x, (1u << (rank - 1)) - 2, keep);
}

static gt_id build_adaptive(gt_build *build, const adaptive_config *c, const gt_id *input, bool average) {
  const gt_shape x = gt_node_at(build->graph, input[0])->shape;
  int64_t out[GT_SPATIAL_AXES];
  bool is_global = true;
  if (!gt_spatial_check(build, input, 0) ||
      !gt_spatial_per_axis(build, "output_size", c->output_size, x.rank - 2, x.dim, out))
    return GT_NONE;
  for (int k = 0; k < x.rank - 2; k++) {
    if (!out[k]) return gt_build_error(build, "output_size", "cannot output an axis of length 0");
    if (out[k] < 0) out[k] = x.dim[1 + k];
    is_global &= out[k] == 1;
  }
  if (!gt_sequence_refuse_padding(
          build, input,
          average ? "`sequence_pool: mean` or global_avg_pool, over the steps of each sample"
                  : "`sequence_pool: max` or global_max_pool, over the steps of each sample"))
    return GT_NONE;
  if (is_global && average) return mean(build, input[0], true);
  const gt_pool_attribute a = gt_pool_adaptive(x, out);
  return average ? gt_avg_pool(build->graph, input[0], &a)
                 : gt_max_pool(build->graph, input[0], &a, build->training);
}

/* The layer `op` of a kind: with kind_config, kind_fields and build_kind; key: the short form. */
#define POOL(kind, op, average, key, text)                                                       \
  static gt_id build_##op(gt_build *build, const void *config, const gt_id *input) {             \
    return build_##kind(build, config, input, average);                                          \
  }                                                                                              \
  GT_WITH_SCHEMA(layer, op, text, kind##_fields, key, .config_size = sizeof(kind##_config),      \
                 .family = GT_LAYER_POOLING, .features = GT_FEATURES_KEPT, .ends_lengths = true, \
                 .build = build_##op)

GT_REGISTER(layer, adaptive_avg_pool)
POOL(adaptive, adaptive_avg_pool, true, "output_size", "average pooling to a given output size")
GT_REGISTER(layer, adaptive_max_pool)
POOL(adaptive, adaptive_max_pool, false, "output_size", "max pooling to a given output size")

typedef struct global_config {
  bool keepdim;
} global_config;

static const gt_field global_fields[] = {
    GT_ROW(global_config, keepdim, GT_FIELD_BOOL, .fallback = "false",
           .help = "keep the spatial axes with length 1, so that the result broadcasts over an image"),
    {.name = NULL},
};

/* Over the steps of each sample: first over the other spatial axes, along which there is no padding. */
static gt_id pool_steps(gt_build *build, gt_id x, bool average, bool keep) {
  const gt_shape shape = gt_node_at(build->graph, x)->shape;
  const uint32_t others = (1u << (shape.rank - 1)) - 4;
  if (others)
    x = average ? gt_mean(build->graph, x, others, false) : gt_reduce_max(build->graph, x, others, false);
  const gt_id y = gt_sequence_pool(build->graph, x, gt_build_lengths(build, 0),
                                   average ? GT_SEQUENCE_MEAN : GT_SEQUENCE_MAX, false);
  gt_shape kept = {.rank = shape.rank, .dim = {shape.dim[0]}};
  for (int d = 1; d < shape.rank; d++) kept.dim[d] = d < shape.rank - 1 ? 1 : shape.dim[d];
  return keep ? gt_reshape(build->graph, y, kept) : y;
}

static gt_id build_global(gt_build *build, const global_config *c, const gt_id *input, bool average) {
  const int rank = gt_node_at(build->graph, input[0])->shape.rank;
  if (rank < 3)
    return gt_build_error(build, NULL, "needs spatial axes and channels besides the batch; its input is %s",
                          gt_build_input_text(build, input, 0));
  if (!gt_sequence_check_lengths(build, input)) return GT_NONE;
  if (gt_build_lengths(build, 0) != GT_NONE) return pool_steps(build, input[0], average, c->keepdim);
  return average ? mean(build, input[0], c->keepdim)
                 : gt_reduce_max(build->graph, input[0], (1u << (rank - 1)) - 2, c->keepdim);
}

GT_REGISTER(layer, global_avg_pool)
POOL(global, global_avg_pool, true, "keepdim",
     "mean of each channel over all spatial positions, without the padding of texts")
GT_REGISTER(layer, global_max_pool)
POOL(global, global_max_pool, false, "keepdim",
     "maximum of each channel over all spatial positions, without the padding of texts")
