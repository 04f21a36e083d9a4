#include "data/range.h"
#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/column.h"
#include "data/data.h"
#include <math.h>
#include <stdlib.h>

enum { MAX_COLUMNS = 4096, MAX_NAMED = 3, MAX_ROWS = 8192 /* looked at, evenly spread */ };

/* A value is outside by more than a margin around the trained range, and far outside by more than the range's
 * width. Such samples are reported if they are more than expected by chance (expected_most); a value in
 * another unit is always reported. It is one that is this many times larger or smaller. */
static const double margin = 0.1, far = 1, another_unit = 20, many_values = 0.5, many_samples = 0.05,
                    part_far = 0.1;

static int64_t columns_of(const gt_tensor *tensor) {
  if (tensor->element == GT_ELEMENT_I32 || !tensor->data || !tensor->dim[0]) return 0;
  if (tensor->rank == 3) return 1;
  const int64_t last = tensor->rank < 2 ? 1 : tensor->dim[tensor->rank - 1];
  return last <= MAX_COLUMNS ? last : 1;
}

static float value_at(const gt_tensor *tensor, int64_t i) {
  return tensor->element == GT_ELEMENT_U8 ? (float)((const uint8_t *)tensor->data)[i]
                                          : ((const float *)tensor->data)[i];
}

/* Number of neighboring values whose minimum and maximum are updated at once, a multiple of the columns: the
 * compiler vectorizes this. */
enum { TOGETHER = 256 };

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

gt_value_range gt_tensor_range(const gt_tensor *samples, gt_arena *arena) {
  const gt_tensor rows = gt_tensor_as_rows(samples), *tensor = &rows;
  const int64_t columns = columns_of(tensor), together = gt_ceil_div(TOGETHER, columns + !columns) * columns;
  if (!columns) return (gt_value_range){0};
  float *low = GT_NEW_N(arena, float, together), *high = GT_NEW_N(arena, float, together);
  const int64_t values = tensor->dim[0] * gt_tensor_features(tensor);
  for (int64_t c = 0; c < together; c++) low[c] = high[c] = value_at(tensor, c % columns);
  for (int64_t i = 0; i < values; i += together)
    if (tensor->element == GT_ELEMENT_U8)
      add_uint8_t((const uint8_t *)tensor->data + i, gt_least(together, values - i), low, high);
    else
      add_float((const float *)tensor->data + i, gt_least(together, values - i), low, high);
  for (int64_t c = columns; c < together; c++) {
    low[c % columns] = fminf(low[c % columns], low[c]);
    high[c % columns] = fmaxf(high[c % columns], high[c]);
  }
  return (gt_value_range){columns, low, high, tensor->dim[0], tensor->bits};
}

static double most_of(const gt_value_range *range, int64_t column) {
  return fmax(fabs((double)range->low[column]), fabs((double)range->high[column]));
}

static double scaled(const gt_scaling *scaling, int64_t feature, double value) {
  const int64_t n = scaling ? scaling->count : 0;
  if (!n) return value;
  const float *of_feature = scaling->values + feature % n;
  return (value - (double)of_feature[0]) * (double)of_feature[n] + (double)of_feature[2 * n];
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

typedef struct limits { /* of a column: not outside, not far outside, not in another unit */
  float low[3], high[3];
  int64_t outside; /* samples outside in this column */
} limits;

static void set_limits(limits *l, const gt_value_range *range, int64_t column) {
  const double low = (double)range->low[column], high = (double)range->high[column], width = high - low;
  const double least = 1e-6 * most_of(range, column);
  const double room[3] = {margin * width + least, far * width + least,
                          width > 0 ? another_unit * fmax(width, most_of(range, column)) : (double)INFINITY};
  for (int k = 0; k < 3; k++) {
    l->low[k] = (float)(low - room[k]);
    l->high[k] = (float)(high + room[k]);
  }
  l->outside = 0;
}

typedef struct tally { /* samples by how far outside they are: 1, 2 and 3 of the limits are passed */
  int64_t samples[4];
} tally;

static int passed(const limits *l, float value) {
  int k = 0;
  while (k < 3 && (value < l->low[k] || value > l->high[k])) k++;
  return k;
}

static tally count_outside(const gt_tensor *samples, limits *column, int64_t columns) {
  const int64_t features = gt_tensor_features(samples);
  int64_t *last = gt_alloc((size_t)columns * sizeof *last); /* sample counted last in a column, from 1 */
  tally t = {{0}};
  for (int64_t s = 0; s < samples->dim[0]; s++) {
    int most = 0;
    for (int64_t i = 0; i < features; i++) {
      const int64_t c = i % columns;
      const int k = passed(&column[c], value_at(samples, s * features + i));
      if (k && last[c] != s + 1) column[c].outside++, last[c] = s + 1;
      most = k > most ? k : most;
    }
    for (int k = 1; k <= most; k++) t.samples[k]++;
  }
  free(last);
  return t;
}

/* The number of samples that may be outside by chance. Of n + 1 samples from one distribution, the one that
 * was not trained on has the smallest or largest value of a column with probability 2 / (n + 1). part: the
 * fraction of these that may be far outside. */
static double expected_most(const gt_value_range *trained, int64_t samples, double part) {
  const double mean = part * 2 * (double)samples * (double)trained->columns / (double)(trained->count + 1);
  return mean + 3 * sqrt(mean);
}

static bool is_worth_a_word(const gt_value_range *trained, const tally *t, const limits *column,
                            int64_t samples) {
  const double most = expected_most(trained, samples, 1),
               most_far = expected_most(trained, samples, part_far);
  int64_t shifted = 0; /* columns of which most samples are outside */
  for (int64_t c = 0; c < trained->columns; c++)
    shifted += (double)column[c].outside > many_values * (double)samples;
  return t->samples[3] || (double)t->samples[2] > most_far ||
         ((double)t->samples[1] > most && (double)t->samples[1] > many_samples * (double)samples) ||
         (shifted && 10 * shifted >= trained->columns);
}

/* True if all values are tiny compared with the training samples, and not all of them are 0. */
static bool is_smaller_unit(const gt_value_range *trained, const gt_value_range *now) {
  double most = 0;
  for (int64_t c = 0; c < now->columns; c++) {
    if (most_of(now, c) > most_of(trained, c) / another_unit) return false;
    most = fmax(most, most_of(now, c));
  }
  return most > 0;
}

static const char *name_of(const gt_input *input, int64_t column, int64_t columns, gt_arena *arena) {
  if (columns == 1) return "";
  if ((input->rank < 2 || input->window) && input->columns)
    return gt_arena_printf(arena, " of '%s'", gt_quotable(arena, input->columns[column]));
  return gt_arena_printf(arena, " of %s %lld", input->rank < 2 ? "column" : "channel", (long long)column + 1);
}

static const char *interval(float low, float high, gt_arena *arena) {
  if (low == high) return gt_arena_printf(arena, "%.4g", (double)low);
  return gt_arena_printf(arena, "%.4g to %.4g", (double)low, (double)high);
}

static const char *describe(const gt_input *input, const gt_value_range *now, int64_t column,
                            gt_arena *arena) {
  const gt_value_range *trained = &input->range;
  const char *name = name_of(input, column, now->columns, arena);
  const char *known = interval(trained->low[column], trained->high[column], arena);
  if (now->low[column] == now->high[column])
    return gt_arena_printf(arena, "value%s is %.4g, trained on %s", name, (double)now->low[column], known);
  return gt_arena_printf(arena, "values%s from %s, trained on %s", name,
                         interval(now->low[column], now->high[column], arena), known);
}

/* The columns with most samples outside, up to MAX_NAMED. */
static const char *describe_all(const gt_input *input, const gt_value_range *now, limits *column,
                                gt_arena *arena) {
  const char *text = "";
  int64_t found = 0;
  for (int64_t c = 0; c < now->columns; c++) found += column[c].outside > 0;
  for (int64_t k = 0; k < found && k < MAX_NAMED; k++) {
    int64_t best = 0;
    for (int64_t c = 0; c < now->columns; c++)
      if (column[c].outside > column[best].outside) best = c;
    text = gt_arena_printf(arena, "%s%s%s", text, k ? "; " : "", describe(input, now, best, arena));
    column[best].outside = 0;
  }
  return found <= MAX_NAMED
             ? text
             : gt_arena_printf(arena, "%s; and %lld more columns", text, (long long)(found - MAX_NAMED));
}

/* True for a value of a date among the columns of a series, which goes on from where training ended. */
static bool goes_on(const gt_input *input, int64_t value) {
  const gt_table *table = input->window ? input->table : NULL;
  for (int64_t c = 0, at = 0; table && c < table->count; at += gt_column_stored(&table->column[c++]))
    if (value >= at && value < at + gt_column_stored(&table->column[c]))
      return table->column[c].kind == GT_COLUMN_DATE;
  return false;
}

const char *gt_range_warning(const gt_input *input, const gt_tensor *samples, gt_arena *arena) {
  const gt_value_range *trained = &input->range, now = gt_tensor_range(samples, arena);
  const int64_t rows = samples->dim[0];
  bool any = false;
  if (!now.columns || now.columns != trained->columns) return NULL;
  if (is_smaller_unit(trained, &now))
    return gt_arena_printf(arena, "all values are far smaller than in the training data: %s",
                           describe(input, &now, 0, arena));
  limits *column = GT_NEW_N(arena, limits, now.columns);
  for (int64_t c = 0; c < now.columns; c++) {
    set_limits(&column[c], trained, c);
    for (int k = 0; goes_on(input, c) && k < 3; k++)
      column[c].low[k] = -INFINITY, column[c].high[k] = INFINITY;
    any |= passed(&column[c], now.low[c]) || passed(&column[c], now.high[c]);
  }
  if (!any) return NULL;
  const tally t = count_outside(samples, column, now.columns);
  if (!is_worth_a_word(trained, &t, column, rows)) return NULL;
  const char *which =
      rows == 1 ? "the sample"
                : gt_arena_printf(arena, "%lld of %lld samples", (long long)t.samples[1], (long long)rows);
  return gt_arena_printf(arena, "%s %s outside the range of the training data: %s", which,
                         t.samples[1] == 1 ? "lies" : "lie", describe_all(input, &now, column, arena));
}
