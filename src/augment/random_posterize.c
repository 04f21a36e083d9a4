/* Keeps only the highest bits of each 8-bit value, as in torchvision's RandomPosterize. */
#include "augment/augment.h"
#include <math.h>

typedef struct posterize_config {
  int64_t bits;
  double p;
} posterize_config;

static const gt_field fields[] = {
    GT_ROW(posterize_config, bits, GT_FIELD_INT, .min = 1, .max = 8, .flags = GT_FIELD_REQUIRED,
           .help = "number of bits of each value to keep, from 1 to 8"),
    GT_AUGMENT_P(posterize_config, "0.5", "an image is posterized"),
    {.name = NULL},
};
static const gt_schema schema = {.name = "random_posterize",
                                 .help = "reduce the number of bits of each value",
                                 .fields = fields,
                                 .shorthand = "bits"};

static double posterize(double v, double bits) {
  const double step = exp2(8 - bits);
  return step * floor(rint(255 * v) / step) / 255;
}

static bool add(gt_augment_build *build, const void *config) {
  const posterize_config *c = config;
  return gt_augment_add_tone(build, c->p, (gt_tone){posterize, (double)c->bits, (double)c->bits, 1});
}

GT_DEFINE(augment, random_posterize) = {.name = "random_posterize",
                                        .help = "reduce the number of bits of each value",
                                        .schema = &schema,
                                        .config_size = sizeof(posterize_config),
                                        .add = add};
