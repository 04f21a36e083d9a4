/* Converts images to grayscale: saturation 0. */
#include "augment/augment.h"

typedef struct grayscale_config {
  double p;
} grayscale_config;

static const gt_field fields[] = {
    GT_AUGMENT_P(grayscale_config, "0.1", "an image becomes grayscale"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "random_grayscale", .help = "convert images to grayscale", .fields = fields, .shorthand = "p"};

static bool add(gt_augment_build *build, const void *config) {
  gt_augment_stage *stage = gt_augment_add(build, GT_DRAW_GRAYSCALE);
  if (build->channels != 3)
    return gt_augment_error(build, NULL, "needs color images, but the images have %lld channel%s",
                            (long long)build->channels, build->channels == 1 ? "" : "s");
  if (!stage) return false;
  stage->value[0] = (float)((const grayscale_config *)config)->p;
  build->plan->look.lights = build->plan->look.saturates = 1;
  return true;
}

GT_DEFINE(augment, random_grayscale) = {.name = "random_grayscale",
                                        .help = "convert images to grayscale",
                                        .schema = &schema,
                                        .config_size = sizeof(grayscale_config),
                                        .add = add};
