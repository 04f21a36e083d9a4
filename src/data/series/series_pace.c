/* Time series: the usual step between the times of a group, in their unit or in calendar months. */
#include "base/memory.h"
#include "base/order.h"
#include "data/date.h"
#include "data/series/series.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Steps are regular if this fraction of them is the usual one; then times after the last row can be
 * computed. */
static const double min_share = 0.9;

/* The most frequent of `count` steps; steps that differ only by rounding count as equal, and their mean is
 * returned. rounding: rounding error of a difference of times. *share: the fraction of steps that are equal
 * to it. */
static double most_frequent(double *step, int64_t count, double rounding, double *share) {
  double best = 0;
  int64_t most = 0;
  qsort(step, (size_t)count, sizeof *step, gt_order_doubles);
  for (int64_t i = 0, end; i < count; i = end) {
    double sum = step[i];
    for (end = i + 1; end < count && step[end] <= step[i] * (1 + 1e-6) + rounding; end++) sum += step[end];
    if (end - i > most) most = end - i, best = sum / (double)most;
  }
  *share = count ? (double)most / (double)count : 0;
  return best;
}

/* The day of the month on which all times are, if each is in another month. 31: always the last day of the
 * month; a month that does not have the day has its last day instead. 0: there is no such day, so steps are
 * not calendar months. */
static int day_of_months(const double *time, int64_t rows) {
  gt_calendar_day first = gt_calendar_day_of(time[0]), previous = {0};
  int day = 0;
  bool last = true;
  for (int64_t i = 0; i < rows; i++) {
    const gt_calendar_day d = gt_calendar_day_of(time[i]);
    if ((i && d.month <= previous.month) || fabs(d.time_of_day - first.time_of_day) > 1e-6) return 0;
    if (d.day > day) day = d.day;
    last = last && d.day == d.days;
    previous = d;
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
  pace.step = most_frequent(step, rows - 1, pace.day ? 0 : rounding, &share);
  pace.regular = share >= min_share;
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
