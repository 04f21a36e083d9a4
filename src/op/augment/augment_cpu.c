#include "op/image_cpu.h"
#include "shaders/op/augment/augment.h"
#include "shaders/op/augment/drawn.h"
#include <string.h>

enum { CHANNELS = 4 }; /* channels processed at once */

typedef struct job {
  const struct gt_augment_args *a;
  const uint32_t *spec;
} job;

/* A sample, and its random parameters. */
typedef struct source {
  const float *x, *record;
  float grey;
  uint32_t row;
} source;

typedef struct pixel { /* position in the output, and first channel */
  uint32_t across, down, channel;
} pixel;

static source source_of(const job *j, uint32_t row) {
  const struct gt_augment_args *a = j->a;
  source s = {.row = row,
              .record = GT_PTR(const float, a->drawn) + (size_t)row * a->words,
              .x = GT_PTR(const float, a->x) + (size_t)row * a->height * a->width * a->channels};
  if (j->spec[GT_AUGMENT_SPEC_CONTRASTS]) s.grey = GT_PTR(const float, a->grey)[row];
  return s;
}

GT_MATH float grey_of(const float *v) { return 0.2989f * v[0] + 0.587f * v[1] + 0.114f * v[2]; }

/* Clamps v to [0, white]. */
GT_MATH float clamp(float v, float white) {
  v = gt_pick(v < 0.0f, 0.0f, v);
  return gt_pick(v > white, white, v);
}

/* Rotates the hue of an RGB color by `turn` revolutions; the largest and the smallest component are unchanged
 * (HSV). */
static void turn_hue(float turn, float *v) {
  static const float origin[3] = {5, 3, 1}; /* position of each channel on the hue circle, in sixths */
  const float most = gt_pick(v[0] > v[1], gt_pick(v[0] > v[2], v[0], v[2]), gt_pick(v[1] > v[2], v[1], v[2])),
              least =
                  gt_pick(v[0] < v[1], gt_pick(v[0] < v[2], v[0], v[2]), gt_pick(v[1] < v[2], v[1], v[2]));
  const float chroma = most - least;
  if (!(chroma > 0)) return;
  const float red = (most - v[0]) / chroma, green = (most - v[1]) / chroma, blue = (most - v[2]) / chroma;
  const float hue =
      gt_pick(v[0] == most, blue - green, gt_pick(v[1] == most, 2 + red - blue, 4 + green - red));
  for (int c = 0; c < 3; c++) {
    const float position = origin[c] + hue + 6 * turn, k = position - 6 * floorf(position / 6);
    v[c] = most - chroma * clamp(gt_pick(k < 4 - k, k, 4 - k), 1);
  }
}

GT_MATH bool in_box(const float *box, pixel p) {
  const float across = (float)p.across, down = (float)p.down;
  return across >= box[0] && down >= box[1] && across < box[2] && down < box[3];
}

/* Interpolates n channels of the image x at a position, or reads those of the nearest pixel. */
GT_MATH void sample(const struct gt_augment_args *a, const uint32_t *spec, const float *x, float across,
                    float down, uint32_t n, float *v) {
  const float right = (float)(a->width - 1), bottom = (float)(a->height - 1);
  const size_t row_stride = (size_t)a->width * a->channels;
  across = clamp(across, right);
  down = clamp(down, bottom);
  if (spec[GT_AUGMENT_SPEC_NEAREST]) {
    const float *nearest = x + (size_t)(down + 0.5f) * row_stride + (size_t)(across + 0.5f) * a->channels;
    for (uint32_t k = 0; k < n; k++) v[k] = nearest[k];
    return;
  }
  const uint32_t left = (uint32_t)across, top = (uint32_t)down;
  const float to_right = across - (float)left, to_bottom = down - (float)top;
  const float *upper = x + top * row_stride + (size_t)left * a->channels,
              *lower = top + 1 < a->height ? upper + row_stride : upper;
  const uint32_t next = left + 1 < a->width ? a->channels : 0;
  for (uint32_t k = 0; k < n; k++) {
    const float above = upper[k] * (1 - to_right) + upper[next + k] * to_right,
                below = lower[k] * (1 - to_right) + lower[next + k] * to_right;
    v[k] = above * (1 - to_bottom) + below * to_bottom;
  }
}

/* Changes brightness, contrast, saturation and hue. */
GT_MATH void light(const job *j, const source *s, uint32_t n, float *v) {
  const float *factor = s->record + GT_AUGMENT_BRIGHTNESS, white = j->a->white;
  for (uint32_t k = 0; k < n; k++) v[k] = clamp(v[k] * factor[0], white);
  if (j->spec[GT_AUGMENT_SPEC_CONTRASTS])
    for (uint32_t k = 0; k < n; k++) v[k] = clamp(factor[1] * v[k] + (1 - factor[1]) * s->grey, white);
  if (j->spec[GT_AUGMENT_SPEC_SATURATES]) {
    const float grey = grey_of(v);
    for (uint32_t k = 0; k < n; k++) v[k] = clamp(factor[2] * v[k] + (1 - factor[2]) * grey, white);
  }
  if (j->spec[GT_AUGMENT_SPEC_HUES]) turn_hue(s->record[GT_AUGMENT_HUE], v);
}

/* Applies tone curve `tone` of a sample: looks up the value at the nearest level. */
GT_MATH void apply_tone(const job *j, const source *s, uint32_t tone, uint32_t n, float *v) {
  const struct gt_augment_args *a = j->a;
  const float row = s->record[GT_AUGMENT_TONES(a->boxes) + tone];
  if (row < 0) return;
  const float *curve = GT_PTR(const float, a->table) + (1 + a->boxes) * a->channels +
                       (size_t)(uint32_t)row * GT_AUGMENT_LEVELS;
  for (uint32_t k = 0; k < n; k++) {
    const float place = clamp(v[k], a->white) * a->level;
    v[k] = curve[gt_min_u32((uint32_t)(place + 0.5f), GT_AUGMENT_LEVELS - 1)];
  }
}

GT_MATH void scale(const struct gt_augment_args *a, pixel p, uint32_t n, float *v) {
  const float *center = GT_PTR(const float, a->scaling), *factor = center + a->period,
              *shift = factor + a->period;
  uint32_t feature =
      a->period == 1 ? 0 : ((p.down * a->out_width + p.across) * a->channels + p.channel) % a->period;
  for (uint32_t k = 0; k < n; k++) {
    v[k] = (v[k] - center[feature]) * factor[feature] + shift[feature];
    if (++feature == a->period) feature = 0;
  }
}

/* Maps a position outside the image to one inside, along an axis of `length` pixels. */
GT_MATH float fold(uint32_t border, float place, uint32_t length) {
  const bool repeats_last = border == GT_AUGMENT_SYMMETRIC;
  const float half = repeats_last ? 0.5f : 0.0f, period = 2 * (float)(repeats_last ? length : length - 1);
  if (border == GT_AUGMENT_EDGE || period <= 0) return place;
  place += half;
  place = place - period * floorf(place / period);
  return (place < period - place ? place : period - place) - half;
}

/* True if the position is inside the image, to half a pixel outside the outer pixels' centers. */
GT_MATH bool inside(float place, uint32_t length) { return place >= -0.5f && place < (float)length - 0.5f; }

/* Computes n channels of a pixel of the augmented sample, before mixing. */
GT_MATH void compute_pixel(const job *j, const source *s, pixel p, uint32_t n, float *v) {
  const struct gt_augment_args *a = j->a;
  const float *table = GT_PTR(const float, a->table), *map = s->record + GT_AUGMENT_MAP;
  for (uint32_t box = a->boxes; box-- > 0;)
    if (in_box(s->record + GT_AUGMENT_BOXES + 4 * box, p)) {
      for (uint32_t k = 0; k < n; k++) v[k] = table[(1 + box) * a->channels + p.channel + k];
      return;
    }
  const uint32_t border = j->spec[GT_AUGMENT_SPEC_BORDER];
  float across = map[0] * (float)p.across + map[1] * (float)p.down + map[2];
  float down = map[3] * (float)p.across + map[4] * (float)p.down + map[5];
  if (border && !inside(across, a->width)) across = fold(border, across, a->width);
  if (border && !inside(down, a->height)) down = fold(border, down, a->height);
  if (border || (inside(across, a->width) && inside(down, a->height))) {
    sample(a, j->spec, s->x + p.channel, across, down, n, v);
    if (j->spec[GT_AUGMENT_SPEC_LIGHTS]) light(j, s, n, v);
    for (uint32_t tone = 0; tone < j->spec[GT_AUGMENT_SPEC_TONES]; tone++) apply_tone(j, s, tone, n, v);
  } else {
    for (uint32_t k = 0; k < n; k++) v[k] = table[p.channel + k];
  }
  if (j->spec[GT_AUGMENT_SPEC_SCALED]) scale(a, p, n, v);
}

/* Writes n channels of a pixel of the output, mixed with the previous sample of the batch. */
GT_MATH void write_pixel(const job *j, const source *current, const source *previous, pixel p, uint32_t n,
                         float *y) {
  const bool mixes = j->spec[GT_AUGMENT_SPEC_MIXES],
             swapped = mixes && in_box(current->record + GT_AUGMENT_MIX_BOX, p);
  const float share = current->record[GT_AUGMENT_PIXEL_SHARE];
  float v[CHANNELS] = {0}, mixed[CHANNELS] = {0};
  compute_pixel(j, swapped ? previous : current, p, n, v);
  if (mixes && !swapped && share != 1.0f) {
    compute_pixel(j, previous, p, n, mixed);
    for (uint32_t k = 0; k < n; k++) v[k] = share * v[k] + (1 - share) * mixed[k];
  }
  for (uint32_t k = 0; k < n; k++) y[k] = v[k];
}

GT_MATH void write_span(const job *j, gt_image_span span, uint32_t channels) {
  const struct gt_augment_args *a = j->a;
  const source current = source_of(j, span.sample);
  const source previous = source_of(j, (span.sample ? span.sample : a->batch) - 1);
  float *y = GT_PTR(float, a->y) + (size_t)span.first * channels;
  for (uint32_t i = 0; i < span.count; i++, y += channels)
    for (uint32_t c = 0; c < channels; c += CHANNELS) {
      const pixel p = {.across = span.coordinate[2] + i, .down = span.coordinate[1], .channel = c};
      write_pixel(j, &current, &previous, p, gt_min_u32(channels - c, CHANNELS), y + c);
    }
}

/* Images with one or three channels have loops of constant length. */
GT_CLONES static void augment_span(const job *j, gt_image_span span) {
  switch (j->a->channels) {
  case 1: write_span(j, span, 1); break;
  case 3: write_span(j, span, 3); break;
  default: write_span(j, span, j->a->channels);
  }
}

void gt_augment_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_augment_args *a = args;
  const job j = {a, spec};
  const uint32_t size[GT_IMAGE_AXES] = {1, a->out_height, a->out_width};
  gt_image_span span;
  for (uint32_t row = tile * gt_image_tile_positions(a->channels);
       gt_image_span_at(row, a->batch, size, a->channels, tile, &span); row += span.count)
    augment_span(&j, span);
}

/* One sample per tile. The sum is in double precision, because an image may have many pixels. */
void gt_augment_grey_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_augment_args *a = args;
  const uint32_t pixels = a->height * a->width, n = a->channels;
  const float factor = GT_PTR(const float, a->drawn)[(size_t)tile * a->words + GT_AUGMENT_BRIGHTNESS];
  const float *x = GT_PTR(const float, a->x) + (size_t)tile * pixels * n;
  double sum = 0;
  (void)spec;
  for (uint32_t i = 0; i < pixels; i++, x += n) {
    float v[3], channel_sum = 0;
    for (uint32_t c = 0; c < n; c++) {
      const float bright = clamp(x[c] * factor, a->white);
      if (n == 3) v[c] = bright;
      channel_sum += bright;
    }
    sum += (double)(n == 3 ? grey_of(v) : channel_sum / (float)n);
  }
  GT_PTR(float, a->y)[tile] = (float)(sum / pixels);
}
