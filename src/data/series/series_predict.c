/* Time series: makes the inputs of a prediction: the last window of each group and, if the model has the
 * input `future`, the rows after it. */
#include "base/count.h"
#include "base/log.h"
#include "base/memory.h"
#include "data/date.h"
#include "data/series/series.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct forecasting {
  const gt_data_signature *model;
  const gt_series_rows *rows;
  gt_data_series o;     /* settings, with window and horizon of the model */
  int64_t count, ahead; /* rows of the file; rows after the window */
  /* Groups with values of the target in all rows after the window; in at least one of them. */
  int64_t all_known, known;
  const char *first_known; /* name of the first group that `known` counts; NULL: none, or no names */
  int64_t *order;          /* [count] rows sorted by group */
  int64_t *first;          /* [groups + 1] index of the first row of each group in `order` */
  gt_split *out;           /* the rows of each input, and finally its windows */
  gt_forecast_rows *to;    /* receives groups and times */
  gt_arena *arena;
} forecasting;

static bool is_future(const forecasting *f, int k) { return gt_series_is_ahead(&f->model->input[k]); }

/* Row i of a group. */
static int64_t row_of(const forecasting *f, int group, int64_t i) { return f->order[f->first[group] + i]; }

static int64_t rows_of(const forecasting *f, int group) { return f->first[group + 1] - f->first[group]; }

/* --- why a group has no forecast --- */

typedef struct reason {
  int64_t row;      /* the row with the problem; -1: no single row */
  const char *text; /* NULL: there is no problem */
} reason;

static double *times_of(const forecasting *f, int group) {
  const int64_t rows = rows_of(f, group);
  double *time = gt_alloc((size_t)rows * sizeof *time + 1);
  for (int64_t i = 0; i < rows; i++) time[i] = f->rows->time[row_of(f, group, i)];
  return time;
}

/* The index, in the group, of the row after a gap in the last `used` rows; 0: no gap. */
static int64_t find_gap(const forecasting *f, int group, int64_t used) {
  const int64_t rows = rows_of(f, group);
  int64_t found = 0;
  if (!f->rows->time || !strcmp(f->o.gaps, "ignore")) return 0;
  double *time = times_of(f, group);
  const gt_series_pace pace = gt_series_measure_pace(time, rows, f->rows->dates);
  for (int64_t i = rows - used + 1; i < rows && !found; i++)
    if (gt_series_is_gap(&pace, time[i - 1], time[i])) found = i;
  free(time);
  return found;
}

static reason check_group(const forecasting *f, int group, gt_arena *arena) {
  const int64_t rows = rows_of(f, group), used = f->o.window + f->ahead;
  if (rows < used && f->ahead)
    return (reason){-1,
                    gt_arena_printf(arena,
                                    "expected at least %" PRId64 " rows, a window of %" PRId64 " and %" PRId64
                                    " ahead with the columns of 'future', but found %" PRId64,
                                    used, f->o.window, f->ahead, rows)};
  if (rows < used)
    return (reason){
        -1, gt_arena_printf(arena, "expected at least the %" PRId64 " rows of a window, but found %" PRId64,
                            used, rows)};
  const int64_t gap = find_gap(f, group, used);
  if (gap)
    return (reason){row_of(f, group, gap), "there is a gap in time before this line, inside the last window"};
  for (int64_t i = rows - used; i < rows && f->rows->lacks; i++) {
    const gt_series_lack *lack = &f->rows->lacks[row_of(f, group, i)];
    const char *column = i < rows - f->ahead ? lack->past : lack->ahead;
    if (column)
      return (reason){row_of(f, group, i), gt_arena_printf(arena, "'%s' is missing in this line, %s", column,
                                                           i < rows - f->ahead ? "inside the last window"
                                                                               : "one of the rows ahead")};
  }
  return (reason){0, NULL};
}

/* The position of the reason for messages: "weather.csv:12:1". */
static const char *location_of(const forecasting *f, const reason *why, gt_arena *arena) {
  return why->row >= 0 && f->rows->line
             ? gt_arena_printf(arena, "%s:%u:1", f->rows->path, f->rows->line[why->row])
             : f->rows->path;
}

/* --- the forecasts' rows --- */

/* The time with enough digits to distinguish neighboring rows; whole numbers without an exponent. */
static const char *number_text(double time, double step, gt_arena *arena) {
  enum { MIN_DIGITS = 10, MAX_DIGITS = 17 };
  char text[32];
  int digits = MIN_DIGITS;
  while (digits < MAX_DIGITS && fabs(time) >= pow(10, digits)) digits++;
  for (bool close = false; !close && digits <= MAX_DIGITS; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, time);
    close = fabs(strtod(text, NULL) - time) <= step / 1000;
  }
  return gt_arena_strdup(arena, text);
}

static const char *time_text(const forecasting *f, double time, gt_date_precision precision, double step,
                             gt_arena *arena) {
  char text[32];
  if (f->rows->months)
    return gt_arena_strndup(arena, gt_date_text(time, GT_DATE_DAYS, text), strlen("2024-01"));
  if (f->rows->dates) return gt_arena_strdup(arena, gt_date_text(time, precision, text));
  return number_text(time, step, arena);
}

/* Writes the times of the predicted rows: those in the file, or if there are none, usual steps after the last
 * row; "" if the times are irregular, such as trading days. */
static void write_times(const forecasting *f, int group, const char **to) {
  const int64_t rows = rows_of(f, group);
  gt_arena *arena = f->arena;
  double *time = times_of(f, group);
  const gt_date_precision precision = f->rows->dates ? gt_date_precision_of(time, rows) : GT_DATE_DAYS;
  const gt_series_pace pace = gt_series_measure_pace(time, rows, f->rows->dates);
  for (int64_t k = 0; k < f->o.horizon; k++) {
    const double at = f->ahead ? time[rows - f->ahead + k] : gt_series_advance(&pace, time[rows - 1], k + 1);
    to[k] = f->ahead || pace.regular ? time_text(f, at, precision, pace.step, arena) : "";
  }
  free(time);
}

/* Copies the rows of a group that input k reads to its window. */
static void copy_rows(const forecasting *f, int group, gt_tensor *window, const gt_tensor *from, int k) {
  const int64_t rows = rows_of(f, group), count = f->model->input[k].dim[0],
                begin = is_future(f, k) ? rows - count : rows - f->ahead - count;
  const size_t size = (size_t)gt_tensor_features(from) * gt_element_size(from->element);
  uint8_t *to = (uint8_t *)window->data + (size_t)(f->to->series * count) * size;
  for (int64_t i = 0; i < count; i++)
    memcpy(to + (size_t)i * size, (const uint8_t *)from->data + (size_t)row_of(f, group, begin + i) * size,
           size);
}

static bool alloc_windows(const forecasting *f, gt_tensor *window, gt_error *error) {
  bool ok = true;
  for (int k = 0; k < f->model->inputs && ok; k++) {
    const gt_tensor *from = gt_split_input(f->out, k);
    window[k] = (gt_tensor){.element = from->element,
                            .rank = 3,
                            .dim = {f->rows->groups, f->model->input[k].dim[0], gt_tensor_features(from)}};
    ok = gt_tensor_alloc(&window[k], "the windows", error);
  }
  return ok;
}

/* --- predicted rows whose target is known --- */

static void count_known(forecasting *f, int group) {
  int64_t known = 0;
  for (int64_t i = rows_of(f, group) - f->ahead; i < rows_of(f, group) && f->rows->has_target; i++)
    known += f->rows->has_target[row_of(f, group, i)];
  f->all_known += f->ahead && known == f->ahead;
  f->known += known > 0;
  if (known && !f->first_known && f->rows->name) f->first_known = f->rows->name[group];
}

/* Logs that predicted rows are already known: the user may have forgotten to append future rows. */
static void log_known(const forecasting *f) {
  if (!f->known) return;
  const bool all = f->all_known == f->to->series, named = !all && f->first_known;
  gt_info(
      "%s: %s rows to be forecast, the last %" PRId64
      "%s, already have values of '%s'%s%s%s; append rows with the columns of 'future' to forecast beyond the end",
      f->rows->path, all ? "the" : "some", f->ahead, f->rows->name ? " of each group" : "", f->rows->target,
      named ? " (first in '" : "", named ? f->first_known : "", named ? "')" : "");
}

static bool make_windows(forecasting *f, gt_tensor *window, gt_error *error) {
  gt_arena *arena = f->arena;
  const char **names = GT_NEW_N(arena, const char *, f->rows->groups),
             **times = GT_NEW_N(arena, const char *, f->rows->groups * f->o.horizon);
  for (int g = 0; g < f->rows->groups; g++) {
    const reason why = check_group(f, g, arena);
    if (why.text && f->rows->groups == 1)
      return gt_fail(error, GT_ERR_DATA, "%s: cannot forecast: %s", location_of(f, &why, arena), why.text);
    if (why.text) {
      gt_warn("%s: cannot forecast '%s': %s", location_of(f, &why, arena), f->rows->name[g], why.text);
      f->to->missing++;
      continue;
    }
    for (int k = 0; k < f->model->inputs; k++) copy_rows(f, g, &window[k], gt_split_input(f->out, k), k);
    names[f->to->series] = f->rows->name ? f->rows->name[g] : NULL;
    if (f->rows->time) write_times(f, g, times + f->to->series * f->o.horizon);
    count_known(f, g);
    f->to->series++;
  }
  f->to->group = f->rows->name ? names : NULL;
  f->to->time = f->rows->time ? times : NULL;
  f->to->horizon = f->o.horizon;
  log_known(f);
  return f->to->series || gt_fail(error, GT_ERR_DATA, "%s: no group has a window of rows", f->rows->path);
}

/* Sorts the rows by group; without groups, all rows are one group. first[] is filled two places ahead: group
 * g counts in first[g + 2], and when first[g + 1] has advanced over its rows, it is the beginning of the next
 * group. */
static void find_groups(forecasting *f) {
  const gt_series_rows *rows = f->rows;
  f->order = gt_alloc((size_t)f->count * sizeof *f->order + 1);
  f->first = gt_alloc(((size_t)rows->groups + 2) * sizeof *f->first);
  for (int64_t i = 0; i < f->count; i++) f->first[(rows->group ? rows->group[i] : 0) + 2]++;
  for (int g = 0; g < rows->groups; g++) f->first[g + 2] += f->first[g + 1];
  for (int64_t i = 0; i < f->count; i++) f->order[f->first[(rows->group ? rows->group[i] : 0) + 1]++] = i;
}

bool gt_series_make_last_windows(const gt_input_reader *reader, const gt_series_rows *rows) {
  const gt_data_signature *model = reader->signature;
  gt_split *out = reader->out;
  forecasting f = {.model = model,
                   .rows = rows,
                   .o = gt_data_series_options(model->data),
                   .count = gt_split_input(out, 0)->dim[0],
                   .out = out,
                   .to = &reader->rows->forecast,
                   .arena = reader->rows->arena};
  gt_tensor window[GT_DATA_MAX_INPUTS] = {0};
  for (int k = 0; k < model->inputs; k++)
    if (is_future(&f, k))
      f.o.horizon = f.ahead = model->input[k].dim[0];
    else
      f.o.window = model->input[k].dim[0];
  find_groups(&f);
  const bool ok = alloc_windows(&f, window, reader->error) && make_windows(&f, window, reader->error);
  for (int k = 0; k < model->inputs; k++) {
    window[k].dim[0] = f.to->series;
    gt_tensor *input = gt_split_edit(out, GT_SAMPLE_INPUT, k);
    gt_tensor_finish(ok ? input : &window[k]);
    if (ok) *input = window[k];
  }
  free(f.order);
  free(f.first);
  return ok;
}
