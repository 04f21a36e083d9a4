/* Shifts images by whole pixels: pads the image and crops it to its former size, or to the size that the
 * network reads. */
#include "augment/augment.h"

typedef struct crop_config {
  gt_ints padding;
  gt_floats fill;
  const char *padding_mode;
} crop_config;

static const gt_field fields[] = {
    GT_ROW(crop_config, padding, GT_FIELD_INTS, .min = 0, .max = 4096, .flags = GT_FIELD_REQUIRED,
           .help = "pixels added on each side before cropping: one number, or [horizontal, vertical]"),
    GT_AUGMENT_FILL(crop_config),
    GT_ROW(crop_config, padding_mode, GT_FIELD_CHOICE, .choices = gt_augment_borders,
           .help = "content of the padding: constant (the value `fill`), edge (repeat the last "
                   "pixel), reflect (mirror without repeating the last pixel) or symmetric (mirror "
                   "with it) (default: constant)"),
    {.name = NULL},
};
static const gt_schema schema = {.name = "random_crop",
                                 .help = "pad images and crop them at a random position",
                                 .fields = fields,
                                 .shorthand = "padding"};

static bool add(gt_augment_build *build, const void *config) {
  const crop_config *c = config;
  gt_augment_stage *stage = gt_augment_add_crop(build, GT_DRAW_CROP);
  return stage && gt_augment_pair(build, "padding", c->padding, stage->value) &&
         gt_augment_set_border(build, c->padding_mode) && gt_augment_set_fill(build, c->fill);
}

GT_DEFINE(augment, random_crop) = {.name = "random_crop",
                                   .help = "pad images and crop them at a random position",
                                   .schema = &schema,
                                   .config_size = sizeof(crop_config),
                                   .may_repeat = true,
                                   .crops = true,
                                   .add = add};
