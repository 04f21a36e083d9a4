/* Changes brightness, contrast and saturation by random factors, then the hue by a random angle, in this
 * order, each as torchvision computes it. */
#include "augment/augment.h"
#include <math.h>

typedef struct color_config {
  gt_floats brightness, contrast, saturation, hue;
} color_config;

#define FACTOR(name, what)                                          \
  GT_ROW(color_config, name, GT_FIELD_FLOATS, .min = 0, .max = 100, \
         .help = what ": range of the factor [min, max]; one number x means [max(0, 1 - x), 1 + x]")

static const gt_field fields[] = {
    FACTOR(brightness, "brightness"),
    FACTOR(contrast, "contrast"),
    FACTOR(saturation, "saturation"),
    GT_ROW(color_config, hue, GT_FIELD_FLOATS, .min = -0.5, .max = 0.5,
           .help = "range of the hue shift [min, max], within [-0.5, 0.5]; one number x means [-x, x]"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "color_jitter",
    .help = "randomly change brightness, contrast, saturation and hue, always in this order "
            "(torchvision's ColorJitter draws the order for each image)",
    .fields = fields};

/* Writes the range of the factor that the value of `key` means; [1, 1] without a value. */
static bool set_factor(gt_augment_build *build, const char *key, gt_floats given, float *out) {
  out[0] = out[1] = 1;
  if (given.count > 1) return gt_augment_range(build, key, given, out);
  if (given.count) {
    out[0] = (float)fmax(0, 1 - given.items[0]);
    out[1] = (float)(1 + given.items[0]);
  }
  return true;
}

static bool add(gt_augment_build *build, const void *config) {
  const color_config *c = config;
  gt_augment_look *look = &build->plan->look;
  gt_augment_stage *stage = gt_augment_add(build, GT_DRAW_COLOR);
  /* The first key that needs colors. */
  const char *color_key = c->saturation.count ? "saturation" : c->hue.count ? "hue" : NULL;
  if (color_key && build->channels != 3)
    return gt_augment_error(build, color_key, "changes the %s of colors, but the images have %lld channel%s",
                            color_key, (long long)build->channels, build->channels == 1 ? "" : "s");
  look->lights |= c->brightness.count || c->contrast.count || c->saturation.count || c->hue.count;
  look->contrasts |= c->contrast.count > 0;
  look->saturates |= c->saturation.count > 0;
  look->hues |= c->hue.count > 0;
  return stage && set_factor(build, "brightness", c->brightness, stage->value) &&
         set_factor(build, "contrast", c->contrast, stage->value + 2) &&
         set_factor(build, "saturation", c->saturation, stage->value + 4) &&
         (!c->hue.count || gt_augment_symmetric_range(build, "hue", c->hue, stage->value + 6));
}

GT_DEFINE(augment, color_jitter) = {.name = "color_jitter",
                                    .help = "randomly change brightness, contrast, saturation and hue",
                                    .schema = &schema,
                                    .config_size = sizeof(color_config),
                                    .add = add};
