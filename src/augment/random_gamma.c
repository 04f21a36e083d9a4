/* Gamma correction with an exponent that is drawn for each image: v becomes v^gamma, as in torchvision's
 * adjust_gamma. */
#include "augment/augment.h"
#include <math.h>

enum { EXPONENTS = 64 }; /* an image gets one of these; each has a row in the tone table */

typedef struct gamma_config {
  gt_floats gamma;
  double p;
} gamma_config;

static const gt_field fields[] = {
    GT_ROW(gamma_config, gamma, GT_FIELD_FLOATS, .fallback = "[0.8, 1.25]", .min = 0.01, .max = 100,
           .help = "range of the exponent [min, max]; above 1 darkens"),
    GT_AUGMENT_P(gamma_config, "1", "an image is changed"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "random_gamma", .help = "raise values to a random power", .fields = fields, .shorthand = "gamma"};

static bool add(gt_augment_build *build, const void *config) {
  const gamma_config *c = config;
  float range[2];
  return gt_augment_range(build, "gamma", c->gamma, range) &&
         gt_augment_add_tone(build, c->p, (gt_tone){pow, (double)range[0], (double)range[1], EXPONENTS});
}

GT_DEFINE(augment, random_gamma) = {.name = "random_gamma",
                                    .help = "raise values to a random power",
                                    .schema = &schema,
                                    .config_size = sizeof(gamma_config),
                                    .add = add};
