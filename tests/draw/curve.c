/* The plot of a run's losses: its appearance; it fits the terminal, and stores a bounded number of points. */
#include "draw/curve.h"
#include "base/text.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static gt_curve curve;

static char *plot(const gt_curve_style *style) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  gt_curve_draw(stream, &curve, style);
  fclose(stream);
  return text;
}

static void expect_plot(gt_curve_style style, const char *wanted) {
  char *text = plot(&style);
  assert_string_equal(text, wanted);
  free(text);
}

static void add(int64_t epoch, double train, double watched) {
  const gt_curve_point point = {10 * epoch, epoch, {train, watched}};
  gt_curve_add(&curve, &point);
}

/* Replaces the curve: the training loss changes linearly, the watched one is constant. */
static void set_linear_losses(int points, double first, double last, double watched) {
  memset(&curve, 0, sizeof curve);
  for (int i = 0; i < points; i++) add(i + 1, first + (last - first) * i / (points - 1), watched);
}

static void plots(void **unused) {
  (void)unused;
  set_linear_losses(6, 5.5, 0.6, 3.5);
  expect_plot((gt_curve_style){.columns = 36, .watched = "validation", .epochs = true},
              "5.5 |...\n"
              "    |   ......\n"
              "    |ooooooooooooooooooooooooooooooo\n"
              "    |               ......\n"
              "    |                     ......\n"
              "0.6 |                           ....\n"
              "     epoch 1                       6\n"
              "     loss  . train  o validation\n");
  expect_plot((gt_curve_style){.columns = 36, .watched = "test", .braille = true},
              "5.5 │⠉⠒⠢⠤⡀\n"
              "    │    ⠈⠉⠒⠢⠤⣀⡀\n"
              "    │⠒ ⠒ ⠒ ⠒ ⠒ ⠚⠙⠲⠤⣒⡀⠒ ⠒ ⠒ ⠒ ⠒ ⠒ ⠒ ⠒\n"
              "    │               ⠈⠉⠒⠢⣄⡀\n"
              "    │                    ⠈⠉⠒⠢⠤⣀⡀\n"
              "0.6 │                          ⠈⠒⠢⠤⣀\n"
              "     step 10                      60\n"
              "     loss  ⠒⠒ train  ⠒⠀ test\n");
  /* On a logarithmic scale, points with a constant ratio form a straight line. */
  memset(&curve, 0, sizeof curve);
  for (int i = 0; i < 6; i++) add(i, pow(10, 2 - i), NAN);
  expect_plot((gt_curve_style){.columns = 39, .color = true},
              "  100 |\x1b[36m....\x1b[0m\n"
              "      |    \x1b[36m......\x1b[0m\n"
              "      |          \x1b[36m......\x1b[0m\n"
              "      |                \x1b[36m......\x1b[0m\n"
              "      |                      \x1b[36m......\x1b[0m\n"
              "0.001 |                            \x1b[36m....\x1b[0m\n"
              "       step 0                        50\n"
              "       loss (log)  \x1b[36m.\x1b[0m train\n");
}

/* No line of text is wider than the terminal, and the number of lines is GT_CURVE_LINES, or 0 in a very
 * narrow terminal. */
static void every_width(void **unused) {
  (void)unused;
  set_linear_losses(50, 1e300, 1.2345e-300, 123456);
  for (int braille = 0; braille < 2; braille++)
    for (int columns = 0; columns < 300; columns++) {
      const gt_curve_style style = {.columns = columns, .braille = braille, .watched = "validation"};
      char *text = plot(&style), *rest = text;
      int lines = 0;
      for (char *line; (line = strsep(&rest, "\n")) && rest; lines++)
        assert_true(gt_text_width(line) <= columns);
      assert_int_equal(lines, columns < GT_CURVE_LEAST_WIDTH ? 0 : GT_CURVE_LINES);
      free(text);
    }
}

static void odd_losses(void **unused) {
  (void)unused;
  const gt_curve_style style = {.columns = 40, .watched = "test"};
  memset(&curve, 0, sizeof curve);
  expect_plot(style, "");
  add(1, 1, NAN), add(2, NAN, NAN), add(3, INFINITY, NAN), add(4, 2, NAN);
  expect_plot(style, ""); /* fewer than three finite losses: nothing is drawn */
  add(5, -1, 0);
  char *text = plot(&style);
  /* Not "loss (log)": the axis is linear, because a loss is 0 or less. */
  assert_non_null(strstr(text, "loss  ."));
  free(text);
  set_linear_losses(3, 0.25, 0.25, 0.25);
  text = plot(&style);
  /* All losses are equal; the watched ones are drawn over those of training. */
  assert_true(!strncmp(text, "0.25 |ooo", 9));
  free(text);
}

static void many_points(void **unused) {
  (void)unused;
  memset(&curve, 0, sizeof curve);
  for (int i = 1; i <= 100000; i++) {
    add(i, 1.0 / i, NAN);
    assert_true(curve.count <= GT_CURVE_POINTS);
    assert_int_equal(curve.point[0].epoch, 1);
    assert_int_equal(curve.point[curve.count - 1].epoch, i);
  }
  assert_true(curve.count > GT_CURVE_POINTS / 2);
  for (int i = 1; i + 1 < curve.count; i++)
    assert_int_equal(curve.point[i].epoch - curve.point[i - 1].epoch, curve.every);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(plots), cmocka_unit_test(every_width),
                                     cmocka_unit_test(odd_losses), cmocka_unit_test(many_points)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
