/* Flips images, left to right or top to bottom. */
#include "augment/augment.h"

typedef struct flip_config {
  double p;
} flip_config;

static const gt_field fields[] = {
    GT_AUGMENT_P(flip_config, "0.5", "an image is flipped"),
    {.name = NULL},
};

static bool add_flip(gt_augment_build *build, const flip_config *c, gt_augment_kind kind) {
  gt_augment_stage *stage = gt_augment_add(build, kind);
  if (stage) stage->value[0] = (float)c->p;
  return stage != NULL;
}

static bool add_horizontal(gt_augment_build *build, const void *config) {
  return add_flip(build, config, GT_DRAW_HORIZONTAL_FLIP);
}

static bool add_vertical(gt_augment_build *build, const void *config) {
  return add_flip(build, config, GT_DRAW_VERTICAL_FLIP);
}

static const gt_schema horizontal_schema = {.name = "random_horizontal_flip",
                                            .help = "flip images left to right",
                                            .fields = fields,
                                            .shorthand = "p"};
static const gt_schema vertical_schema = {
    .name = "random_vertical_flip", .help = "flip images top to bottom", .fields = fields, .shorthand = "p"};

GT_DEFINE(augment, random_horizontal_flip) = {.name = "random_horizontal_flip",
                                              .help = "flip images left to right",
                                              .schema = &horizontal_schema,
                                              .config_size = sizeof(flip_config),
                                              .may_repeat = true,
                                              .add = add_horizontal};
GT_DEFINE(augment, random_vertical_flip) = {.name = "random_vertical_flip",
                                            .help = "flip images top to bottom",
                                            .schema = &vertical_schema,
                                            .config_size = sizeof(flip_config),
                                            .may_repeat = true,
                                            .add = add_vertical};
