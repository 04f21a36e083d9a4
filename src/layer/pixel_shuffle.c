/* pixel_shuffle: turns r * r channels into a square of r by r pixels; pixel_unshuffle: the reverse (Shi et
 * al., "Real-Time Single Image and Video Super-Resolution", CVPR 2016), as torch.nn.PixelShuffle and
 * PixelUnshuffle: channel (c * r + i) * r + j is pixel (i, j) of channel c. */
#include "layer/spatial.h"
#include "op/core.h"
#include "op/move.h"

typedef struct shuffle_config {
  int64_t factor;
} shuffle_config;

enum { MAX_FACTOR = 1 << 12 };

static gt_id build_pixel_shuffle(gt_build *build, const void *config, const gt_id *input) {
  const int64_t r = ((const shuffle_config *)config)->factor;
  static const int axes[] = {0, 1, 4, 2, 5, 3};
  if (!gt_spatial_check(build, input, 2)) return GT_NONE;
  const gt_shape x = gt_node_at(build->graph, input[0])->shape;
  if (x.dim[3] % (r * r))
    return gt_build_error(build, "upscale_factor",
                          "cannot form squares of %lld by %lld pixels from the channels of %s", (long long)r,
                          (long long)r, gt_build_input_text(build, input, 0));
  const gt_shape split = {.rank = 6, .dim = {x.dim[0], x.dim[1], x.dim[2], x.dim[3] / (r * r), r, r}};
  const gt_shape out = {.rank = 4, .dim = {x.dim[0], x.dim[1] * r, x.dim[2] * r, split.dim[3]}};
  return gt_reshape(build->graph, gt_permute(build->graph, gt_reshape(build->graph, input[0], split), axes),
                    out);
}

static gt_id build_pixel_unshuffle(gt_build *build, const void *config, const gt_id *input) {
  const int64_t r = ((const shuffle_config *)config)->factor;
  static const int axes[] = {0, 1, 3, 5, 2, 4};
  if (!gt_spatial_check(build, input, 2)) return GT_NONE;
  const gt_shape x = gt_node_at(build->graph, input[0])->shape;
  if (x.dim[1] % r || x.dim[2] % r)
    return gt_build_error(build, "downscale_factor", "cannot cut %s into squares of %lld by %lld pixels",
                          gt_build_input_text(build, input, 0), (long long)r, (long long)r);
  const gt_shape split = {.rank = 6, .dim = {x.dim[0], x.dim[1] / r, r, x.dim[2] / r, r, x.dim[3]}};
  const gt_shape out = {.rank = 4, .dim = {x.dim[0], split.dim[1], split.dim[3], x.dim[3] * r * r}};
  return gt_reshape(build->graph, gt_permute(build->graph, gt_reshape(build->graph, input[0], split), axes),
                    out);
}

#define SHUFFLE(op, key, text, key_text)                                                   \
  static const gt_field op##_fields[] = {                                                  \
      GT_ROW_NAMED(key, shuffle_config, factor, GT_FIELD_INT, .min = 1, .max = MAX_FACTOR, \
                   .flags = GT_FIELD_REQUIRED, .help = key_text),                          \
      {.name = NULL},                                                                      \
  };                                                                                       \
  GT_WITH_SCHEMA(layer, op, text, op##_fields, key, .config_size = sizeof(shuffle_config), \
                 .family = GT_LAYER_SHAPE, .integers = true, .moves = true, .build = build_##op)

GT_REGISTER(layer, pixel_shuffle)
SHUFFLE(pixel_shuffle, "upscale_factor", "rearrange channels into pixels: an image r times as high and wide",
        "factor r on height and width")
GT_REGISTER(layer, pixel_unshuffle)
SHUFFLE(pixel_unshuffle, "downscale_factor",
        "rearrange pixels into channels: an image with 1/r of the height and width",
        "divisor r of height and width")
