/* Time series: the usual step between the times of a group, in their unit or in calendar months. */
#include "base/memory.h"
#include "data/date.h"
#include "data/series.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Times continue after the last row if so many of the steps are the usual one. */
static const double regular = 0.9;

static int by_step(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The most frequent of `count` steps; those that differ by rounding only count as one, their mean. rounding:
 * that of a difference of times. *share: of the steps. */
static double usual_of(double *step, int64_t count, double rounding, double *share) {
  double best = 0;
  int64_t most = 0;
  qsort(step, (size_t)count, sizeof *step, by_step);
  for (int64_t i = 0, end; i < count; i = end) {
    double sum = step[i];
    for (end = i + 1; end < count && step[end] <= step[i] * (1 + 1e-6) + rounding; end++) sum += step[end];
    if (end - i > most) most = end - i, best = sum / (double)most;
  }
  *share = count ? (double)most / (double)count : 0;
  return best;
}

/* The day on which all times are, each in a month of its own: 31 is the last of a month, as is any day that
 * the month does not have. 0: there is none, so steps are not calendar months. */
static int day_of_months(const double *time, int64_t rows) {
  gt_calendar_day first = gt_calendar_day_of(time[0]), before = {0};
  int day = 0;
  bool last = true;
  for (int64_t i = 0; i < rows; i++) {
    const gt_calendar_day d = gt_calendar_day_of(time[i]);
    if ((i && d.month <= before.month) || fabs(d.of_day - first.of_day) > 1e-6) return 0;
    if (d.day > day) day = d.day;
    last = last && d.day == d.days;
    before = d;
  }
  for (int64_t i = 0; i < rows; i++) {
    const gt_calendar_day d = gt_calendar_day_of(time[i]);
    if (d.day != (day < d.days ? day : d.days)) return 0;
  }
  return last ? 31 : day;
}

double gt_series_step(const gt_series_pace *pace, double from, double to) {
  return pace->day ? (double)(gt_calendar_day_of(to).month - gt_calendar_day_of(from).month) : to - from;
}

gt_series_pace gt_series_measure_pace(const double *time, int64_t rows, bool dates) {
  gt_series_pace pace = {0};
  double share;
  if (rows < 2) return pace;
  pace.day = dates ? day_of_months(time, rows) : 0;
  double *step = gt_alloc((size_t)rows * sizeof *step);
  for (int64_t i = 1; i < rows; i++) step[i - 1] = gt_series_step(&pace, time[i - 1], time[i]);
  const double rounding = 2 * DBL_EPSILON * fmax(fabs(time[0]), fabs(time[rows - 1]));
  pace.step = usual_of(step, rows - 1, pace.day ? 0 : rounding, &share);
  pace.regular = share >= regular;
  free(step);
  return pace;
}

bool gt_series_is_gap(const gt_series_pace *pace, double from, double to) {
  return gt_series_step(pace, from, to) > 1.5 * pace->step;
}

double gt_series_advance(const gt_series_pace *pace, double time, int64_t steps) {
  const double by = (double)steps * pace->step;
  if (!pace->day) return time + by;
  gt_calendar_day d = gt_calendar_day_of(time);
  d.month += (int64_t)by;
  d.day = pace->day;
  return gt_calendar_time(&d);
}
