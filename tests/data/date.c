/* Dates in tables: the notations that are read, and the features that a network gets. */
#include "data/date.h"
#include "data/column.h"
#include "data_support.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

enum { Y = GT_DATE_YEAR_FIRST, D = GT_DATE_DAY_FIRST, M = GT_DATE_MONTH_FIRST };

typedef struct form {
  const char *text;
  unsigned orders; /* a set of Y, D and M; 0: not a date */
  double value;    /* for dates: days since 1970, read in the first of the orders; for times: hours since
                      midnight */
} form;

static const double day = 24;                       /* hours */
static const double epoch = 10957;                  /* days from 1970 to 2000 */
static const double jan31 = 24.0 * (19753 - 10957); /* 2024-01-31, in hours since 2000 */

static const form forms[] = {
    {"2024-01-31", Y, 19753},
    {"2024/01/31", Y, 19753},
    {"2024.01.31", Y, 19753},
    {"2024-1-31", Y, 19753},
    {"2024-Jan-31", Y, 19753},
    {"1970-01-01", Y, 0},
    {"1969-12-31", Y, -1},
    {"31/01/2024", D, 19753},
    {"31.01.2024", D, 19753},
    {"31-01-2024", D, 19753},
    {"31.1.2024", D, 19753},
    {"31 Jan 2024", D, 19753},
    {"31 January 2024", D, 19753},
    {"31-jan-2024", D, 19753},
    {"01/31/2024", M, 19753},
    {"Jan 31 2024", M, 19753},
    {"January 31, 2024", M, 19753},
    {"Jan. 31, 2024", M, 19753},
    {"03/04/2024", D | M, 19816},
    {"03.04.2024", D, 19816},
    {"4/4/2024", D | M, 19817},
    /* days that do not exist */
    {"2024-02-30", 0, 0},
    {"2023-02-29", 0, 0},
    {"2024-02-29", Y, 19782},
    {"2000-02-29", Y, 11016},
    {"1900-02-29", 0, 0},
    {"2024-00-10", 0, 0},
    {"2024-13-01", 0, 0},
    {"2024-01-00", 0, 0},
    {"31/04/2024", 0, 0},
    {"29/02/2023", 0, 0},
    {"13/13/2024", 0, 0},
    {"0999-01-01", 0, 0},
    {"4000-01-01", 0, 0},
    /* other texts */
    {"", 0, 0},
    {"2024", 0, 0},
    {"2024-01", 0, 0},
    {"12:30", 0, 0},
    {"1.2.3", 0, 0},
    {"192.168.1.10", 0, 0},
    {"01/02/24", 0, 0},
    {"2024-01/31", 0, 0},
    {"2024-01-31x", 0, 0},
    {"2024--01-31", 0, 0},
    {"20240131", 0, 0},
    {"Monday 2024", 0, 0},
    {"Jan Jan 2024", 0, 0},
    {"2024-01-31 ", 0, 0},
    {"555-1234-99", 0, 0},
};

static void forms_are_read(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    double hours = -12345;
    const unsigned orders = gt_date_parse(forms[i].text, strlen(forms[i].text), 0, false, &hours);
    if (orders != forms[i].orders) fail_msg("'%s': orders %u", forms[i].text, orders);
    if (orders && fabs(hours - day * (forms[i].value - epoch)) > 1e-9)
      fail_msg("'%s': %g hours", forms[i].text, hours);
  }
  double hours;
  assert_int_equal(gt_date_parse("20240131", 8, 0, true, &hours), Y);
  assert_true(fabs(hours - jan31) < 1e-9);
  assert_int_equal(gt_date_parse("20240231", 8, 0, true, &hours), 0);
  assert_int_equal(gt_date_parse("2024-02", 7, 0, true, &hours), Y);
  assert_true(fabs(hours - jan31 - day) < 1e-9);
  assert_int_equal(gt_date_parse("2024/02", 7, 0, true, NULL), Y);
  assert_int_equal(gt_date_parse("2024-13", 7, 0, true, NULL), 0);
  assert_int_equal(gt_date_parse("2024.02", 7, 0, true, NULL), 0);
  assert_int_equal(gt_date_parse("03/04/2024", 10, M, false, &hours), D | M);
  assert_true(fabs(hours - day * (19786 - epoch)) < 1e-9); /* March 4 */
}

static const form times[] = {
    {"2024-01-31 13:45", Y, 13.75},
    {"2024-01-31T13:45:36", Y, 13.76},
    {"01/31/2024 1:45 PM", M, 13.75},
    {"1/31/2024 01:45:36pm", M, 13.76},
    {"01/31/2024 12:45 AM", M, 0.75},
    {"01/31/2024 12:45 PM", M, 12.75},
    {"01/31/2024 13:45 PM", 0, 0},
    {"01/31/2024 0:45 AM", 0, 0},
    {"01/31/2024 1:45 P", 0, 0},
    {"2024-01-31T00:00:00Z", Y, 0},
    {"2024-01-31T13:45:00.123456", Y, 13.75 + 0.123456 / 3600},
    {"2024-01-31 24:00", Y, 24},
    {"2024-01-31T13:45+02:00", Y, 11.75},
    {"2024-01-31T13:45-0230", Y, 16.25},
    {"2024-01-31T01:00+05", Y, -4},
    {"31/01/2024 7:05", D, 7 + 5 / 60.0},
    {"2024-01-31 25:00", 0, 0},
    {"2024-01-31 13:60", 0, 0},
    {"2024-01-31 13", 0, 0},
    {"2024-01-31 13:4", 0, 0},
    {"2024-01-31T", 0, 0},
    {"2024-01-31T13:45+", 0, 0},
    {"2024-01-31T13:45+2", 0, 0},
    {"2024-01-31T13:45+02:0", 0, 0},
    {"2024-01-31T13:45+15:00", 0, 0},
    {"2024-01-31T13:45ZZ", 0, 0},
    {"2024-01-31 24:30", 0, 0},
    {"2024-01-31 13:45:61", 0, 0},
    {"2024-01-31 13:45:10.", 0, 0},
    {"2024-01-31 13:45.5", 0, 0},
    {"2024-01-31 24:00:00.1", 0, 0},
};

static void times_are_read(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    double hours = 0;
    const unsigned orders = gt_date_parse(times[i].text, strlen(times[i].text), 0, false, &hours);
    if (orders != times[i].orders) fail_msg("'%s': orders %u", times[i].text, orders);
    if (orders && fabs(hours - jan31 - times[i].value) > 1e-9)
      fail_msg("'%s': %g", times[i].text, hours - jan31);
  }
}

/* Adding months keeps the time of day, and the day of the month if it exists. */
static void months_are_added(void **state) {
  (void)state;
  static const struct {
    const char *from;
    int64_t months;
    int day;
    const char *to;
  } steps[] = {
      {"2024-01-31", 1, 31, "2024-02-29"},  {"2023-01-31", 1, 31, "2023-02-28"},
      {"2024-02-29", 1, 31, "2024-03-31"},  {"2023-11-30", 3, 30, "2024-02-29"},
      {"2023-10-15", 3, 15, "2024-01-15"},  {"1999-12-01", 1, 1, "2000-01-01"},
      {"1996-02-29", 12, 31, "1997-02-28"}, {"1900-01-01", -1, 1, "1899-12-01"},
  };
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    double hours;
    char text[32];
    assert_int_equal(gt_date_parse(steps[i].from, 10, 0, false, &hours), Y);
    gt_calendar_day d = gt_calendar_day_of(hours + 7.5);
    d.month += steps[i].months;
    d.day = steps[i].day;
    const double to = gt_calendar_time(&d);
    assert_string_equal(gt_date_text(to, GT_DATE_DAYS, text), steps[i].to);
    assert_true(fabs(to - 24 * floor(to / 24) - 7.5) < 1e-9);
  }
}

/* No byte beyond the end of a text is read. */
static void texts_may_end_anywhere(void **state) {
  (void)state;
  static const char *const complete[] = {"2024-01-31T13:45:36.5+02:00", "September 30, 2024 13:45",
                                         "31.12.2024 7:05"};
  char text[64];
  for (size_t w = 0; w < sizeof complete / sizeof *complete; w++)
    for (size_t length = 0; length <= strlen(complete[w]); length++) {
      memset(text, '9', sizeof text); /* a read past the end would find more digits */
      memcpy(text, complete[w], length);
      double before_nines = 0, before_zero = 0; /* hours */
      const unsigned orders = gt_date_parse(text, length, 0, true, &before_nines);
      text[length] = 0;
      assert_int_equal(orders, gt_date_parse(text, length, 0, true, &before_zero));
      assert_true(before_nines == before_zero);
    }
}

/* Compares every day of the years 1800 to 2199 with the C library. */
static void days_are_split(void **state) {
  (void)state;
  for (int64_t n = -62091; n < 84006; n++) {
    const time_t at = (time_t)n * 86400;
    struct tm tm;
    char text[16];
    double hours;
    float part[GT_DATE_PARTS_WITH_HOURS];
    assert_non_null(gmtime_r(&at, &tm));
    const int length =
        snprintf(text, sizeof text, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
    assert_int_equal(gt_date_parse(text, (size_t)length, 0, false, &hours), Y);
    assert_true(fabs(hours - 24.0 * ((double)n - epoch)) < 1e-9);
    gt_date_split(hours, GT_DATE_PARTS_WITH_HOURS, part);
    const int year = tm.tm_year + 1900, leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    const double weekday = (tm.tm_wday + 6) % 7; /* from Monday */
    const double expected[] = {year + tm.tm_yday / (365.0 + leap),
                               sin(2 * M_PI * tm.tm_mon / 12),
                               cos(2 * M_PI * tm.tm_mon / 12),
                               sin(2 * M_PI * weekday / 7),
                               cos(2 * M_PI * weekday / 7),
                               0,
                               1};
    /* As a float, a year from 2048 on is rounded by up to 1.22e-4. */
    for (int p = 0; p < GT_DATE_PARTS_WITH_HOURS; p++)
      if (fabs((double)part[p] - expected[p]) > (p ? 1e-6 : 1.3e-4))
        fail_msg("%s: part %d is %g", text, p, (double)part[p]);
  }
}

static void hours_are_a_cycle(void **state) {
  (void)state;
  for (int h = 0; h < 24; h++) {
    float part[GT_DATE_PARTS_WITH_HOURS];
    gt_date_split(-240.0 + h, GT_DATE_PARTS_WITH_HOURS, part);
    assert_true(fabs((double)part[5] - sin(2 * M_PI * h / 24)) < 1e-6);
    assert_true(fabs((double)part[6] - cos(2 * M_PI * h / 24)) < 1e-6);
    assert_true(fabsf(part[0] - 1999.9726f) < 0.01f);
  }
}

/* As two floats, every second of a day is exact, also of a day that is centuries away. */
static void seconds_are_exact(void **state) {
  static const char *const days[] = {"1000-01-01", "1999-12-31", "2024-02-29", "3800-12-31"};
  (void)state;
  for (int d = 0; d < 4; d++)
    for (int second = 0; second < 86400; second++) {
      char text[32];
      double hours, midnight;
      float value[GT_DATE_VALUES];
      assert_int_equal(gt_date_parse(days[d], 10, 0, false, &midnight), Y);
      snprintf(text, sizeof text, "%s %02d:%02d:%02d", days[d], second / 3600, second / 60 % 60, second % 60);
      assert_int_equal(gt_date_parse(text, 19, 0, false, &hours), Y);
      gt_date_to_values(hours, value);
      if (24 * (double)value[0] != midnight || value[1] != (float)second)
        fail_msg("%s: day %g, second %g", text, (double)value[0], (double)value[1]);
      assert_true(fabs(gt_date_of_values(value) - hours) < 1e-9);
    }
}

static void fractions_of_a_second_are_near(void **state) {
  static const struct {
    const char *text;
    double day, second;
  } fractions[] = {
      {"2000-01-01 00:00:00.001", 0, 0.001},
      {"2000-01-02 23:59:59.999", 1, 86399.999},
      {"1999-12-31 23:59:59.5", -1, 86399.5},
      {"2000-01-01 23:59:59.9999", 1, 0}, /* rounded to milliseconds, it is the next day */
  };
  (void)state;
  for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
    double hours;
    float value[GT_DATE_VALUES];
    assert_int_equal(gt_date_parse(fractions[i].text, strlen(fractions[i].text), 0, false, &hours), Y);
    gt_date_to_values(hours, value);
    assert_true((double)value[0] == fractions[i].day && fabs((double)value[1] - fractions[i].second) < 0.004);
  }
}

/* Dates with times are read to the second: 23:59:40 belongs to its own day. The columns beside a date, and a
 * second input that reads it, keep their own values; a missing date becomes the median. */
static void times_are_exact(void **state) {
  (void)state;
  static const float dates[][GT_DATE_VALUES] = {{0, 86380}, {1, 0}, {1, 1}, {1, 0}}; /* from 2000-01-01 on */
  opened o;
  open_data(&o, "{train: %s, target: y, inputs: {first: [a, x, c, z], second: [z, x]}, normalize: none}",
            write_text("times.csv",
                       "a,x,c,z,y\n5,2000-01-01 23:59:40,p,1.5,1\n6,2000-01-02 00:00:00,q,2.5,2\n"
                       "7,2000-01-02 00:00:01,p,3.5,3\n8,,q,4.5,4\n"));
  unlink(path_of("times.csv"));
  expect_open(&o);
  const gt_table *t = o.data.input[0].table;
  assert_true(t->raw == 5 && t->stored == 10 && o.data.input[1].table->raw == 3);
  for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
    float part[GT_DATE_PARTS_WITH_HOURS];
    const float *first = (const float *)gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->data + i * 10,
                *second = (const float *)gt_split_input(&o.data.split[GT_PART_TRAIN], 1)->data + i * 8;
    gt_date_split(gt_date_of_values(dates[i]), GT_DATE_PARTS_WITH_HOURS, part);
    assert_memory_equal(first + 1, part, sizeof part);
    assert_memory_equal(second + 1, part, sizeof part);
    assert_true(first[0] == (float)(5 + i) && first[8] == (float)(i % 2) && first[9] == 1.5f + (float)i);
    assert_true(second[0] == 1.5f + (float)i);
  }
  assert_true(t->column[1].fills && t->column[1].fill == 24);
  close_data(&o);
}

/* Dates are written with the lowest precision that keeps all their digits; milliseconds are the highest. */
static void texts_are_written(void **state) {
  static const struct {
    const char *from, *to;
    gt_date_precision precision;
  } texts[] = {
      {"2024-01-31", "2024-01-31", GT_DATE_DAYS},
      {"1899-12-31 23:59", "1899-12-31 23:59", GT_DATE_MINUTES},
      {"2024-01-31 23:59:59", "2024-01-31 23:59:59", GT_DATE_SECONDS},
      {"1969-12-31 23:59:59.999", "1969-12-31 23:59:59.999", GT_DATE_MILLISECONDS},
      {"2024-02-29 00:00:00.0996", "2024-02-29 00:00:00.100", GT_DATE_MILLISECONDS},
      {"2024-12-31 23:59:59.99996", "2025-01-01", GT_DATE_DAYS},
      {"3800-01-01 07:01", "3800-01-01 07:01", GT_DATE_MINUTES},
  };
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double hours;
    char text[32];
    assert_int_equal(gt_date_parse(texts[i].from, strlen(texts[i].from), 0, false, &hours), Y);
    const gt_date_precision precision = gt_date_precision_of(&hours, 1);
    assert_int_equal(precision, texts[i].precision);
    assert_string_equal(gt_date_text(hours, precision, text), texts[i].to);
  }
  assert_int_equal(gt_date_precision_of((const double[]){24, 0.5, 1}, 3), GT_DATE_MINUTES);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(seconds_are_exact), cmocka_unit_test(fractions_of_a_second_are_near),
      cmocka_unit_test(times_are_exact),   cmocka_unit_test(texts_are_written),
      cmocka_unit_test(forms_are_read),    cmocka_unit_test(times_are_read),
      cmocka_unit_test(months_are_added),  cmocka_unit_test(texts_may_end_anywhere),
      cmocka_unit_test(days_are_split),    cmocka_unit_test(hours_are_a_cycle)};
  return cmocka_run_group_tests_name("data: dates", tests, NULL, NULL);
}
