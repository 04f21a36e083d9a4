/* Parses the dates of tables, and converts a date to the numbers that a network reads. A date is a number of
 * hours since 2000-01-01 00:00 in the proleptic Gregorian calendar, without time zones (an offset such as
 * +02:00 is applied, so times are in UTC if the file has offsets). A float of that many hours would round a
 * time of today to 56 seconds, so where values are floats, a date has two: its day and the second of the
 * day. */
#ifndef GT_DATA_DATE_H
#define GT_DATA_DATE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The orders of year, month and day in a text. A text may be a date in several of them. In each order a time
 * may follow (13:45, T13:45:00, 1:45 PM), and then Z or an offset (+02:00). */
enum {
  GT_DATE_YEAR_FIRST = 1, /* 2024-01-31, 2024/01/31; compact, without a time: 20240131, 2024-01 */
  GT_DATE_DAY_FIRST = 2,  /* 31/01/2024, 31.01.2024, 31-01-2024, 31 Jan 2024 */
  GT_DATE_MONTH_FIRST = 4 /* 01/31/2024, Jan 31 2024 */
};

extern const char *const gt_date_orders[]; /* their names, "year_first" …; ends with NULL */
/* The order of this name; NULL: 0. */
unsigned gt_date_order_of(const char *name);
/* The name of an order. */
const char *gt_date_order_name(unsigned order);

/* Returns all orders in which the text is a valid date; 0: it is no date. *out: the date in order `preferred`
 * if that is one of them, else in the first; out may be NULL. compact: accept also 20240131, and a month such
 * as 2024-01, which means its first day. */
unsigned gt_date_parse(const char *text, size_t length, unsigned preferred, bool compact, double *out);

/* The day of a date in the calendar. */
typedef struct gt_calendar_day {
  int64_t month;      /* since 2000-01 */
  int day, days;      /* day of the month, from 1; number of days in the month */
  double time_of_day; /* hours */
} gt_calendar_day;
gt_calendar_day gt_calendar_day_of(double hours);
/* The date as hours since 2000. If the month does not have the day, its last day is used. */
double gt_calendar_time(const gt_calendar_day *day);

enum {
  GT_DATE_VALUES = 2
}; /* numbers of floats that hold a date: the day since 2000, the second of the day */
/* Converts a date to these floats, rounded to milliseconds, and back: whole seconds are exact, fractions are
 * within 4 ms. NaN if the day is. */
void gt_date_to_values(double hours, float out[GT_DATE_VALUES]);
double gt_date_of_values(const float value[GT_DATE_VALUES]);

enum { GT_DATE_PARTS = 5, GT_DATE_PARTS_WITH_HOURS = 7 }; /* numbers of values of gt_date_split */
extern const char *const gt_date_part_names[GT_DATE_PARTS_WITH_HOURS];
/* Writes `parts` values: the year with its fraction (2024.5), then sine and cosine of the month, of the
 * weekday and (GT_DATE_PARTS_WITH_HOURS) of the hour in their cycles. */
void gt_date_split(double hours, int parts, float *out);
typedef enum gt_date_precision {
  GT_DATE_DAYS,        /* 2024-01-31 */
  GT_DATE_MINUTES,     /* 2024-01-31 13:45 */
  GT_DATE_SECONDS,     /* 2024-01-31 13:45:36 */
  GT_DATE_MILLISECONDS /* 2024-01-31 13:45:36.500 */
} gt_date_precision;
/* The lowest precision that represents all dates within 0.1 ms; at most milliseconds. */
gt_date_precision gt_date_precision_of(const double *hours, int64_t count);
/* Writes the date, rounded to the precision (for days: cut off) and returns `out`. */
const char *gt_date_text(double hours, gt_date_precision precision, char out[32]);
#endif
