/* Cases (op/case.h) of the op that draws augmentation parameters, against the geometry of each stage. */
#include "base/philox.h"
#include "op/augment/augment.h"
#include "op/case.h"
#include "op/core.h"
#include <math.h>
#include <string.h>

GT_REGISTER(opcase, augment_draw)

/* Inputs: the clock's state (words p[0..2]: step, seed) and its table. p[4]: which of these rules (each a
 * list of stages, which GT_DRAW_KINDS ends if there are fewer than STAGES); p[5]: rows; p[6], p[7]: height
 * and width. */
enum { STAGES = 5 };
static const gt_augment_stage rules[][STAGES] = {
    {{GT_DRAW_KINDS}},
    {{GT_DRAW_CROP, {4, 3}}, {GT_DRAW_HORIZONTAL_FLIP, {0.5f}}, {GT_DRAW_KINDS}},
    {{GT_DRAW_VERTICAL_FLIP, {0.25f}},
     {GT_DRAW_CROP, {0, 2}},
     {GT_DRAW_HORIZONTAL_FLIP, {1}},
     {GT_DRAW_KINDS}},
    {{GT_DRAW_RESIZED_CROP, {0.08f, 1, 0.75f, 1.3333334f}}, {GT_DRAW_KINDS}},
    {{GT_DRAW_RESIZED_CROP, {0.9f, 1, 3, 4}}, {GT_DRAW_HORIZONTAL_FLIP, {0.5f}}, {GT_DRAW_KINDS}},
    {{GT_DRAW_AFFINE, {-15, 15, 0, 0, 1, 1}}, {GT_DRAW_KINDS}},
    {{GT_DRAW_AFFINE, {10, 90, 3.2f, 1.6f, 0.5f, 2, -10, 20, -5, 5}},
     {GT_DRAW_RESIZED_CROP, {0.3f, 0.8f, 0.5f, 2}},
     {GT_DRAW_CROP, {2, 2}},
     {GT_DRAW_KINDS}},
    {{GT_DRAW_COLOR, {0.6f, 1.4f, 0, 2, 0.9f, 1.1f}}, {GT_DRAW_KINDS}},
    {{GT_DRAW_CUTOUT, {0.7f, 8, 5}}, {GT_DRAW_KINDS}},
    {{GT_DRAW_ERASE, {0.8f, 0.02f, 0.33f, 0.3f, 3.3f}}, {GT_DRAW_CUTOUT, {1, 3, 3}}, {GT_DRAW_KINDS}},
    {{GT_DRAW_ERASE, {1, 0.99f, 1, 0.9f, 1.1f}}, {GT_DRAW_KINDS}},
    {{GT_DRAW_MIX, {1, 0, 1, 0}}, {GT_DRAW_KINDS}},
    {{GT_DRAW_MIX, {0, 1, 0, 0.6f}}, {GT_DRAW_KINDS}},
    {{GT_DRAW_COLOR, {1, 1, 1, 1, 0, 1}},
     {GT_DRAW_MIX, {1, 1, 0.5f, 0.5f}},
     {GT_DRAW_HORIZONTAL_FLIP, {0.5f}},
     {GT_DRAW_CUTOUT, {1, 4, 4}},
     {GT_DRAW_KINDS}},
    {{GT_DRAW_GRAYSCALE, {0.3f}}, {GT_DRAW_KINDS}},
    {{GT_DRAW_COLOR, {1, 1, 1, 1, 0.5f, 1.5f}}, {GT_DRAW_GRAYSCALE, {0.3f}}, {GT_DRAW_KINDS}},
    {{GT_DRAW_COLOR, {1, 1, 1, 1, 0.5f, 1.5f, -0.1f, 0.25f}}, {GT_DRAW_KINDS}},
    {{GT_DRAW_HORIZONTAL_FLIP, {0.5f}},
     {GT_DRAW_CROP, {4, 0}, 12, 20},
     {GT_DRAW_CROP, {1, 2}},
     {GT_DRAW_VERTICAL_FLIP, {0.5f}},
     {GT_DRAW_KINDS}},
    {{GT_DRAW_CUTOUT, {1, 5, 5}},
     {GT_DRAW_AFFINE, {-20, 20, 3, 3, 1, 1}},
     {GT_DRAW_RESIZED_CROP, {0.2f, 1, 0.5f, 2}, 24, 40},
     {GT_DRAW_HORIZONTAL_FLIP, {0.5f}},
     {GT_DRAW_MIX, {1, 1, 0.5f, 0.5f}}},
    {{GT_DRAW_RESIZED_CROP, {0.9f, 1, 0.3f, 0.3f}}, {GT_DRAW_KINDS}},
    {{GT_DRAW_TONE, {0.6f, 0, 5}}, {GT_DRAW_CUTOUT, {1, 4, 4}}, {GT_DRAW_TONE, {1, 5, 1}}, {GT_DRAW_KINDS}},
};
/* The rules by name, in the order of `rules`. */
enum {
  NOTHING,
  CROP,
  FLIPS,
  RESIZE,
  WIDE,
  TURN,
  AFFINE,
  COLOR,
  CUTOUT,
  ERASE,
  NEVER,
  MIXUP,
  CUTMIX,
  ALL,
  GREY,
  GREY_LAST,
  HUE,
  PIECE,
  PIECE_RESIZED,
  NARROW,
  TONES
};

static gt_augment_rule rule_of(const gt_case_view *v) {
  const int64_t *p = v->c->p;
  gt_augment_rule rule;
  memset(&rule, 0, sizeof rule);
  rule.batch = p[5];
  rule.height = (uint32_t)p[6];
  rule.width = (uint32_t)p[7];
  for (const gt_augment_stage *stage = rules[p[4]]; rule.stages < STAGES && stage->kind != GT_DRAW_KINDS;
       stage++) {
    rule.stage[rule.stages++] = *stage;
    rule.boxes += stage->kind == GT_DRAW_CUTOUT || stage->kind == GT_DRAW_ERASE;
    rule.tones += stage->kind == GT_DRAW_TONE;
  }
  return rule;
}

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_augment_rule rule = rule_of(v);
  (void)x;
  return gt_augment_draw(g, gt_clock(g, v->variable[0], v->variable[1]), &rule);
}

/* --- reference: each stage as a map of positions --- */

typedef struct place { /* in an image */
  double x, y;
} place;

typedef struct draw {
  const gt_case_view *v;
  gt_augment_rule rule;
  uint32_t row, stage;
  uint32_t height, width;         /* input size of the stage */
  uint32_t out_height, out_width; /* its output size */
} draw;

/* Sets the sizes of stage `index`, and returns it. Geometric stages work on the output of the stages before
 * them, all others on the final size. */
static const gt_augment_stage *enter(draw *d, uint32_t index) {
  const gt_augment_stage *stage = d->rule.stage, *current = &stage[index];
  const uint32_t before = current->kind <= GT_DRAW_AFFINE ? index : d->rule.stages;
  d->stage = index;
  d->height = d->rule.height, d->width = d->rule.width;
  for (uint32_t i = 0; i < before; i++)
    if (stage[i].height) d->height = stage[i].height, d->width = stage[i].width;
  d->out_height = current->height ? current->height : d->height;
  d->out_width = current->height ? current->width : d->width;
  return current;
}

/* Random bits: word k of this block of the current row and stage. */
static uint32_t word(const draw *d, uint32_t block, int k) {
  const int64_t *p = d->v->c->p;
  const uint64_t seed = (uint32_t)p[1] | (uint64_t)p[2] << 32;
  const uint32_t at = (d->row * d->rule.stages + d->stage) * 16 + block;
  return gt_philox_block(seed, GT_PURPOSE_AUGMENT, (uint32_t)p[0], at).v[k];
}

/* Uniform in [0, 1). */
static double uniform(const draw *d, uint32_t block, int k) { return (word(d, block, k) >> 8) / 16777216.0; }

/* One of 4096 equally likely values. */
static double quantile(const draw *d, uint32_t block, int k) {
  return ((word(d, block, k) >> 20) + 0.5) / 4096;
}

/* An integer from 0 to n - 1. */
static int64_t below(const draw *d, uint32_t block, int k, int64_t n) {
  return (int64_t)((uint64_t)word(d, block, k) * (uint64_t)n >> 32);
}

static double between(double low, double high, double share) { return low + (high - low) * share; }

/* A random rectangle. value: range of its share of the area, range of its aspect ratio. */
static void rectangle(const draw *d, uint32_t attempt, const float *value, double *width, double *height) {
  const double area =
      d->height * (double)d->width * between((double)value[0], (double)value[1], quantile(d, attempt, 0));
  const double ratio = exp(between(log((double)value[2]), log((double)value[3]), quantile(d, attempt, 1)));
  *width = floor(sqrt(area * ratio) + 0.5);
  *height = floor(sqrt(area / ratio) + 0.5);
}

/* Python's round() of length / ratio (divides), or length * ratio, with the ratio as written in the config,
 * of at most six digits. */
static double python_round(double length, float ratio, bool divides) {
  const double written = rint((double)ratio * 1e6) / 1e6;
  const double exact = rint(1e4 * (divides ? length / written : length * written)) / 1e4;
  return exact - floor(exact) == 0.5 ? 2 * rint(exact / 2) : rint(exact);
}

/* The source position of an output pixel of the stage. */
static place crop_source(const draw *d, const float *value, place p) {
  double width = 0, height = 0, left = 0, top = 0;
  const double w = d->width, h = d->height;
  uint32_t i = 0;
  for (; i < 10; i++) {
    rectangle(d, i, value, &width, &height);
    if (width >= 1 && height >= 1 && width <= w && height <= h) break;
  }
  if (i == 10) {
    width = w, height = h;
    if (w / h < (double)value[2]) height = python_round(w, value[2], true);
    if (w / h > (double)value[3]) width = python_round(h, value[3], false);
    left = floor((w - width) / 2), top = floor((h - height) / 2);
  } else {
    left = (double)below(d, i, 2, (int64_t)(w - width) + 1);
    top = (double)below(d, i, 3, (int64_t)(h - height) + 1);
  }
  return (place){left + (p.x + 0.5) * width / d->out_width - 0.5,
                 top + (p.y + 0.5) * height / d->out_height - 0.5};
}

/* The inverse of torchvision's affine matrix: rotation and shear in one, then scale. */
static place affine_source(const draw *d, const float *value, place p) {
  const double degree = acos(-1) / 180,
               turn = degree * between((double)value[0], (double)value[1], quantile(d, 0, 0));
  const double scale = between((double)value[4], (double)value[5], quantile(d, 0, 1));
  const double sx = degree * between((double)value[6], (double)value[7], quantile(d, 1, 0));
  const double sy = degree * between((double)value[8], (double)value[9], quantile(d, 1, 1));
  const double a = cos(turn - sy) / cos(sy), b = -a * tan(sx) - sin(turn);
  const double c = sin(turn - sy) / cos(sy), e = -c * tan(sx) + cos(turn);
  const double tx = floor(between(-(double)value[2], (double)value[2], uniform(d, 0, 2)) + 0.5);
  const double ty = floor(between(-(double)value[3], (double)value[3], uniform(d, 0, 3)) + 0.5);
  const double mx = (d->width - 1) / 2.0, my = (d->height - 1) / 2.0;
  const double x = p.x - mx - tx, y = p.y - my - ty;
  return (place){(e * x - b * y) / scale + mx, (-c * x + a * y) / scale + my};
}

static place source(const draw *d, const gt_augment_stage *stage, place p) {
  const float *value = stage->value;
  switch ((gt_augment_kind)stage->kind) {
  case GT_DRAW_CROP:
    p.x += (double)(below(d, 0, 0, 2 * (int64_t)value[0] + d->width - d->out_width + 1) - (int64_t)value[0]);
    p.y +=
        (double)(below(d, 0, 1, 2 * (int64_t)value[1] + d->height - d->out_height + 1) - (int64_t)value[1]);
    return p;
  case GT_DRAW_HORIZONTAL_FLIP:
    if (uniform(d, 0, 0) < (double)value[0]) p.x = d->width - 1 - p.x;
    return p;
  case GT_DRAW_VERTICAL_FLIP:
    if (uniform(d, 0, 0) < (double)value[0]) p.y = d->height - 1 - p.y;
    return p;
  case GT_DRAW_RESIZED_CROP: return crop_source(d, value, p);
  case GT_DRAW_AFFINE: return affine_source(d, value, p);
  default: return p;
  }
}

static place source_of(draw *d, place p) {
  for (uint32_t i = d->rule.stages; i-- > 0;) {
    const gt_augment_stage *stage = enter(d, i);
    p = source(d, stage, p);
  }
  return p;
}

/* Writes the rectangle to `box`, clipped to the image: left, top, right, bottom. */
static void box_of(double left, double top, double width, double height, const draw *d, double *box) {
  const double to[4] = {fmax(left, 0), fmax(top, 0), fmin(left + width, d->width),
                        fmin(top + height, d->height)};
  memcpy(box, to, sizeof to);
}

/* The box that a stage erases; all 0: none. */
static void erased_box(const draw *d, const gt_augment_stage *stage, double *box) {
  const float *value = stage->value;
  double width, height;
  memset(box, 0, 4 * sizeof *box);
  if (stage->kind == GT_DRAW_CUTOUT) {
    if (uniform(d, 0, 2) >= (double)value[0]) return;
    box_of((double)below(d, 0, 0, d->width) - floor((double)value[1] / 2),
           (double)below(d, 0, 1, d->height) - floor((double)value[2] / 2), (double)value[1],
           (double)value[2], d, box);
    return;
  }
  if (uniform(d, 10, 0) >= (double)value[0]) return;
  for (uint32_t i = 0; i < 10; i++) {
    rectangle(d, i, value + 1, &width, &height);
    if (width >= d->width || height >= d->height) continue;
    box_of((double)below(d, i, 2, d->width - (int64_t)width + 1),
           (double)below(d, i, 3, d->height - (int64_t)height + 1), width, height, d, box);
    return;
  }
}

/* The numbers of mixup or CutMix in a record. With alpha 1 the mixing fraction is uniformly distributed. */
static void mix_samples(const draw *d, const float *value, double *y) {
  const double which = uniform(d, 0, 0), share = quantile(d, 0, 1);
  const double w = d->width, h = d->height;
  if (which < (double)value[2]) {
    y[9] = y[10] = share;
  } else if (which < (double)value[2] + (double)value[3]) {
    const double side = sqrt(1 - share) / 2, across = floor(side * w), down = floor(side * h);
    box_of((double)below(d, 1, 0, (int64_t)w) - across, (double)below(d, 1, 1, (int64_t)h) - down, 2 * across,
           2 * down, d, y + 12);
    y[9] = 1 - (y[14] - y[12]) * (y[15] - y[13]) / (w * h);
  }
}

/* The record of the current row (shaders/op/augment/drawn.h). */
static void record(draw *d, double *y) {
  const place origin = source_of(d, (place){0, 0}), right = source_of(d, (place){1, 0}),
              down = source_of(d, (place){0, 1});
  const double map[6] = {right.x - origin.x, down.x - origin.x, origin.x,
                         right.y - origin.y, down.y - origin.y, origin.y};
  memcpy(y, map, sizeof map);
  for (int k = 6; k < 11; k++) y[k] = 1;
  for (int k = 11; k < 16; k++) y[k] = 0;
  double *box = y + 16, *tone = box + 4 * d->rule.boxes;
  for (uint32_t i = 0; i < d->rule.stages; i++) {
    const gt_augment_stage *stage = enter(d, i);
    const float *value = stage->value;
    for (int k = 0; k < 3 && stage->kind == GT_DRAW_COLOR; k++)
      y[6 + k] = between((double)value[2 * k], (double)value[2 * k + 1], uniform(d, 0, k));
    if (stage->kind == GT_DRAW_COLOR) y[11] = between((double)value[6], (double)value[7], uniform(d, 0, 3));
    if (stage->kind == GT_DRAW_GRAYSCALE && uniform(d, 0, 0) < (double)value[0]) y[8] = 0;
    if (stage->kind == GT_DRAW_CUTOUT || stage->kind == GT_DRAW_ERASE) erased_box(d, stage, box), box += 4;
    if (stage->kind == GT_DRAW_MIX) mix_samples(d, value, y);
    if (stage->kind == GT_DRAW_TONE)
      *tone++ = uniform(d, 0, 0) < (double)value[0]
                    ? (double)value[1] + (double)below(d, 0, 1, (int64_t)value[2])
                    : -1;
  }
}

static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  draw d = {.v = v, .rule = rule_of(v)};
  const int64_t words = 16 + 4 * d.rule.boxes + d.rule.tones;
  (void)x;
  for (d.row = 0; y && d.row < d.rule.batch; d.row++) record(&d, y + d.row * words);
  return gt_shape_2(d.rule.batch, words);
}

static const gt_case_rule exact = {.name = "augment_draw",
                                   .build = build,
                                   .reference = reference,
                                   .tolerance = 0,
                                   .reason = "whole numbers"};
static const gt_case_rule rounded = {.name = "augment_draw",
                                     .build = build,
                                     .reference = reference,
                                     .tolerance = 2e-6,
                                     .floor = 8,
                                     .reason = "positions in an image are products of small matrices"};

static const gt_case cases[] = {
    {&exact, "w4 v1,1", {3, 7, 0, 0, NOTHING, 5, 8, 8}},
    {&exact, "w4 v1,1", {3, 7, 0, 0, CROP, 200, 28, 30}},
    {&exact, "w4 v1,1", {0, 7, 9, 0, FLIPS, 130, 1, 1}},
    {&exact, "w4 v1,1", {1, 8, 9, 0, FLIPS, 130, 33, 32}},
    {&rounded, "w4 v1,1", {1, 2, 0, 0, RESIZE, 300, 28, 28}},
    {&rounded, "w4 v1,1", {4000000, 2, 5, 0, RESIZE, 64, 224, 160}},
    {&rounded, "w4 v1,1", {1, 2, 0, 0, RESIZE, 64, 2, 1}},
    {&rounded, "w4 v1,1", {1, 2, 0, 0, WIDE, 100, 12, 30}},
    {&rounded, "w4 v1,1", {1, 2, 0, 0, WIDE, 100, 12, 50}},
    {&rounded, "w4 v1,1", {1, 2, 0, 0, NARROW, 3, 15, 15}}, /* 4.5 columns: 4 */
    {&rounded, "w4 v1,1", {1, 2, 0, 0, NARROW, 3, 25, 25}}, /* 7.5: 8 */
    {&rounded, "w4 v1,1", {1, 2, 0, 0, NARROW, 3, 35, 35}}, /* 10.5: 10 */
    {&rounded, "w4 v1,1", {9, 2, 0, 0, TURN, 100, 28, 28}},
    {&rounded, "w4 v1,1", {9, 2, 0, 0, AFFINE, 200, 32, 16}},
    {&rounded, "w4 v1,1", {9, 3, 1, 0, COLOR, 200, 32, 16}},
    {&exact, "w4 v1,1", {9, 3, 1, 0, GREY, 200, 3, 16}},
    {&rounded, "w4 v1,1", {9, 3, 1, 0, GREY_LAST, 200, 3, 16}},
    {&exact, "w4 v1,1", {9, 3, 1, 0, PIECE, 200, 31, 25}},
    {&rounded, "w4 v1,1", {9, 3, 1, 0, PIECE_RESIZED, 200, 36, 48}},
    {&rounded, "w4 v1,1", {9, 3, 1, 0, HUE, 200, 3, 16}},
    {&exact, "w4 v1,1", {2, 3, 1, 0, CUTOUT, 200, 32, 16}},
    {&exact, "w4 v1,1", {2, 3, 1, 0, CUTOUT, 20, 1, 2}},
    {&exact, "w4 v1,1", {2, 3, 1, 0, ERASE, 200, 32, 31}},
    {&exact, "w4 v1,1", {2, 3, 1, 0, NEVER, 20, 9, 9}},
    {&exact, "w4 v1,1", {2, 3, 1, 0, TONES, 200, 9, 7}},
    {&rounded, "w4 v1,1", {5, 3, 1, 0, MIXUP, 100, 9, 9}},
    {&rounded, "w4 v1,1", {5, 3, 1, 0, CUTMIX, 200, 29, 17}},
    {&rounded, "w4 v1,1", {5, 3, 1, 0, ALL, 1000, 32, 32}},
    {&rounded, "w4 v1,1", {5, 3, 1, 0, ALL, 1, 8, 8}},
};
GT_CASES(augment_draw, cases);
