/* Erases parts of images: a square anywhere, which may extend beyond the border (DeVries and Taylor,
 * "Improved Regularization of Convolutional Neural Networks with Cutout", 2017), or a rectangle of random
 * area and shape inside (Zhong et al., "Random Erasing Data Augmentation", AAAI 2020), drawn as in
 * torchvision. */
#include "augment/augment.h"

typedef struct erasing_config {
  gt_ints size;
  double p;
  gt_floats scale, ratio, value;
} erasing_config;

#define VALUE                                                                                 \
  GT_ROW(erasing_config, value, GT_FIELD_FLOATS, .min = -1e6, .max = 1e6,                     \
         .help = "value of erased pixels after normalization, one number or one per channel " \
                 "(default: 0, the mean of normalized inputs)")

static const gt_field cutout_fields[] = {
    GT_ROW(erasing_config, size, GT_FIELD_INTS, .min = 1, .max = 65536, .flags = GT_FIELD_REQUIRED,
           .help = "side of the square in pixels, or [width, height]"),
    GT_AUGMENT_P(erasing_config, "1", "a part of an image is erased"),
    VALUE,
    {.name = NULL},
};
static const gt_schema cutout_schema = {.name = "cutout",
                                        .help = "erase a square at a random position",
                                        .fields = cutout_fields,
                                        .shorthand = "size"};

static const gt_field erasing_fields[] = {
    GT_AUGMENT_P(erasing_config, "0.5", "a part of an image is erased"),
    GT_ROW(erasing_config, scale, GT_FIELD_FLOATS, .fallback = "[0.02, 0.33]", .min = 0, .max = 1,
           .flags = GT_FIELD_OPEN_MIN,
           .help = "range of the area as a fraction of the image's area [min, max]"),
    GT_ROW(erasing_config, ratio, GT_FIELD_FLOATS, .fallback = "[0.3, 3.3]", .min = 0.001, .max = 1000,
           .help = "range of height / width [min, max]"),
    VALUE,
    {.name = NULL},
};
static const gt_schema erasing_schema = {
    .name = "random_erasing", .help = "erase a random rectangle", .fields = erasing_fields, .shorthand = "p"};

static gt_augment_stage *add_stage(gt_augment_build *build, const erasing_config *c, gt_augment_kind kind) {
  gt_augment_stage *stage = gt_augment_add(build, kind); /* increases look->boxes */
  gt_augment_look *look = &build->plan->look;
  if (!stage || !gt_augment_values(build, "value", c->value, look->value[look->boxes - 1])) return NULL;
  stage->value[0] = (float)c->p;
  return stage;
}

static bool add_cutout(gt_augment_build *build, const void *config) {
  gt_augment_stage *stage = add_stage(build, config, GT_DRAW_CUTOUT);
  return stage && gt_augment_pair(build, "size", ((const erasing_config *)config)->size, stage->value + 1);
}

static bool add_erasing(gt_augment_build *build, const void *config) {
  const erasing_config *c = config;
  gt_augment_stage *stage = add_stage(build, c, GT_DRAW_ERASE);
  float ratio[2];
  if (!stage || !gt_augment_range(build, "scale", c->scale, stage->value + 1) ||
      !gt_augment_range(build, "ratio", c->ratio, ratio))
    return false;
  stage->value[3] = 1 / ratio[1]; /* the kernel's ratio is width / height */
  stage->value[4] = 1 / ratio[0];
  return true;
}

GT_DEFINE(augment, cutout) = {.name = "cutout",
                              .help = "erase a square at a random position",
                              .schema = &cutout_schema,
                              .config_size = sizeof(erasing_config),
                              .may_repeat = true,
                              .add = add_cutout};
GT_DEFINE(augment, random_erasing) = {.name = "random_erasing",
                                      .help = "erase a random rectangle",
                                      .schema = &erasing_schema,
                                      .config_size = sizeof(erasing_config),
                                      .may_repeat = true,
                                      .add = add_erasing};
