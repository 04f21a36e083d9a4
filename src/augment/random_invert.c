/* Inverts images: black becomes white, as in torchvision's RandomInvert. */
#include "augment/augment.h"

typedef struct invert_config {
  double p;
} invert_config;

static const gt_field fields[] = {
    GT_AUGMENT_P(invert_config, "0.5", "an image is inverted"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "random_invert", .help = "invert the values of images", .fields = fields, .shorthand = "p"};

static double invert(double v, double amount) { return (void)amount, 1 - v; }

static bool add(gt_augment_build *build, const void *config) {
  return gt_augment_add_tone(build, ((const invert_config *)config)->p, (gt_tone){invert, 0, 0, 1});
}

GT_DEFINE(augment, random_invert) = {.name = "random_invert",
                                     .help = "invert the values of images",
                                     .schema = &schema,
                                     .config_size = sizeof(invert_config),
                                     .add = add};
