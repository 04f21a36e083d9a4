/* Dates as tables contain them, and the numbers that a network reads instead of one. A date is a number of
 * hours since 2000-01-01 00:00 in the proleptic Gregorian calendar, without time zones (an offset such as
 * +02:00 is applied, so times are in UTC if the file has offsets). As a float, whole hours are exact, and
 * minutes are told apart for 29 years before and after. */
#ifndef GT_DATA_DATE_H
#define GT_DATA_DATE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The date orders that a text can have; if several fit, the intended one is unknown. */
enum {
  GT_DATE_YEAR_FIRST = 1, /* 2024-01-31, 2024/01/31, 20240131, with 13:45, T13:45:00, 1:45 PM, Z, +02:00 */
  GT_DATE_DAY_FIRST = 2,  /* 31/01/2024, 31.01.2024, 31-01-2024, 31 Jan 2024 */
  GT_DATE_MONTH_FIRST = 4 /* 01/31/2024, Jan 31 2024 */
};

/* The ways in which the text is a valid date; 0: it is none. out: if not NULL, the date as one of them:
 * `way` if that is among them, else the first. compact: eight digits are a date, and so is a
 * month, 2024-01, which is its first day. */
unsigned gt_date_parse(const char *text, size_t length, unsigned way, bool compact, double *out);

/* The day of a date in the calendar. */
typedef struct gt_calendar_day {
  int64_t month; /* since 2000-01 */
  int day, days; /* of the month, from 1; the month's days */
  double of_day; /* hours */
} gt_calendar_day;
gt_calendar_day gt_calendar_day_of(double hours);
/* The hours of month, day and of_day. A day that the month does not have is its last. */
double gt_calendar_time(const gt_calendar_day *day);

enum { GT_DATE_PARTS = 5, GT_DATE_PARTS_WITH_HOURS = 7 };
extern const char *const gt_date_part_names[GT_DATE_PARTS_WITH_HOURS];
/* Year with its fraction (2024.5), then month, weekday and hour as sine and cosine of their cycles. Writes
 * `parts` values. */
void gt_date_split(double hours, int parts, float *out);
typedef enum gt_date_precision {
  GT_DATE_DAYS,        /* 2024-01-31 */
  GT_DATE_MINUTES,     /* 2024-01-31 13:45 */
  GT_DATE_SECONDS,     /* 2024-01-31 13:45:36 */
  GT_DATE_MILLISECONDS /* 2024-01-31 13:45:36.500 */
} gt_date_precision;
/* The lowest precision that expresses all of these dates, up to 0.1 ms; at most milliseconds. */
gt_date_precision gt_date_precision_of(const double *hours, int64_t count);
/* The nearest date that the precision can express, of days the day; returns the buffer. */
const char *gt_date_text(double hours, gt_date_precision precision, char out[32]);
#endif
