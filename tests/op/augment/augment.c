/* Cases (op/case.h) of the ops augment and augment_grey, with given and with drawn records. */
#include "op/augment/augment.h"
#include "base/philox.h"
#include "op/case.h"
#include "op/core.h"
#include <math.h>
#include <string.h>

GT_REGISTER(opcase, augment)

/* Inputs: images, a record for each, then optionally a scaling. p[0]: 1: the nearest pixel, else bilinear
 * interpolation; p[1]: number of erased boxes; p[2]: bits of the color changes, and MIX to mix samples; p[3]:
 * border mode; p[4], p[5]: height and width of the output, 0 for those of the input; p[6]: number of tone
 * curves. Any numbers are a valid record; shaders/op/augment/drawn.h has its layout. */
enum { BRIGHT = 1, CONTRAST = 2, SATURATION = 4, MIX = 8, HUE = 16 };
enum { CURVES = 9 }; /* number of curves of each tone */

static double power(double v, double amount) { return pow(v, amount); }
static double steps(double v, double amount) { return floor(4 * v) / 4 * amount; }

static gt_augment_look look_of(const gt_case_view *v) {
  gt_augment_look look;
  memset(&look, 0, sizeof look);
  look.height = (uint32_t)v->c->p[4];
  look.width = (uint32_t)v->c->p[5];
  look.nearest = v->c->p[0] != 0;
  look.boxes = (uint32_t)v->c->p[1];
  look.border = (uint32_t)v->c->p[3];
  look.lights = (v->c->p[2] & ~MIX) != 0;
  look.contrasts = (v->c->p[2] & CONTRAST) != 0;
  look.saturates = (v->c->p[2] & SATURATION) != 0;
  look.hues = (v->c->p[2] & HUE) != 0;
  look.mixes = (v->c->p[2] & MIX) != 0;
  look.white = 1.5f;
  look.tones = (uint32_t)v->c->p[6];
  look.tone[0] = (gt_tone){power, 0.5, 2, CURVES};
  look.tone[1] = (gt_tone){steps, 0.25, 1, CURVES};
  for (int c = 0; c < GT_AUGMENT_MAX_VALUES; c++) {
    look.fill[c] = 0.25f * (float)(c + 1);
    for (int box = 0; box < GT_AUGMENT_MAX_BOXES; box++) look.value[box][c] = -1.0f - (float)(box * 4 + c);
  }
  return look;
}

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_augment_look look = look_of(v);
  return gt_augment(g, x[0], x[1], v->inputs > 2 ? x[2] : GT_NONE, &look);
}

static gt_id build_grey(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_augment_look look = look_of(v);
  return gt_augment_grey(g, x[0], x[1], &look);
}

typedef struct pictures {
  const gt_case_view *v;
  const double *const *x;
  gt_augment_look look;
  int64_t batch, height, width, channels, words;
} pictures;

static pictures pictures_of(const gt_case_view *v, const double *const *x) {
  const gt_shape s = v->shape[0];
  return (pictures){
      v, x, look_of(v), s.dim[0], s.dim[1], s.dim[2], s.rank == 4 ? s.dim[3] : 1, v->shape[1].dim[1]};
}

static double value_at(const pictures *p, int64_t row, int64_t y, int64_t x, int64_t c) {
  return p->x[0][((row * p->height + y) * p->width + x) * p->channels + c];
}

static double limit(const pictures *p, double v) { return fmin(fmax(v, 0), (double)p->look.white); }

static double grey_of(const double *v) { return 0.2989 * v[0] + 0.587 * v[1] + 0.114 * v[2]; }

static double mean_grey(const pictures *p, int64_t row) {
  const double factor = p->x[1][row * p->words + 6];
  double sum = 0;
  for (int64_t i = 0; i < p->height * p->width; i++) {
    double v[3], all = 0;
    for (int64_t c = 0; c < p->channels; c++) {
      const double lit = limit(p, factor * value_at(p, row, i / p->width, i % p->width, c));
      if (c < 3) v[c] = lit;
      all += lit / (double)p->channels;
    }
    sum += p->channels == 3 ? grey_of(v) : all;
  }
  return sum / (double)(p->height * p->width);
}

/* The position inside a row of `length` pixels whose value is repeated at `place`, which may be outside. */
static double folded(gt_augment_border border, double place, double length) {
  if (border == GT_BORDER_EDGE) return fmin(fmax(place, 0), length - 1);
  if (border == GT_BORDER_SYMMETRIC) place += 0.5; /* reflects at the edges of pixels, not at their centers */
  const double end = border == GT_BORDER_SYMMETRIC ? length : length - 1;
  if (end <= 0) return 0;
  while (place < 0 || place > end) place = place < 0 ? -place : 2 * end - place;
  return border == GT_BORDER_SYMMETRIC ? place - 0.5 : place;
}

/* Channel c of the sample, interpolated at a position inside it. */
static double sampled(const pictures *p, int64_t row, double x, double y, int64_t c) {
  x = fmin(fmax(x, 0), (double)(p->width - 1));
  y = fmin(fmax(y, 0), (double)(p->height - 1));
  if (p->look.nearest) return value_at(p, row, (int64_t)floor(y + 0.5), (int64_t)floor(x + 0.5), c);
  double sum = 0;
  for (int64_t i = 0; i < p->height; i++)
    for (int64_t j = 0; j < p->width; j++)
      sum += fmax(0, 1 - fabs(y - (double)i)) * fmax(0, 1 - fabs(x - (double)j)) * value_at(p, row, i, j, c);
  return sum;
}

/* Channel c after a rotation of the hue: RGB to hue, saturation and value, and back. */
static double rotate_hue(const double *v, double turn, int64_t c) {
  const double most = fmax(v[0], fmax(v[1], v[2])), least = fmin(v[0], fmin(v[1], v[2]));
  if (most <= least) return v[c];
  const int first = v[0] >= most ? 0 : v[1] >= most ? 1 : 2;
  const double third = (v[(first + 1) % 3] - v[(first + 2) % 3]) / (most - least);
  double hue = (2 * first + third) / 6 + turn;
  hue -= floor(hue);
  const double saturation = (most - least) / most, sixth = floor(6 * hue), fraction = 6 * hue - sixth;
  const double p = most * (1 - saturation), q = most * (1 - saturation * fraction),
               t = most * (1 - saturation * (1 - fraction));
  const double rgb[6][3] = {{most, t, p}, {q, most, p}, {p, most, t},
                            {p, q, most}, {t, p, most}, {most, p, q}};
  return rgb[(int)sixth % 6][c];
}

/* Channel c at a position of the sample, after its color changes. */
static double recolored(const pictures *p, int64_t row, double x, double y, int64_t c) {
  const double *factor = p->x[1] + row * p->words + 6;
  double v[16], grey = p->look.contrasts ? mean_grey(p, row) : 0;
  for (int64_t k = 0; k < p->channels; k++) {
    v[k] = limit(p, factor[0] * sampled(p, row, x, y, k));
    if (p->look.contrasts) v[k] = limit(p, factor[1] * v[k] + (1 - factor[1]) * grey);
  }
  if (p->channels != 3) return v[c];
  const double pixel_grey = grey_of(v);
  for (int k = 0; k < 3 && p->look.saturates; k++)
    v[k] = limit(p, factor[2] * v[k] + (1 - factor[2]) * pixel_grey);
  return p->look.hues ? rotate_hue(v, factor[5], c) : v[c];
}

/* v after the tone curves of the sample, which see it in steps of 1/255 of white. The record has the number
 * of a curve for each; negative: none. */
static double toned(const pictures *p, int64_t row, double v) {
  const double *number = p->x[1] + row * p->words + 16 + 4 * p->look.boxes, white = (double)p->look.white;
  for (uint32_t i = 0; i < p->look.tones; i++) {
    const double curve = floor(number[i]);
    const gt_tone *tone = &p->look.tone[curve < CURVES ? 0 : 1];
    if (number[i] < 0) continue;
    const double amount = tone->low + (tone->high - tone->low) * (fmod(curve, CURVES) + 0.5) / CURVES;
    v = white * tone->curve(floor(limit(p, v) * 255 / white + 0.5) / 255, amount);
  }
  return v;
}

static bool in_box(const double *box, int64_t x, int64_t y) {
  return (double)x >= box[0] && (double)y >= box[1] && (double)x < box[2] && (double)y < box[3];
}

/* Channel c of pixel (x, y) of the output, before samples are mixed. */
static double output_at(const pictures *p, int64_t row, int64_t x, int64_t y, int64_t c) {
  const double *record = p->x[1] + row * p->words;
  const int64_t channel = c < 3 ? c : 3;
  for (int64_t box = p->look.boxes; box-- > 0;)
    if (in_box(record + 16 + 4 * box, x, y)) return (double)p->look.value[box][channel];
  const gt_augment_border border = (gt_augment_border)p->look.border;
  double across = record[0] * (double)x + record[1] * (double)y + record[2];
  double down = record[3] * (double)x + record[4] * (double)y + record[5];
  if (border && (across < -0.5 || across >= (double)p->width - 0.5))
    across = folded(border, across, (double)p->width);
  if (border && (down < -0.5 || down >= (double)p->height - 0.5))
    down = folded(border, down, (double)p->height);
  double v = (double)p->look.fill[channel];
  if (border ||
      (across >= -0.5 && down >= -0.5 && across < (double)p->width - 0.5 && down < (double)p->height - 0.5))
    v = toned(p, row, p->look.lights ? recolored(p, row, across, down, c) : sampled(p, row, across, down, c));
  if (p->v->inputs < 3) return v;
  const int64_t period = p->v->shape[2].dim[1], at = ((y * p->width + x) * p->channels + c) % period;
  const double *scaling = p->x[2] + at;
  return (v - scaling[0]) * scaling[period] + scaling[2 * period];
}

static gt_shape reference(const gt_case_view *v, const double *const *x, double *out) {
  const pictures p = pictures_of(v, x);
  gt_shape shape = v->shape[0];
  if (p.look.height) shape.dim[1] = p.look.height, shape.dim[2] = p.look.width;
  for (int64_t i = 0; out && i < gt_shape_count(shape); i++) {
    const int64_t c = i % p.channels, w = i / p.channels % shape.dim[2],
                  pixel_row = i / p.channels / shape.dim[2];
    const int64_t h = pixel_row % shape.dim[1], row = pixel_row / shape.dim[1],
                  other = (row + p.batch - 1) % p.batch;
    const double *record = x[1] + row * p.words, share = record[10];
    out[i] = output_at(&p, row, w, h, c);
    if (!p.look.mixes) continue;
    if (in_box(record + 12, w, h))
      out[i] = output_at(&p, other, w, h, c);
    else
      out[i] = share * out[i] + (1 - share) * output_at(&p, other, w, h, c);
  }
  return shape;
}

static gt_shape reference_grey(const gt_case_view *v, const double *const *x, double *out) {
  const pictures p = pictures_of(v, x);
  for (int64_t row = 0; out && row < p.batch; row++) out[row] = mean_grey(&p, row);
  return gt_shape_1(p.batch);
}

/* --- drawn records: shifts by whole pixels --- */

/* Inputs: the clock's state (words p[0..2]) and its table, images. They are shifted by at most p[4] pixels,
 * and half of them are mirrored. */
static gt_id build_shifted(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_shape shape = v->shape[2];
  gt_augment_rule rule;
  gt_augment_look look;
  memset(&rule, 0, sizeof rule);
  memset(&look, 0, sizeof look);
  rule.batch = shape.dim[0];
  rule.height = (uint32_t)shape.dim[1];
  rule.width = (uint32_t)shape.dim[2];
  rule.stages = 2;
  rule.stage[0] = (gt_augment_stage){GT_DRAW_CROP, {(float)v->c->p[4], (float)v->c->p[4]}};
  rule.stage[1] = (gt_augment_stage){GT_DRAW_HORIZONTAL_FLIP, {0.5f}};
  const gt_id drawn = gt_augment_draw(g, gt_clock(g, v->variable[0], v->variable[1]), &rule);
  return gt_augment(g, x[2], drawn, GT_NONE, &look);
}

static gt_shape reference_shifted(const gt_case_view *v, const double *const *x, double *out) {
  const int64_t *p = v->c->p, batch = v->shape[2].dim[0], height = v->shape[2].dim[1],
                width = v->shape[2].dim[2], max_shift = p[4];
  const int64_t channels = v->shape[2].rank == 4 ? v->shape[2].dim[3] : 1;
  const uint64_t seed = (uint32_t)p[1] | (uint64_t)p[2] << 32, shifts = 2 * (uint64_t)max_shift + 1;
  /* Each stage of a row has 16 blocks of random bits. */
  for (int64_t row = 0; out && row < batch; row++) {
    const gt_philox shift = gt_philox_block(seed, GT_PURPOSE_AUGMENT, (uint32_t)p[0], 32 * (uint32_t)row);
    const gt_philox flip = gt_philox_block(seed, GT_PURPOSE_AUGMENT, (uint32_t)p[0], 32 * (uint32_t)row + 16);
    for (int64_t i = 0; i < height * width * channels; i++) {
      const int64_t c = i % channels, across = i / channels % width, down = i / channels / width;
      int64_t from_x = flip.v[0] >> 31 ? across : width - 1 - across;
      from_x += (int64_t)(shift.v[0] * shifts >> 32) - max_shift;
      const int64_t from_y = down + (int64_t)(shift.v[1] * shifts >> 32) - max_shift;
      const bool inside = from_x >= 0 && from_x < width && from_y >= 0 && from_y < height;
      out[row * height * width * channels + i] =
          inside ? x[2][((row * height + from_y) * width + from_x) * channels + c] : 0;
    }
  }
  return v->shape[2];
}

static const gt_case_rule plain = {.name = "augment",
                                   .build = build,
                                   .reference = reference,
                                   .tolerance = 2e-5,
                                   .floor = 1,
                                   .reason = "interpolation weights are fractions of rounded positions"};
static const gt_case_rule grey = {.name = "augment_grey",
                                  .build = build_grey,
                                  .reference = reference_grey,
                                  .tolerance = 2e-6,
                                  .reason = "a mean of many values"};
static const gt_case_rule shifted = {.name = "augment",
                                     .build = build_shifted,
                                     .reference = reference_shifted,
                                     .tolerance = 0,
                                     .reason = "whole pixels are copied"};

static const gt_case cases[] = {
    {&plain, "1,1,1 1,16", {0}},
    {&plain, "5,7,6 5,16", {0}},
    {&plain, "5,7,6 5,16", {1}},
    {&plain, "9,8,7,3 9,16", {0}},
    {&plain, "9,8,7,3 9,20", {1, 1, BRIGHT}},
    {&plain, "9,8,7,3 9,32", {0, 4, BRIGHT | CONTRAST | SATURATION | MIX}},
    {&plain, "9,8,7,3 9,24 3,3", {0, 2, CONTRAST}},
    {&plain, "9,8,7,3 9,16", {0, 0, HUE}},
    {&plain, "9,8,7,3 9,24 3,3", {1, 2, BRIGHT | CONTRAST | SATURATION | MIX | HUE}},
    {&plain, "4,5,5,2 4,16", {0, 0, BRIGHT | HUE}},
    {&plain, "9,8,7 9,24 3,1", {0, 2, CONTRAST | SATURATION | MIX}},
    {&plain, "4,5,5,2 4,16 3,50", {0, 0, MIX}},
    {&plain, "4,5,5,6 4,20 3,6", {0, 1, BRIGHT | CONTRAST | SATURATION | MIX}},
    {&plain, "1,6,5,4 1,20", {0, 1, MIX}},
    {&plain, "5,7,6 5,17", {1, 0, 0, 0, 0, 0, 1}},
    {&plain, "9,8,7,3 9,22 3,3", {0, 1, BRIGHT | HUE | MIX, 0, 0, 0, 2}},
    {&plain, "9,8,7,2 9,18", {0, 0, 0, GT_BORDER_EDGE, 5, 4, 2}, 0, -3, 17},
    {&plain, "40,28,28,1 40,16", {0, 0, MIX}, 0, -1, 1},
    {&plain, "6,33,31,3 6,20 3,3", {0, 1, CONTRAST | MIX}, 0, -1, 1.5},
    {&plain, "9,8,7,3 9,24 3,3", {0, 2, CONTRAST | MIX, 0, 5, 4}},
    {&plain, "3,4,4 3,20", {1, 1, 0, GT_BORDER_REFLECT, 9, 3}},
    {&plain, "4,5,5,6 4,16 3,1", {0, 0, BRIGHT, 0, 1, 7}},
    /* Maps in multiples of a half, so that positions are on pixels, between them and on the border. */
    {&plain, "12,6,6,3 g12,16", {0}},
    {&plain, "12,6,6,3 g12,20", {0, 1, MIX}},
    {&plain, "9,8,7,3 9,16", {0, 0, 0, GT_BORDER_EDGE}},
    {&plain, "9,8,7,3 9,16", {0, 0, 0, GT_BORDER_REFLECT}},
    {&plain, "9,5,6 9,16", {0, 0, CONTRAST, GT_BORDER_SYMMETRIC}},
    {&plain, "12,6,5,2 g12,16", {0, 0, 0, GT_BORDER_EDGE}},
    {&plain, "12,6,5,2 g12,16", {0, 0, MIX, GT_BORDER_REFLECT}},
    {&plain, "12,3,5,2 g12,16", {0, 0, 0, GT_BORDER_SYMMETRIC}},
    {&plain, "4,1,3 4,16", {0, 0, 0, GT_BORDER_REFLECT}},
    {&plain, "4,1,3 4,16", {0, 0, 0, GT_BORDER_SYMMETRIC}},
    {&grey, "1,1,1 1,16", {0}},
    {&grey, "3,28,28 3,16", {0}},
    {&grey, "5,17,9,3 5,20", {0, 1}, 0, -1, 3},
    {&grey, "2,9,40,5 2,16", {0}},
    {&shifted, "w4 v1,1 11,8,9,3", {3, 5, 1, 0, 4}},
    {&shifted, "w4 v1,1 11,28,28", {9, 5, 1, 0, 2}},
    {&shifted, "w4 v1,1 6,4,4,16", {9, 5, 1, 0, 0}},
    {&shifted, "w4 v1,1 6,4,4,1", {9, 5, 1, 0, 9}},
};
GT_CASES(augment, cases);
