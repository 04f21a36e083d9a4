/* Rotates, translates, scales and shears images around their center; drawn as in torchvision, which rotates
 * clockwise in random_affine and counterclockwise in random_rotation. */
#include "augment/augment.h"

typedef struct affine_config {
  gt_floats degrees, translate, scale, shear, fill;
  const char *interpolation;
} affine_config;

#define DEGREES                                                                                        \
  GT_ROW(affine_config, degrees, GT_FIELD_FLOATS, .min = -360, .max = 360, .flags = GT_FIELD_REQUIRED, \
         .help = "range of the angle in degrees [min, max]; one number x means [-x, x]")

static const gt_field rotation_fields[] = {
    DEGREES,
    GT_AUGMENT_INTERPOLATION(affine_config),
    GT_AUGMENT_FILL(affine_config),
    {.name = NULL},
};
static const gt_schema rotation_schema = {.name = "random_rotation",
                                          .help = "rotate images by a random angle",
                                          .fields = rotation_fields,
                                          .shorthand = "degrees"};

static const gt_field affine_fields[] = {
    DEGREES,
    GT_ROW(affine_config, translate, GT_FIELD_FLOATS, .min = 0, .max = 1,
           .help = "largest shift [horizontal, vertical], as fractions of width and height"),
    GT_ROW(affine_config, scale, GT_FIELD_FLOATS, .min = 0.01, .max = 100,
           .help = "range of the scale factor [min, max]"),
    GT_ROW(affine_config, shear, GT_FIELD_FLOATS, .min = -80, .max = 80,
           .help = "range of the shear angle along x in degrees [min, max], or one number x for [-x, "
                   "x]; four numbers add the range along y"),
    GT_AUGMENT_INTERPOLATION(affine_config),
    GT_AUGMENT_FILL(affine_config),
    {.name = NULL},
};
static const gt_schema affine_schema = {.name = "random_affine",
                                        .help = "randomly rotate, translate, scale and shear images",
                                        .fields = affine_fields,
                                        .shorthand = "degrees"};

static bool set_translation(gt_augment_build *build, gt_floats translate, float *out) {
  if (!translate.count) return true;
  if (translate.count != 2)
    return gt_augment_error(build, "translate", "needs two numbers for 'translate': [horizontal, vertical]");
  out[0] = (float)(translate.items[0] * (double)build->width);
  out[1] = (float)(translate.items[1] * (double)build->height);
  return true;
}

static bool set_shear(gt_augment_build *build, gt_floats shear, float *out) {
  if (!shear.count) return true;
  if (shear.count != 4) return gt_augment_symmetric_range(build, "shear", shear, out);
  return gt_augment_range(build, "shear", (gt_floats){shear.items, 2}, out) &&
         gt_augment_range(build, "shear", (gt_floats){shear.items + 2, 2}, out + 2);
}

static bool add_affine(gt_augment_build *build, const void *config) {
  const affine_config *c = config;
  gt_augment_stage *stage = gt_augment_add(build, GT_DRAW_AFFINE);
  if (!stage) return false;
  stage->value[4] = stage->value[5] = 1;
  return gt_augment_symmetric_range(build, "degrees", c->degrees, stage->value) &&
         set_translation(build, c->translate, stage->value + 2) &&
         (!c->scale.count || gt_augment_range(build, "scale", c->scale, stage->value + 4)) &&
         set_shear(build, c->shear, stage->value + 6) &&
         gt_augment_set_interpolation(build, c->interpolation) && gt_augment_set_fill(build, c->fill);
}

/* random_rotation turns counterclockwise and the stage clockwise, so the range of the angle is negated. */
static bool add_rotation(gt_augment_build *build, const void *config) {
  if (!add_affine(build, config)) return false;
  gt_augment_stage *stage = gt_augment_last(build, GT_DRAW_AFFINE);
  const float min = stage->value[0];
  stage->value[0] = -stage->value[1];
  stage->value[1] = -min;
  return true;
}

GT_DEFINE(augment, random_affine) = {.name = "random_affine",
                                     .help = "randomly rotate, translate, scale and shear images",
                                     .schema = &affine_schema,
                                     .config_size = sizeof(affine_config),
                                     .may_repeat = true,
                                     .add = add_affine};
GT_DEFINE(augment, random_rotation) = {.name = "random_rotation",
                                       .help = "rotate images by a random angle",
                                       .schema = &rotation_schema,
                                       .config_size = sizeof(affine_config),
                                       .may_repeat = true,
                                       .add = add_rotation};
