/* If a line is too narrow, the least important fields are dropped. Widths are in terminal columns. */
#include "base/fields.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* Text, rank, gap. */
static const gt_line_field fields[] = {
    {"name", 2, 0}, {"漢字", 0, 2}, {"", 3, 2}, {"gru\u0308n", 1, 1}, {" ", 4, 3}};
enum { FIELDS = sizeof fields / sizeof *fields };

static void expect_line(int columns, const char *line, int width) {
  char fitted[64];
  assert_int_equal(gt_fit_fields(fitted, sizeof fitted, fields, FIELDS, columns), width);
  assert_string_equal(fitted, line);
}

static void least_important_are_dropped_first(void **unused) {
  (void)unused;
  assert_int_equal(gt_fields_width(fields, FIELDS), 4 + 2 + 4 + 1 + 4 + 3 + 1); /* texts and gaps */
  expect_line(100, "name  漢字 gru\u0308n", 15); /* trailing spaces are not written */
  expect_line(15, "name  漢字 gru\u0308n", 15);
  expect_line(14, "漢字 gru\u0308n", 9);
  expect_line(9, "漢字 gru\u0308n", 9);
  expect_line(8, "漢字", 4);
  expect_line(4, "漢字", 4);
  expect_line(3, "", 0); /* a dropped field is not replaced by a less important one */
  expect_line(0, "", 0);
}

static void text_is_cut_to_the_buffer(void **unused) {
  (void)unused;
  char line[8];
  memset(line, 'x', sizeof line);
  gt_fit_fields(line, 7, fields, 1, 100);
  assert_string_equal(line, "name");
  gt_fit_fields(line, 3, fields, 1, 100);
  assert_string_equal(line, "na");
  assert_int_equal(line[7], 'x');
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(least_important_are_dropped_first),
                                     cmocka_unit_test(text_is_cut_to_the_buffer)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
