/* Crops a region of random area and shape and resizes it to the size of the image, or to the size that the
 * network reads (Szegedy et al., "Going Deeper with Convolutions", CVPR 2015); drawn as in torchvision. */
#include "augment/augment.h"

typedef struct resized_config {
  gt_floats scale, ratio;
  const char *interpolation;
} resized_config;

static const gt_field fields[] = {
    GT_ROW(resized_config, scale, GT_FIELD_FLOATS, .fallback = "[0.08, 1.0]", .min = 0, .max = 1,
           .flags = GT_FIELD_OPEN_MIN,
           .help = "range of the area as a fraction of the image's area [min, max]"),
    GT_ROW(resized_config, ratio, GT_FIELD_FLOATS, .fallback = "[0.75, 1.3333333333333333]", .min = 0.001,
           .max = 1000, .help = "range of width / height [min, max]"),
    GT_AUGMENT_INTERPOLATION(resized_config),
    {.name = NULL},
};
static const gt_schema schema = {.name = "random_resized_crop",
                                 .help = "crop a random part and resize it to the image's size",
                                 .fields = fields,
                                 .shorthand = "scale"};

static bool add(gt_augment_build *build, const void *config) {
  const resized_config *c = config;
  gt_augment_stage *stage = gt_augment_add_crop(build, GT_DRAW_RESIZED_CROP);
  return stage && gt_augment_range(build, "scale", c->scale, stage->value) &&
         gt_augment_range(build, "ratio", c->ratio, stage->value + 2) &&
         gt_augment_set_interpolation(build, c->interpolation);
}

GT_DEFINE(augment, random_resized_crop) = {.name = "random_resized_crop",
                                           .help = "crop a random part and resize it to the image's size",
                                           .schema = &schema,
                                           .config_size = sizeof(resized_config),
                                           .may_repeat = true,
                                           .crops = true,
                                           .add = add};
