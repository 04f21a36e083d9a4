#include "data/range.h"
#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/column.h"
#include "data/data.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 4096, MAX_NAMED = 3 }; /* MAX_NAMED: columns in a message */
enum { MAX_ROWS = 8192 };                   /* rows that gt_share_outside examines, evenly spread */

/* When samples are reported (GT_FINDING_outside_training). */
static const double margin = 0.1;          /* outside: by more than this fraction of the range's width */
static const double far = 1;               /* far outside: by more than this many widths */
static const double unit_ratio = 20;       /* in another unit: this many times larger or smaller */
static const double shifted_part = 0.5;    /* a column is shifted if this fraction of samples is outside */
static const double many_samples = 0.05;   /* reported if more than this fraction of samples is outside */
static const double chance_far_part = 0.1; /* of the samples outside by chance, the fraction far outside */

static int64_t columns_of(const gt_tensor *tensor) {
  if (tensor->element == GT_ELEMENT_I32 || !tensor->data || !tensor->dim[0]) return 0;
  if (tensor->rank == 3) return 1; /* read as images of one channel */
  const int64_t last = tensor->rank < 2 ? 1 : tensor->dim[tensor->rank - 1];
  return last <= MAX_COLUMNS ? last : 1; /* too many columns are treated as one */
}

static float value_at(const gt_tensor *tensor, int64_t i) {
  return tensor->element == GT_ELEMENT_U8 ? (float)((const uint8_t *)tensor->data)[i]
                                          : ((const float *)tensor->data)[i];
}

/* Minimum and maximum are updated for about this many neighboring values at once (a multiple of the columns),
 * so that the compiler vectorizes the loop. */
enum { BLOCK = 256 };

#define ADD_VALUES(type)                                                          \
  static void add_##type(const type *value, int64_t n, float *low, float *high) { \
    for (int64_t k = 0; k < n; k++) {                                             \
      const float v = (float)value[k];                                            \
      low[k] = v < low[k] ? v : low[k];                                           \
      high[k] = v > high[k] ? v : high[k];                                        \
    }                                                                             \
  }
ADD_VALUES(uint8_t)
ADD_VALUES(float)

/* The range of rows of values in this number of columns (0: unknown). */
static gt_value_range range_of(const gt_tensor *tensor, int64_t columns, gt_arena *arena) {
  const int64_t block = gt_ceil_div(BLOCK, columns + !columns) * columns;
  if (!columns) return (gt_value_range){0};
  float *low = GT_NEW_N(arena, float, block), *high = GT_NEW_N(arena, float, block);
  const int64_t values = tensor->dim[0] * gt_tensor_features(tensor);
  for (int64_t c = 0; c < block; c++) low[c] = high[c] = value_at(tensor, c % columns);
  for (int64_t i = 0; i < values; i += block)
    if (tensor->element == GT_ELEMENT_U8)
      add_uint8_t((const uint8_t *)tensor->data + i, gt_min_i64(block, values - i), low, high);
    else
      add_float((const float *)tensor->data + i, gt_min_i64(block, values - i), low, high);
  for (int64_t c = columns; c < block; c++) {
    low[c % columns] = fminf(low[c % columns], low[c]);
    high[c % columns] = fmaxf(high[c % columns], high[c]);
  }
  return (gt_value_range){columns, low, high, tensor->dim[0], tensor->bits};
}

gt_value_range gt_tensor_range(const gt_tensor *samples, gt_arena *arena) {
  const gt_tensor rows = gt_tensor_as_rows(samples);
  return range_of(&rows, columns_of(&rows), arena);
}

static double max_magnitude(const gt_value_range *range, int64_t column) {
  return fmax(fabs((double)range->low[column]), fabs((double)range->high[column]));
}

static double scaled(const gt_scaling *scaling, int64_t feature, double value) {
  const int64_t n = scaling ? scaling->count : 0;
  if (!n) return value;
  const float *of_feature = scaling->values + feature % n;
  return (value - (double)of_feature[0]) * (double)of_feature[n] + (double)of_feature[2 * n];
}

gt_value_range gt_scaled_range(const gt_input *input, const gt_tensor *samples, gt_arena *arena) {
  const gt_tensor rows = gt_tensor_as_rows(samples);
  const int64_t columns = columns_of(&rows), scales = input->scaling.count;
  gt_value_range range = range_of(&rows, columns && scales > columns ? scales : columns, arena);
  float *low = GT_NEW_N(arena, float, 2 * range.columns), *high = low + range.columns;
  for (int64_t c = 0; c < range.columns; c++) {
    const bool is_one_hot =
        range.columns == gt_tensor_features(&rows) && gt_table_is_one_hot(input->table, c);
    low[c] = is_one_hot ? 0 : (float)scaled(&input->scaling, c, (double)range.low[c]);
    high[c] = is_one_hot ? 1 : (float)scaled(&input->scaling, c, (double)range.high[c]);
  }
  range.low = low;
  range.high = high;
  return range;
}

double gt_share_outside(const gt_tensor *samples, const gt_scaling *scaling, int64_t first, int64_t step,
                        double low, double high) {
  const gt_tensor flat = gt_tensor_as_rows(samples);
  const int64_t rows = flat.dim[0], features = gt_tensor_features(&flat);
  int64_t outside = 0, seen = 0;
  for (int64_t r = 0; r < rows; r += gt_ceil_div(rows, MAX_ROWS))
    for (int64_t i = first; i < features; i += step, seen++) {
      const double v = scaled(scaling, i, (double)value_at(samples, r * features + i));
      outside += v < low || v > high;
    }
  return seen ? (double)outside / (double)seen : 0;
}

/* The number of levels below the value. */
static int levels_below(const double *level, int count, double value) {
  int low = 0;
  for (int high = count; low < high;) {
    const int middle = (low + high) / 2;
    if (level[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void gt_mark_separated(const gt_input *input, const gt_tensor *samples, const double *level, int count,
                       bool *used) {
  const gt_tensor rows = gt_tensor_as_rows(samples);
  const int64_t features = gt_tensor_features(&rows), values = rows.dim[0] * features;
  int left = count - 1;
  for (int64_t i = 0; i < values && left > 0; i++) {
    const double raw = (double)value_at(&rows, i);
    const bool is_one_hot = gt_table_is_one_hot(input->table, i % features);
    const int k = levels_below(level, count, is_one_hot ? raw : scaled(&input->scaling, i % features, raw));
    if (!k || k == count || used[k]) continue;
    used[k] = true;
    left--;
  }
}

typedef struct limits {  /* of a column */
  float low[3], high[3]; /* beyond: outside, far outside, in another unit */
  int64_t outside;       /* number of samples outside in this column */
} limits;

static void set_limits(limits *l, const gt_value_range *range, int64_t column) {
  const double low = (double)range->low[column], high = (double)range->high[column], width = high - low;
  const double rounding = 1e-6 * max_magnitude(range, column);
  const double distance[3] = {margin * width + rounding, far * width + rounding,
                              width > 0 ? unit_ratio * fmax(width, max_magnitude(range, column))
                                        : (double)INFINITY};
  for (int k = 0; k < 3; k++) {
    l->low[k] = (float)(low - distance[k]);
    l->high[k] = (float)(high + distance[k]);
  }
  l->outside = 0;
}

typedef struct tally {
  int64_t samples[4]; /* [k] number of samples beyond at least k limits, k from 1 */
} tally;

/* Number of limits that the value is beyond. */
static int limits_passed(const limits *l, float value) {
  int k = 0;
  while (k < 3 && (value < l->low[k] || value > l->high[k])) k++;
  return k;
}

static tally count_outside(const gt_tensor *samples, limits *column, int64_t columns) {
  const int64_t features = gt_tensor_features(samples);
  /* [columns] number of the last counted sample, from 1 */
  int64_t *last = gt_alloc((size_t)columns * sizeof *last);
  tally t = {{0}};
  for (int64_t s = 0; s < samples->dim[0]; s++) {
    int max = 0;
    for (int64_t i = 0; i < features; i++) {
      const int64_t c = i % columns;
      const int k = limits_passed(&column[c], value_at(samples, s * features + i));
      if (k && last[c] != s + 1) column[c].outside++, last[c] = s + 1;
      max = k > max ? k : max;
    }
    for (int k = 1; k <= max; k++) t.samples[k]++;
  }
  free(last);
  return t;
}

/* The number of samples that may be outside by chance: the mean plus three standard deviations. Of n + 1
 * samples from one distribution, the one that was not trained on has the smallest or largest value of a
 * column with probability 2 / (n + 1). fraction: of these samples to count, such as those far outside. */
static double most_outside_by_chance(const gt_value_range *trained, int64_t samples, double fraction) {
  const double mean =
      fraction * 2 * (double)samples * (double)trained->columns / (double)(trained->count + 1);
  return mean + 3 * sqrt(mean);
}

static bool must_warn(const gt_value_range *trained, const tally *t, const limits *column, int64_t samples) {
  const double chance = most_outside_by_chance(trained, samples, 1),
               chance_far = most_outside_by_chance(trained, samples, chance_far_part);
  int64_t shifted = 0; /* number of columns in which most samples are outside */
  for (int64_t c = 0; c < trained->columns; c++)
    shifted += (double)column[c].outside > shifted_part * (double)samples;
  return t->samples[3] || (double)t->samples[2] > chance_far ||
         ((double)t->samples[1] > chance && (double)t->samples[1] > many_samples * (double)samples) ||
         (shifted && 10 * shifted >= trained->columns); /* at least a tenth of the columns */
}

/* True if all values are tiny compared with the training samples, but not all are 0. */
static bool is_smaller_unit(const gt_value_range *trained, const gt_value_range *current) {
  double max = 0;
  for (int64_t c = 0; c < current->columns; c++) {
    if (max_magnitude(current, c) > max_magnitude(trained, c) / unit_ratio) return false;
    max = fmax(max, max_magnitude(current, c));
  }
  return max > 0;
}

static const char *name_of(const gt_input *input, int64_t column, int64_t columns, gt_arena *arena) {
  if (columns == 1) return "the value";
  if ((input->rank < 2 || input->window) && input->columns)
    return gt_arena_printf(arena, "'%s'", gt_escape_name(arena, input->columns[column]));
  return gt_arena_printf(arena, "%s %lld", input->rank < 2 ? "column" : "channel", (long long)column + 1);
}

static const char *interval(float low, float high, int digits, gt_arena *arena) {
  if (low == high) return gt_arena_printf(arena, "%.*g", digits, (double)low);
  return gt_arena_printf(arena, "%.*g to %.*g", digits, (double)low, digits, (double)high);
}

/* True if a is less than b, but both look the same with this number of digits. */
static bool look_equal(float a, float b, int digits) {
  char text[2][32];
  snprintf(text[0], sizeof text[0], "%.*g", digits, (double)a);
  snprintf(text[1], sizeof text[1], "%.*g", digits, (double)b);
  return a < b && !strcmp(text[0], text[1]);
}

/* The digits with which the range [low, high] of samples is seen to leave the range [known_low, known_high].
 */
static int digits_to_differ(float low, float high, float known_low, float known_high) {
  enum { FEW = 4, ALL = 9 /* of a float */ };
  int digits = FEW;
  while (digits < ALL && (look_equal(low, high, digits) || look_equal(known_low, known_high, digits) ||
                          look_equal(low, known_low, digits) || look_equal(known_high, high, digits) ||
                          look_equal(high, known_low, digits) || look_equal(known_high, low, digits)))
    digits++;
  return digits;
}

static const char *describe(const gt_input *input, const gt_value_range *current, int64_t column,
                            gt_arena *arena) {
  const float low = current->low[column], high = current->high[column];
  const float known_low = input->range.low[column], known_high = input->range.high[column];
  const int digits = digits_to_differ(low, high, known_low, known_high);
  return gt_arena_printf(arena, "%s is %s, trained on %s", name_of(input, column, current->columns, arena),
                         interval(low, high, digits, arena), interval(known_low, known_high, digits, arena));
}

/* Describes the columns with the most samples outside, at most MAX_NAMED. */
static const char *describe_all(const gt_input *input, const gt_value_range *current, limits *column,
                                gt_arena *arena) {
  const char *text = "";
  int64_t found = 0;
  for (int64_t c = 0; c < current->columns; c++) found += column[c].outside > 0;
  for (int64_t k = 0; k < found && k < MAX_NAMED; k++) {
    int64_t best = 0;
    for (int64_t c = 0; c < current->columns; c++)
      if (column[c].outside > column[best].outside) best = c;
    text = gt_arena_printf(arena, "%s%s%s", text, k ? "; " : "", describe(input, current, best, arena));
    column[best].outside = 0;
  }
  return found <= MAX_NAMED
             ? text
             : gt_arena_printf(arena, "%s; and %lld more columns", text, (long long)(found - MAX_NAMED));
}

/* The date column to which value `index` of a row belongs, and in *part which of its values that is
 * (gt_date_split); NULL: none. */
static const gt_column *date_of(const gt_input *input, int64_t index, int64_t *part) {
  const gt_table *table = input->table;
  for (int64_t c = 0, at = 0; table && c < table->count; at += gt_column_stored(&table->column[c++])) {
    *part = index - at;
    if (index >= at && index < at + gt_column_stored(&table->column[c]))
      return table->column[c].kind == GT_COLUMN_DATE ? &table->column[c] : NULL;
  }
  return NULL;
}

/* Later dates than in training are expected: new rows come after the known ones, as do the test rows of a
 * split in time. So years count only from one width of their range on, and then the month, which such rows
 * need not have had in training. In a series no date counts. */
static void allow_later_dates(const gt_input *input, const gt_value_range *current, limits *column) {
  enum { YEAR, MONTH_SIN, MONTH_COS };
  for (int64_t c = 0; c < current->columns; c++) {
    int64_t part;
    if (!date_of(input, c, &part)) continue;
    limits *l = &column[c];
    const limits *year = l - part;
    if (part == YEAR && !input->window) l->high[0] = l->high[1];
    const bool is_month = (part == MONTH_SIN || part == MONTH_COS) &&
                          current->low[c - part] >= year->low[0] && current->high[c - part] <= year->high[0];
    for (int k = 0; (input->window || is_month) && k < 3; k++) l->low[k] = -INFINITY, l->high[k] = INFINITY;
  }
}

static const char units_help[] =
    "give samples in the units of the training data; predictions far outside its range are unreliable";

/* What to do about samples outside, of which `column` has the numbers. */
static const char *help_of(const gt_input *input, const limits *column, int64_t columns, gt_arena *arena) {
  const char *last = NULL;
  gt_list dates = gt_list_open(arena, INT_MAX);
  for (int64_t c = 0, part; c < columns; c++) {
    const gt_column *date = column[c].outside ? date_of(input, c, &part) : NULL;
    if (column[c].outside && !date) return units_help;
    if (date && date->name != last) gt_list_add(&dates, "%s", gt_escape_name(arena, date->name));
    if (date) last = date->name;
  }
  return gt_arena_printf(
      arena,
      "check the dates; for rows so far from those of training, train again with newer rows, or "
      "without the column: data: {ignore: [%s]}",
      dates.text);
}

const char *gt_range_warning(const gt_input *input, const gt_tensor *samples, gt_arena *arena,
                             const char **help) {
  const gt_value_range *trained = &input->range, current = gt_tensor_range(samples, arena);
  const int64_t rows = samples->dim[0];
  bool any = false;
  if (!current.columns || current.columns != trained->columns) return NULL;
  *help = units_help;
  if (is_smaller_unit(trained, &current))
    return gt_arena_printf(arena, "all values are far smaller than in the training data: %s",
                           describe(input, &current, 0, arena));
  limits *column = GT_NEW_N(arena, limits, current.columns);
  for (int64_t c = 0; c < current.columns; c++) set_limits(&column[c], trained, c);
  allow_later_dates(input, &current, column);
  for (int64_t c = 0; c < current.columns; c++)
    any |= limits_passed(&column[c], current.low[c]) || limits_passed(&column[c], current.high[c]);
  if (!any) return NULL;
  const tally t = count_outside(samples, column, current.columns);
  if (!must_warn(trained, &t, column, rows)) return NULL;
  *help = help_of(input, column, current.columns, arena);
  const char *which =
      rows == 1 ? "the sample"
                : gt_arena_printf(arena, "%lld of %lld samples", (long long)t.samples[1], (long long)rows);
  return gt_arena_printf(arena, "%s %s outside the range of the training data: %s", which,
                         t.samples[1] == 1 ? "lies" : "lie", describe_all(input, &current, column, arena));
}
