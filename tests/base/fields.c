/* Fields of a line are dropped by importance, and widths are measured in terminal columns. */
#include "base/fields.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const gt_line_field fields[] = {
    {"name", 2, 0}, {"漢字", 0, 2}, {"", 3, 2}, {"gru\u0308n", 1, 1}, {" ", 4, 3}};
enum { FIELDS = sizeof fields / sizeof *fields };

static void expect(int room, const char *line, int width) {
  char made[64];
  assert_int_equal(gt_fit_fields(made, sizeof made, fields, FIELDS, room), width);
  assert_string_equal(made, line);
}

static void by_importance(void **unused) {
  (void)unused;
  assert_int_equal(gt_fields_width(fields, FIELDS), 4 + 2 + 4 + 1 + 4 + 3 + 1);
  expect(100, "name  漢字 gru\u0308n", 15); /* trailing spaces are not written */
  expect(15, "name  漢字 gru\u0308n", 15);
  expect(14, "漢字 gru\u0308n", 9);
  expect(9, "漢字 gru\u0308n", 9);
  expect(8, "漢字", 4);
  expect(4, "漢字", 4);
  expect(3, "", 0); /* a dropped field is not replaced by a less important one */
  expect(0, "", 0);
}

static void short_buffer(void **unused) {
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(by_importance), cmocka_unit_test(short_buffer)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
