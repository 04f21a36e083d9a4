#include "data/date.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const gt_date_orders[] = {"year_first", "day_first", "month_first", NULL};

unsigned gt_date_order_of(const char *name) {
  unsigned order = GT_DATE_YEAR_FIRST;
  for (int k = 0; name && strcmp(gt_date_orders[k], name); k++) order <<= 1;
  return name ? order : 0;
}

const char *gt_date_order_name(unsigned order) {
  return gt_date_orders[order == GT_DATE_YEAR_FIRST ? 0 : order == GT_DATE_DAY_FIRST ? 1 : 2];
}

enum { EPOCH = 10957 }; /* 2000-01-01 in days since 1970-01-01, as days_of counts */

typedef struct text_reader {
  const char *at, *end;
} text_reader;

typedef struct date_fields {
  int part[3];    /* the three numbers of a date, in the order of the text */
  int digits[3];  /* numbers of their digits; 0: the name of a month */
  char separator; /* between them */
} date_fields;

static bool read_char(text_reader *r, char c) {
  if (r->at == r->end || *r->at != c) return false;
  r->at++;
  return true;
}

/* Reads up to `most` digits; returns their number. */
static int read_digits(text_reader *r, int most, int *value) {
  int n = 0;
  for (*value = 0; n < most && r->at < r->end && *r->at >= '0' && *r->at <= '9'; n++)
    *value = 10 * *value + (*r->at++ - '0');
  return n;
}

/* Reads the English name of a month or its first three letters. Returns its number, 0: none. */
static int read_month(text_reader *r) {
  static const char *const names[] = {"January", "February", "March",     "April",   "May",      "June",
                                      "July",    "August",   "September", "October", "November", "December"};
  const size_t left = (size_t)(r->end - r->at);
  for (int m = 0; m < 12; m++) {
    const size_t full = strlen(names[m]),
                 length = left >= full && !strncasecmp(r->at, names[m], full) ? full : 3;
    if (left < length || strncasecmp(r->at, names[m], length) != 0) continue;
    r->at += length;
    return m + 1;
  }
  return 0;
}

static bool read_separator(text_reader *r, char *separator) {
  static const char separators[] = "-/. ";
  if (r->at == r->end || !strchr(separators, *r->at)) return false;
  *separator = *r->at++;
  while (*separator == ' ' && read_char(r, ' ')) continue;
  return true;
}

/* Reads three numbers or names of months with the same separator between them. After a month's name '.' or
 * ',' may follow, and after the day ',': in "Jan 3,2024" no separator needs to follow. */
static bool read_fields(text_reader *r, date_fields *f) {
  for (int i = 0; i < 3; i++) {
    char separator = f->separator;
    if (i && !read_separator(r, &separator) && !(i == 2 && f->separator == ' ')) return false;
    if (i == 1) f->separator = separator;
    if (i == 2 && separator != f->separator) return false;
    f->digits[i] = read_digits(r, 4, &f->part[i]);
    if (f->digits[i] == 0 && !(f->part[i] = read_month(r))) return false;
    if (i < 2 && f->digits[i] == 0) (void)(read_char(r, '.') || read_char(r, ',')); /* Jan. 3 */
    if (f->digits[i] && f->separator == ' ' && i == 1) read_char(r, ',');           /* Jan 3, 2024 */
  }
  return true;
}

/* Reads AM or PM after an hour from 1 to 12 and converts the hour to 0 to 23. True without a change if
 * neither follows. */
static bool read_half_day(text_reader *r, int *hour) {
  const char *before = r->at;
  while (read_char(r, ' ')) continue;
  const bool morning = r->end - r->at >= 2 && !strncasecmp(r->at, "AM", 2);
  if (!morning && (r->end - r->at < 2 || strncasecmp(r->at, "PM", 2) != 0)) {
    r->at = before;
    return true;
  }
  if (*hour < 1 || *hour > 12) return false;
  *hour = *hour % 12 + (morning ? 0 : 12);
  r->at += 2;
  return true;
}

/* Reads 13:45, 13:45:10, 13:45:10.5 or 1:45 PM, then Z or +02:00. An empty text means midnight. */
static bool read_time(text_reader *r, double *hours) {
  int hour = 0, minute = 0, second = 0, fraction = 0, digits = 0;
  *hours = 0;
  if (r->at == r->end) return true;
  if (!read_char(r, 'T') && !read_char(r, ' ')) return false;
  if (!read_digits(r, 2, &hour) || !read_char(r, ':') || read_digits(r, 2, &minute) != 2) return false;
  if (read_char(r, ':')) {
    if (read_digits(r, 2, &second) != 2) return false;
    if (read_char(r, '.') && !(digits = read_digits(r, 9, &fraction))) return false;
  }
  if (!read_half_day(r, &hour)) return false;
  if (hour > 24 || minute > 59 || second > 60 || (hour == 24 && (minute || second || fraction))) return false;
  *hours = hour + minute / 60.0 + (second + fraction / pow(10, digits)) / 3600;
  if (read_char(r, 'Z') || r->at == r->end) return r->at == r->end;
  const bool west = *r->at == '-';
  if (!read_char(r, '+') && !read_char(r, '-')) return false;
  if (read_digits(r, 2, &hour) != 2) return false;
  read_char(r, ':');
  if (read_digits(r, 2, &minute) == 1 || hour > 14 || minute > 59) return false;
  *hours += (west ? 1 : -1) * (hour + minute / 60.0);
  return r->at == r->end;
}

static int days_in(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[month - 1] + (month == 2 && leap);
}

/* Days since 1970-01-01. Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil. */
static int64_t days_of(int year, int month, int day) {
  const int64_t y = year - (month <= 2), era = (y >= 0 ? y : y - 399) / 400, year_of_era = y - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

/* The inverse of days_of: civil_from_days in the same document. */
static void date_of(int64_t days, int *year, int *month, int *day) {
  const int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, day_of_era = z - era * 146097;
  const int64_t y = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * y + y / 4 - y / 100), m = (5 * day_of_year + 2) / 153;
  *day = (int)(day_of_year - (153 * m + 2) / 5 + 1);
  *month = (int)(m < 10 ? m + 3 : m - 9);
  *year = (int)(y + era * 400 + (*month <= 2));
}

/* Days since 1970-01-01; false if there is no such date. */
static bool date_to_days(int year, int month, int day, double *days) {
  if (year < 1000 || year > 3800 || month < 1 || month > 12 || day < 1 || day > days_in(year, month))
    return false;
  *days = (double)days_of(year, month, day);
  return true;
}

/* The orders in which the three fields are a date; days[]: the date in each order. */
static unsigned orders_of(const date_fields *f, double days[3]) {
  const int *p = f->part, *n = f->digits;
  unsigned orders = 0;
  if (n[0] == 4 && n[1] <= 2 && n[2] <= 2 && n[2] && date_to_days(p[0], p[1], p[2], &days[0]))
    orders |= GT_DATE_YEAR_FIRST;
  if (n[2] != 4) return orders;
  const bool named_second = !n[1], named_first = !n[0];
  if (n[0] >= 1 && n[0] <= 2 && n[1] <= 2 && date_to_days(p[2], p[1], p[0], &days[1]))
    orders |= GT_DATE_DAY_FIRST;
  if (!named_second && (named_first || n[0] <= 2) && n[1] <= 2 && f->separator != '.' &&
      date_to_days(p[2], p[0], p[1], &days[2]))
    orders |= GT_DATE_MONTH_FIRST;
  return orders;
}

/* Parses 20240131, 2024-01 and 2024/01. */
static unsigned parse_compact(const char *text, size_t length, double *days) {
  text_reader r = {text, text + length};
  int year, month, day = 1;
  if (length != 7 && length != 8) return 0;
  bool ok = read_digits(&r, 4, &year) == 4;
  if (length == 7) ok = ok && (read_char(&r, '-') || read_char(&r, '/'));
  ok = ok && read_digits(&r, 2, &month) == 2 && (length == 7 || read_digits(&r, 2, &day) == 2);
  return ok && date_to_days(year, month, day, days) ? GT_DATE_YEAR_FIRST : 0;
}

unsigned gt_date_parse(const char *text, size_t length, unsigned preferred, bool compact, double *out) {
  text_reader r = {text, text + length};
  date_fields f = {0};
  double days[3] = {0}, hours = 0;
  unsigned orders;
  if (compact && (orders = parse_compact(text, length, days))) {
    if (out) *out = 24 * (days[0] - EPOCH);
    return orders;
  }
  if (length < 8 || length > 40) return 0;
  if (!read_fields(&r, &f) || !read_time(&r, &hours)) return 0;
  orders = orders_of(&f, days);
  if (!orders || !out) return orders;
  const unsigned chosen = orders & preferred ? orders & preferred : orders;
  const int i = chosen & GT_DATE_YEAR_FIRST ? 0 : chosen & GT_DATE_DAY_FIRST ? 1 : 2;
  *out = 24 * (days[i] - EPOCH) + hours;
  return orders;
}

gt_calendar_day gt_calendar_day_of(double hours) {
  const double whole = floor(hours / 24);
  int year, month, day;
  date_of((int64_t)whole + EPOCH, &year, &month, &day);
  return (gt_calendar_day){12 * (int64_t)(year - 2000) + month - 1, day, days_in(year, month),
                           hours - 24 * whole};
}

double gt_calendar_time(const gt_calendar_day *day) {
  const int64_t years = (day->month >= 0 ? day->month : day->month - 11) / 12;
  const int year = (int)(2000 + years), month = (int)(day->month - 12 * years) + 1,
            days = days_in(year, month);
  return 24 * (double)(days_of(year, month, day->day < days ? day->day : days) - EPOCH) + day->time_of_day;
}

void gt_date_to_values(double hours, float out[GT_DATE_VALUES]) {
  const double day = floor(hours / 24), second = round(3600000 * (hours - 24 * day)) / 1000;
  /* A date within half a millisecond of midnight belongs to the next day. */
  const bool is_next = second >= 86400;
  out[0] = (float)(day + is_next);
  out[1] = is_next ? 0 : (float)second;
}

double gt_date_of_values(const float value[GT_DATE_VALUES]) {
  return 24 * (double)value[0] + (double)value[1] / 3600;
}

const char *const gt_date_part_names[] = {"year",        "month sin", "month cos", "weekday sin",
                                          "weekday cos", "hour sin",  "hour cos"};

/* Writes the sine and cosine of a fraction of a cycle. */
static void write_cycle(double part, float *out) {
  out[0] = (float)sin(2 * M_PI * part);
  out[1] = (float)cos(2 * M_PI * part);
}

void gt_date_split(double hours, int parts, float *out) {
  const double day = EPOCH + floor(hours / 24), time_of_day = hours - 24 * floor(hours / 24);
  int year, month, day_of_month;
  date_of((int64_t)day, &year, &month, &day_of_month);
  const double first = (double)days_of(year, 1, 1), length = (double)days_of(year + 1, 1, 1) - first;
  out[0] = (float)(year + (day + time_of_day / 24 - first) / length);
  write_cycle((month - 1) / 12.0, out + 1);
  const int64_t weekday = ((int64_t)day + 3) % 7; /* 1970-01-01 was a Thursday */
  write_cycle((double)(weekday < 0 ? weekday + 7 : weekday) / 7, out + 3);
  if (parts > GT_DATE_PARTS) write_cycle(time_of_day / 24, out + 5);
}

enum { DAY = 86400000 }; /* milliseconds */
static const int64_t milliseconds[] = {
    [GT_DATE_DAYS] = DAY, [GT_DATE_MINUTES] = 60000, [GT_DATE_SECONDS] = 1000, [GT_DATE_MILLISECONDS] = 1};

/* The date in milliseconds since 2000, rounded to a multiple of `unit` milliseconds. */
static int64_t nearest(double hours, int64_t unit) {
  return (int64_t)floor(3600000 * hours / (double)unit + 0.5) * unit;
}

gt_date_precision gt_date_precision_of(const double *hours, int64_t count) {
  gt_date_precision p = GT_DATE_DAYS;
  for (int64_t i = 0; i < count; i++)
    while (p < GT_DATE_MILLISECONDS &&
           fabs((double)nearest(hours[i], milliseconds[p]) - 3600000 * hours[i]) > 0.1)
      p++;
  return p;
}

const char *gt_date_text(double hours, gt_date_precision precision, char out[32]) {
  const int64_t time = nearest(hours, precision == GT_DATE_DAYS ? milliseconds[GT_DATE_MINUTES]
                                                                : milliseconds[precision]),
                day = (time >= 0 ? time : time - DAY + 1) / DAY;
  const int time_of_day = (int)(time - day * DAY), second = time_of_day / 1000;
  int year, month, day_of_month;
  date_of(EPOCH + day, &year, &month, &day_of_month);
  int n = snprintf(out, 32, "%04d-%02d-%02d", year, month, day_of_month);
  if (precision >= GT_DATE_MINUTES)
    n += snprintf(out + n, 32 - (size_t)n, " %02d:%02d", second / 3600, second / 60 % 60);
  if (precision >= GT_DATE_SECONDS) n += snprintf(out + n, 32 - (size_t)n, ":%02d", second % 60);
  if (precision == GT_DATE_MILLISECONDS) snprintf(out + n, 32 - (size_t)n, ".%03d", time_of_day % 1000);
  return out;
}
