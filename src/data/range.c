#include "data/range.h"
#include "base/count.h"
#include "base/text.h"
#include "data/data.h"
#include <math.h>

enum { MOST_COLUMNS = 4096, MOST_NAMED = 3, MOST_ROWS = 8192 /* looked at, evenly spread */ };

/* Of the columns that hold samples elsewhere, a tenth is worth a word; of the values of a column, half. What
 * is so much larger is in another unit, however many zeros there are. */
static const double many_columns = 0.1, many_values = 0.5, margin = 0.1, other_unit = 20;

static int64_t columns_of(const gt_tensor *tensor) {
  if (tensor->element == GT_ELEMENT_I32 || !tensor->data || !tensor->dim[0]) return 0;
  if (tensor->rank == 3) return 1;
  const int64_t last = tensor->rank < 2 ? 1 : tensor->dim[tensor->rank - 1];
  return last <= MOST_COLUMNS ? last : 1;
}

static float value_at(const gt_tensor *tensor, int64_t i) {
  return tensor->element == GT_ELEMENT_U8 ? (float)((const uint8_t *)tensor->data)[i]
                                          : ((const float *)tensor->data)[i];
}

/* Lows and highs of so many neighbours at once, a whole number of columns: the compiler makes vectors of
 * that. */
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

gt_value_range gt_tensor_range(const gt_tensor *tensor, gt_arena *arena) {
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
  const int64_t rows = samples->dim[0], features = gt_tensor_features(samples);
  int64_t outside = 0, seen = 0;
  for (int64_t r = 0; r < rows; r += gt_ceil_div(rows, MOST_ROWS))
    for (int64_t i = first; i < features; i += step, seen++) {
      const double v = scaled(scaling, i, (double)value_at(samples, r * features + i));
      outside += v < low || v > high;
    }
  return seen ? (double)outside / (double)seen : 0;
}

/* Of a column's values, outside its trained range and a margin around it. */
static double share_elsewhere(const gt_value_range *range, const gt_tensor *samples, int64_t column) {
  const double low = (double)range->low[column], high = (double)range->high[column];
  const double room = margin * (high - low) + 1e-6 * most_of(range, column);
  return gt_share_outside(samples, NULL, column, range->columns, low - room, high + room);
}

static bool is_elsewhere(const gt_value_range *trained, const gt_value_range *now, const gt_tensor *samples,
                         int64_t column) {
  const double share = share_elsewhere(trained, samples, column);
  return share > many_values ||
         (share > 0.01 && most_of(now, column) > other_unit * most_of(trained, column) && trained->count > 1);
}

/* True if all values are tiny beside those of the training, and not all of them are 0. */
static bool is_smaller_unit(const gt_value_range *trained, const gt_value_range *now) {
  double most = 0;
  for (int64_t c = 0; c < now->columns; c++) {
    if (most_of(now, c) > most_of(trained, c) / other_unit) return false;
    most = fmax(most, most_of(now, c));
  }
  return most > 0;
}

static const char *name_of(const gt_input *input, int64_t column, int64_t columns, gt_arena *arena) {
  if (columns == 1) return "";
  if (input->rank < 2 && input->columns)
    return gt_arena_printf(arena, " of '%s'", gt_quotable(arena, input->columns[column]));
  return gt_arena_printf(arena, " of %s %lld", input->rank < 2 ? "column" : "channel", (long long)column + 1);
}

static const char *describe(const gt_input *input, const gt_value_range *now, int64_t column,
                            gt_arena *arena) {
  const gt_value_range *trained = &input->range;
  return gt_arena_printf(arena, "values%s from %.4g to %.4g, trained on %.4g to %.4g",
                         name_of(input, column, now->columns, arena), (double)now->low[column],
                         (double)now->high[column], (double)trained->low[column],
                         (double)trained->high[column]);
}

const char *gt_range_warning(const gt_input *input, const gt_tensor *samples, gt_arena *arena) {
  const gt_value_range *trained = &input->range, now = gt_tensor_range(samples, arena);
  const char *text = "";
  int64_t found = 0;
  if (!now.columns || now.columns != trained->columns) return NULL;
  for (int64_t c = 0; c < now.columns; c++)
    if (is_elsewhere(trained, &now, samples, c) && found++ < MOST_NAMED)
      text = gt_arena_printf(arena, "%s%s%s", text, *text ? "; " : "", describe(input, &now, c, arena));
  if (found && (double)found >= many_columns * (double)now.columns)
    return found <= MOST_NAMED
               ? text
               : gt_arena_printf(arena, "%s; and %lld more columns", text, (long long)(found - MOST_NAMED));
  return is_smaller_unit(trained, &now) ? describe(input, &now, 0, arena) : NULL;
}
