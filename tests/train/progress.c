/* The progress line fits every terminal width, and shows as many fields as fit. */
#include "base/time.h"
#include "train/run/progress.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* step, steps, epoch, loss, samples per second, seconds left */
static const gt_progress_view views[] = {
    {1, 10, 1, 0.5, 100, 1},
    {1234, 5678, 12, 0.1234, 1.23e6, 83},
    {5678, 5678, 100, 2.5e-9, 12, 0},
    {999999999, 1000000000000, 123456789, 1e38, 1e15, 1e9},
    {INT64_MAX / 2, INT64_MAX, INT64_MAX, -1e300, INFINITY, INFINITY},
    {7, 9, 1, NAN, NAN, NAN},
};
enum { VIEWS = sizeof views / sizeof *views };

static void every_width(void **unused) {
  (void)unused;
  for (int v = 0; v < VIEWS; v++) {
    char line[GT_PROGRESS_LONGEST], plain[GT_PROGRESS_LONGEST];
    size_t before = 0;
    for (size_t columns = 0; columns <= 1000; columns++) {
      gt_progress_text(line, &views[v], true, columns);
      gt_progress_text(plain, &views[v], false, columns);
      assert_true(strlen(line) <= columns);
      assert_true(strlen(plain) <= strlen(line));
      assert_true(strlen(plain) >= before); /* more columns never show less */
      before = strlen(plain);
      assert_int_equal(*line != 0, columns >= 4);
      if (columns >= 4) assert_non_null(strchr(line, '%'));
      for (const char *c = line; *c; c++) assert_true(*c >= ' ' && *c <= '~');
    }
    assert_non_null(strstr(plain, "epoch "));
    assert_non_null(strstr(plain, " samples/s"));
  }
}

static void usual_widths(void **unused) {
  (void)unused;
  static const struct {
    size_t columns; /* of the terminal; the line leaves the last one free */
    const char *line;
  } rows[] = {
      {1000,
       "[=====>                  ]  21%  epoch 12  step 1234/5678  loss 0.1234  1.2 M samples/s  1:23 left"},
      {120,
       "[=====>                  ]  21%  epoch 12  step 1234/5678  loss 0.1234  1.2 M samples/s  1:23 left"},
      {80, "[=>   ]  21%  epoch 12  step 1234/5678  loss 0.1234  1.2 M samples/s  1:23 left"},
      {60, " 21%  epoch 12  step 1234/5678  loss 0.1234  1:23 left"},
      {40, "[=>      ]  21%  loss 0.1234  1:23 left"},
      {20, " 21%  loss 0.1234"},
      {10, " 21%"},
      {5, " 21%"},
      {4, ""},
      {1, ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char line[GT_PROGRESS_LONGEST];
    gt_progress_text(line, &views[1], true, rows[i].columns - 1);
    assert_string_equal(line, rows[i].line);
  }
}

static void quantities(void **unused) {
  (void)unused;
  static const struct {
    double seconds;
    const char *text;
  } durations[] = {
      {0, "0.0 s"},         {2.5e-6, "2.50 us"},    {999.99e-6, "999.99 us"}, {999.9999e-6, "1.00 ms"},
      {0.0123, "12.30 ms"}, {0.99999, "999.99 ms"}, {0.9999999, "1.0 s"},     {6.7, "6.7 s"},
      {59.96, "1:00"},      {245, "4:05"},          {3599.7, "1:00:00"},      {3723, "1:02:03"},
  };
  char text[48];
  for (size_t i = 0; i < sizeof durations / sizeof *durations; i++)
    assert_string_equal(gt_duration(durations[i].seconds, text), durations[i].text);
  assert_string_equal(gt_samples_rate(65900, text), "65.9 k samples/s");
  assert_string_equal(gt_samples_rate(12.345, text), "12.3 samples/s");
  assert_string_equal(gt_samples_rate(3.2e6, text), "3.2 M samples/s");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(quantities), cmocka_unit_test(every_width),
                                     cmocka_unit_test(usual_widths)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
