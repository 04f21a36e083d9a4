#include "op/augment/augment_table.h"
#include "base/count.h"
#include "base/memory.h"
#include "shaders/op/augment/augment_draw.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double degree = 0.017453292519943295; /* pi / 180 */

/* A table under construction: first the words of the stages, then tables of floats. */
typedef struct table {
  uint32_t *word;
  size_t words, capacity;
} table;

typedef struct size {
  uint32_t height, width;
} size;

static double area_of(size image) { return (double)image.width * image.height; }

/* Appends values; returns the offset of the first. */
static uint32_t add_floats(table *t, const double *value, size_t count) {
  const size_t first = t->words;
  if (first + count > t->capacity) {
    t->capacity = 2 * (first + count);
    t->word = gt_realloc(t->word, t->capacity * sizeof *t->word);
  }
  for (size_t i = 0; i < count; i++) {
    const float rounded = (float)value[i];
    memcpy(&t->word[first + i], &rounded, sizeof rounded);
  }
  t->words += count;
  return (uint32_t)first;
}

static void set_float(table *t, size_t word, double value) {
  const float rounded = (float)value;
  memcpy(&t->word[word], &rounded, sizeof rounded);
}

/* Quantile (k + 1/2) / GT_AUGMENT_QUANTILES of the uniform distribution on [range[0], range[1]]. */
static double uniform_quantile(const float *range, uint32_t k) {
  return (double)range[0] + ((double)range[1] - (double)range[0]) * (k + 0.5) / GT_AUGMENT_QUANTILES;
}

/* --- distributions --- */

/* The CDF of Beta(alpha, alpha) at x <= 1/2, by a power series in which each term is the previous one times
 * x (2 alpha + n) / (alpha + 1 + n). */
static double beta_cdf(double alpha, double x, double log_beta) {
  double term = 1, sum = 0;
  if (x <= 0) return 0;
  for (int n = 0; term > 1e-17 * sum; n++) {
    sum += term;
    term *= x * (2 * alpha + n) / (alpha + 1 + n);
  }
  return exp(alpha * (log(x) + log1p(-x)) - log_beta) / alpha * sum;
}

void gt_beta_quantiles(double alpha, uint32_t count, double *quantile) {
  const double log_beta = 2 * lgamma(alpha) - lgamma(2 * alpha);
  double low = 0;
  for (uint32_t k = 0; k < (count + 1) / 2; k++) {
    const double wanted = (k + 0.5) / count;
    double high = 0.5;
    for (int i = 0; i < 48; i++) {
      const double middle = (low + high) / 2;
      if (beta_cdf(alpha, middle, log_beta) < wanted)
        low = middle;
      else
        high = middle;
    }
    quantile[k] = low;
    quantile[count - 1 - k] = 1 - low;
  }
}

/* --- stages --- */

/* Adds two tables and stores their offsets in t->word[word] and the next word: square roots of the areas, and
 * square roots of width/height with their reciprocals. */
static void add_rectangles(table *t, size_t word, const float *area, const float *ratio, double image_area) {
  const double low = log((double)ratio[0]), high = log((double)ratio[1]);
  double *roots = gt_alloc((1 + 2) * GT_AUGMENT_QUANTILES * sizeof *roots),
         *ratios = roots + GT_AUGMENT_QUANTILES;
  for (uint32_t k = 0; k < GT_AUGMENT_QUANTILES; k++) {
    roots[k] = sqrt(image_area * uniform_quantile(area, k));
    ratios[2 * k] = exp((low + (high - low) * (k + 0.5) / GT_AUGMENT_QUANTILES) / 2);
    ratios[2 * k + 1] = 1 / ratios[2 * k];
  }
  const uint32_t first = add_floats(t, roots, GT_AUGMENT_QUANTILES);
  const uint32_t second = add_floats(t, ratios, 2 * GT_AUGMENT_QUANTILES);
  t->word[word] = first;
  t->word[word + 1] = second;
  free(roots);
}

/* Adds the table k / output_size, k = 0 … length; returns its offset. */
static uint32_t add_fractions(table *t, uint32_t length, uint32_t output_size) {
  double *fraction = gt_alloc((length + 1) * sizeof *fraction);
  for (uint32_t k = 0; k <= length; k++) fraction[k] = (double)k / output_size;
  const uint32_t first = add_floats(t, fraction, length + 1);
  free(fraction);
  return first;
}

/* Rounds to the nearest integer, ties to even, like Python's round(). Because ratios are stored as float,
 * 15 * 0.3f is slightly above 4.5; values this close to a tie are therefore treated as ties. */
static double nearest(double x) {
  const double twice = rint(2 * x);
  return fabs(2 * x - twice) < 1e-6 * x ? (double)gt_half_to_even((int64_t)twice) : rint(x);
}

/* The largest centered crop whose aspect ratio is in range (torchvision's RandomResizedCrop.get_params). */
static void set_center_crop(uint32_t *word, size sample, const float *ratio) {
  const double shape = (double)sample.width / sample.height;
  double width = sample.width, height = sample.height;
  if (shape < (double)ratio[0]) height = fmax(1, nearest(width / (double)ratio[0]));
  if (shape > (double)ratio[1]) width = fmax(1, nearest(height * (double)ratio[1]));
  word[2] = (uint32_t)width;
  word[3] = (uint32_t)height;
  word[0] = (sample.width - word[2]) / 2;
  word[1] = (sample.height - word[3]) / 2;
}

static void add_resized_crop(table *t, size_t word, size sample, size output, const float *value) {
  add_rectangles(t, word, value, value + 2, area_of(sample));
  const uint32_t widths = add_fractions(t, sample.width, output.width),
                 heights = add_fractions(t, sample.height, output.height);
  t->word[word + 2] = widths;
  t->word[word + 3] = heights;
  set_center_crop(&t->word[word + 4], sample, value + 2);
}

/* value: the settings of GT_DRAW_AFFINE (shaders/op/augment/kinds.h). */
static void add_affine(table *t, size_t word, const float *value) {
  const uint32_t columns = GT_AUGMENT_AFFINE_COLUMNS;
  double *rows = gt_alloc((size_t)columns * GT_AUGMENT_QUANTILES * sizeof *rows);
  for (uint32_t k = 0; k < GT_AUGMENT_QUANTILES; k++) {
    const double angle = degree * uniform_quantile(value, k);
    const double row[] = {cos(angle), sin(angle), 1 / uniform_quantile(value + 4, k),
                          tan(degree * uniform_quantile(value + 6, k)),
                          tan(degree * uniform_quantile(value + 8, k))};
    memcpy(rows + (size_t)k * columns, row, sizeof row);
  }
  const uint32_t first = add_floats(t, rows, (size_t)columns * GT_AUGMENT_QUANTILES);
  t->word[word] = first;
  set_float(t, word + 1, (double)value[2]);
  set_float(t, word + 2, (double)value[3]);
  free(rows);
}

/* value: the settings of GT_DRAW_MIX (shaders/op/augment/kinds.h). */
static void add_mix(table *t, size_t word, size image, const float *value) {
  const uint32_t columns = GT_AUGMENT_MIX_COLUMNS, count = GT_AUGMENT_QUANTILES;
  double *rows = gt_alloc((size_t)(columns + 1) * count * sizeof *rows), *share = rows + columns * count;
  memset(rows, 0, (size_t)columns * count * sizeof *rows);
  for (int kind = 0; kind < 2; kind++) {
    if (value[kind] > 0) gt_beta_quantiles((double)value[kind], count, share);
    for (uint32_t k = 0; k < count && value[kind] > 0; k++) {
      rows[k * columns + (uint32_t)kind] = share[k];
      if (kind) rows[k * columns + 2] = sqrt(1 - share[k]) / 2;
    }
  }
  const uint32_t first = add_floats(t, rows, (size_t)columns * count);
  t->word[word] = first;
  set_float(t, word + 1, (double)value[2]);
  set_float(t, word + 2, (double)value[2] + (double)value[3]);
  set_float(t, word + 3, 1 / area_of(image));
  free(rows);
}

/* Sets the words of a stage. sample: size of its input; output: size of its output. */
static void add_stage(table *t, size_t word, size sample, size output, const gt_augment_stage *stage) {
  const float *value = stage->value;
  switch ((gt_augment_kind)stage->kind) {
  case GT_DRAW_CROP:
    t->word[word] = (uint32_t)value[0];
    t->word[word + 1] = (uint32_t)value[1];
    t->word[word + 2] = sample.width - output.width;
    t->word[word + 3] = sample.height - output.height;
    break;
  case GT_DRAW_RESIZED_CROP: add_resized_crop(t, word, sample, output, value); break;
  case GT_DRAW_AFFINE: add_affine(t, word, value); break;
  case GT_DRAW_CUTOUT:
    set_float(t, word, (double)value[0]);
    t->word[word + 1] = (uint32_t)value[1];
    t->word[word + 2] = (uint32_t)value[2];
    break;
  case GT_DRAW_ERASE:
    add_rectangles(t, word, value + 1, value + 3, area_of(sample));
    set_float(t, word + 2, (double)value[0]);
    break;
  case GT_DRAW_MIX: add_mix(t, word, sample, value); break;
  case GT_DRAW_TONE:
    set_float(t, word, (double)value[0]);
    t->word[word + 1] = (uint32_t)value[1];
    t->word[word + 2] = (uint32_t)value[2];
    break;
  default: /* flips and color changes: the settings as they are */
    for (size_t i = 0; i < 8; i++) set_float(t, word + i, (double)value[i]);
  }
}

static size output_of(size sample, const gt_augment_stage *stage) {
  return stage->height ? (size){stage->height, stage->width} : sample;
}

uint32_t *gt_augment_table(const gt_augment_rule *rule, size_t *words) {
  const size_t header_words = (size_t)GT_AUGMENT_STAGE_WORDS * GT_AUGMENT_MAX_STAGES;
  table t = {
      .words = header_words, .capacity = header_words, .word = gt_alloc(header_words * sizeof *t.word)};
  size sample = {rule->height, rule->width}, final_size = sample;
  memset(t.word, 0, header_words * sizeof *t.word);
  for (uint32_t i = 0; i < rule->stages; i++) final_size = output_of(final_size, &rule->stage[i]);
  for (uint32_t i = 0; i < rule->stages; i++) {
    const gt_augment_stage *stage = &rule->stage[i];
    const size_t word = (size_t)i * GT_AUGMENT_STAGE_WORDS;
    /* Stages that are not geometric are applied at the final size, whatever their position in the list. */
    const size input = stage->kind <= GT_DRAW_AFFINE ? sample : final_size;
    t.word[word] = stage->kind;
    t.word[word + GT_AUGMENT_STAGE_HEIGHT] = input.height;
    t.word[word + GT_AUGMENT_STAGE_WIDTH] = input.width;
    add_stage(&t, word + 1, input, output_of(input, stage), stage);
    sample = output_of(sample, stage);
  }
  *words = t.words;
  return t.word;
}
