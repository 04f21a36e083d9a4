/* Mixes each sample and its target with another of the batch: pixel by pixel (Zhang et al., "mixup: Beyond
 * Empirical Risk Minimization", ICLR 2018), or by pasting a rectangle of the other (Yun et al., "CutMix",
 * ICCV 2019). Weights are drawn from Beta(alpha, alpha) for each sample. If both are in the list, each
 * sample gets one of them. */
#include "augment/augment.h"

typedef struct mix_config {
  double alpha, p;
} mix_config;

static const gt_field fields[] = {
    GT_ROW(
        mix_config, alpha, GT_FIELD_FLOAT, .fallback = "1.0", .min = 0.01, .max = 100,
        .help =
            "parameter of the Beta distribution of the mixing weight; 1 is uniform, smaller values mix less"),
    GT_AUGMENT_P(mix_config, "1", "a sample is mixed"),
    {.name = NULL},
};
static const gt_schema mixup_schema = {.name = "mixup",
                                       .help = "mix pairs of samples and their targets",
                                       .fields = fields,
                                       .shorthand = "alpha"};
static const gt_schema cutmix_schema = {
    .name = "cutmix",
    .help = "paste a rectangle of another sample and mix the targets in proportion",
    .fields = fields,
    .shorthand = "alpha"};

static bool add_mix(gt_augment_build *build, const mix_config *c, int which) {
  gt_augment_stage *stage = gt_augment_last(build, GT_DRAW_MIX);
  const bool both = stage != NULL;
  if (!both) stage = gt_augment_add(build, GT_DRAW_MIX);
  if (!stage) return false;
  build->plan->look.mixes = 1;
  stage->value[which] = (float)c->alpha;
  stage->value[2 + which] = (float)c->p;
  for (int i = 0; both && i < 2; i++) stage->value[2 + i] /= 2;
  return true;
}

static bool add_mixup(gt_augment_build *build, const void *config) { return add_mix(build, config, 0); }
static bool add_cutmix(gt_augment_build *build, const void *config) { return add_mix(build, config, 1); }

GT_DEFINE(augment, mixup) = {.name = "mixup",
                             .help = "mix pairs of samples and their targets",
                             .schema = &mixup_schema,
                             .config_size = sizeof(mix_config),
                             .add = add_mixup};
GT_DEFINE(augment, cutmix) = {.name = "cutmix",
                              .help = "paste a rectangle of another sample and mix the targets in proportion",
                              .schema = &cutmix_schema,
                              .config_size = sizeof(mix_config),
                              .add = add_cutmix};
