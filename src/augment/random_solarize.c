/* Inverts the values of an image that are at least a threshold, as in torchvision's RandomSolarize. */
#include "augment/augment.h"

typedef struct solarize_config {
  double threshold, p;
} solarize_config;

static const gt_field fields[] = {
    GT_ROW(solarize_config, threshold, GT_FIELD_FLOAT, .fallback = "0.5", .min = 0, .max = 1,
           .help = "values from here on are inverted: 0 is black, 1 is white"),
    GT_AUGMENT_P(solarize_config, "0.5", "an image is solarized"),
    {.name = NULL},
};
static const gt_schema schema = {.name = "random_solarize",
                                 .help = "invert values above a threshold",
                                 .fields = fields,
                                 .shorthand = "threshold"};

static double solarize(double v, double threshold) { return v >= threshold ? 1 - v : v; }

static bool add(gt_augment_build *build, const void *config) {
  const solarize_config *c = config;
  return gt_augment_add_tone(build, c->p, (gt_tone){solarize, c->threshold, c->threshold, 1});
}

GT_DEFINE(augment, random_solarize) = {.name = "random_solarize",
                                       .help = "invert values above a threshold",
                                       .schema = &schema,
                                       .config_size = sizeof(solarize_config),
                                       .add = add};
