/* Mixes each sample and its target with another of the batch: pixel by pixel (Zhang et al., "mixup: Beyond
 * Empirical Risk Minimization", ICLR 2018), or by pasting a rectangle of the other (Yun et al., "CutMix",
 * ICCV 2019). The mixing weight of a sample is drawn from Beta(alpha, alpha). If both mixup and CutMix are in
 * the list, each is applied to a sample with half of its probability, and never both. */
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

/* method: 0: mixup, 1: CutMix. Both share one stage: value[method] is alpha, value[2 + method] the
 * probability. */
static bool add_mix(gt_augment_build *build, const mix_config *c, int method) {
  gt_augment_stage *stage = gt_augment_last(build, GT_DRAW_MIX);
  const bool is_second = stage != NULL;
  if (!is_second) stage = gt_augment_add(build, GT_DRAW_MIX);
  if (!stage) return false;
  build->plan->look.mixes = 1;
  stage->value[method] = (float)c->alpha;
  stage->value[2 + method] = (float)c->p;
  for (int i = 0; is_second && i < 2; i++) stage->value[2 + i] /= 2;
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
