/* `data.series`: windows of consecutive rows, their splits, gaps and groups, and that training reads no row
 * of another split. Column x counts the rows. */
#include "data_support.h"
#include <math.h>

enum { MAX_TEXT = 16384 };

/* Hourly rows "t,x,y", the time t, x = row and y = 1000 + row. From row `skip` on, times are one hour later;
 * 0: no gap. */
static const char *table(int rows, int skip) {
  static char text[MAX_TEXT];
  int used = snprintf(text, sizeof text, "t,x,y\n");
  for (int i = 0; i < rows; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "2024-01-%02d %02d:00,%d,%d\n",
                     1 + (i + (skip && i >= skip)) / 24, (i + (skip && i >= skip)) % 24, i, 1000 + i);
  return text;
}

static float value(const gt_tensor *tensor, int64_t sample, int64_t i) {
  return ((const float *)gt_tensor_sample(tensor, sample))[i];
}

/* Windows of `window` rows of x from `first` on, each `stride` rows later, and the `horizon` values of y
 * after each. */
static void expect_windows(const gt_split *split, int64_t samples, int first, int window, int horizon,
                           int stride) {
  assert_int_equal(split->samples, samples);
  assert_int_equal(gt_split_input(split, 0)->dim[0], samples);
  assert_int_equal(gt_split_target(split, 0)->dim[0], samples);
  assert_int_equal(gt_split_target(split, 0)->dim[1], horizon);
  for (int64_t s = 0; s < samples; s++) {
    const int64_t begin = first + s * stride;
    for (int64_t i = 0; i < window; i++)
      assert_int_equal((int64_t)value(gt_split_input(split, 0), s, i), begin + i);
    for (int64_t k = 0; k < horizon; k++)
      assert_int_equal((int64_t)value(gt_split_target(split, 0), s, k), 1000 + begin + window + k);
  }
}

#define SERIES "{train: %s, inputs: [x], target: y, normalize: none, series: "

static void splits_are_contiguous(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("s.csv", table(100, 0));
  open_data(&o, SERIES "{window: 4, horizon: 2, time: t}, validation: 0.1, test_fraction: 0.2}", path);
  expect_open(&o);
  assert_int_equal(o.diagnostics.findings, 0);
  const gt_input *input = &o.data.input[0];
  assert_true(input->window && input->rank == 2 && input->dim[0] == 4 && input->dim[1] == 1);
  assert_int_equal(gt_input_row_features(input), 1);
  expect_windows(&o.data.split[GT_PART_TRAIN], 65, 0, 4, 2, 1); /* rows 0 … 69 */
  expect_windows(&o.data.split[GT_PART_VALIDATION], 5, 70, 4, 2, 1);
  expect_windows(&o.data.split[GT_PART_TEST], 15, 80, 4, 2, 1);
  assert_int_equal(gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->stored,
                   70); /* overlapping windows share their rows */
  assert_string_equal(o.data.target[0].columns[0], "y+1");
  assert_string_equal(o.data.target[0].columns[1], "y+2");
  close_data(&o);
  open_data(&o, SERIES "{window: 3, stride: 5}, split: last}", path);
  expect_open(&o);
  expect_windows(&o.data.split[GT_PART_TRAIN], 20, 0, 3, 1, 5); /* the last begins at row 95 */
  close_data(&o);
}

/* A window that needs all rows, and one that needs one more. */
static void longest_window(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("s.csv", table(9, 0));
  open_data(&o, SERIES "{window: 7, horizon: 2}}", path);
  expect_open(&o);
  expect_windows(&o.data.split[GT_PART_TRAIN], 1, 0, 7, 2, 1);
  close_data(&o);
  open_data(&o, SERIES "{window: 8, horizon: 2}}", path);
  expect_bad_config(&o, 0, "the longest stretch without a gap has 9 rows, 10 are needed");
}

static void no_window_spans_a_gap(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("s.csv", table(40, 17));
  open_data(&o, SERIES "{window: 4, horizon: 2, time: t}}", path);
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 12 + 18);
  for (int64_t s = 0; s < o.data.split[GT_PART_TRAIN].samples; s++) {
    const int first = (int)value(gt_split_input(&o.data.split[GT_PART_TRAIN], 0), s, 0);
    assert_true(first + 5 < 17 || first >= 17);
  }
  close_data(&o);
  open_data(&o, SERIES "{window: 4, horizon: 2, time: t, gaps: ignore}}", path);
  expect_open(&o);
  expect_windows(&o.data.split[GT_PART_TRAIN], 35, 0, 4, 2, 1);
  close_data(&o);
}

/* One row every `each` months, beginning in 2001. From row `skip` on, times are one step later; 0: no gap. */
static const char *months(int rows, int each, int skip) {
  static char text[MAX_TEXT];
  int used = snprintf(text, sizeof text, "t,x,y\n");
  for (int i = 0; i < rows; i++) {
    const int month = each * (i + (skip && i >= skip));
    used += snprintf(text + used, sizeof text - (size_t)used, "%d-%02d,%d,%d\n", 2001 + month / 12,
                     1 + month % 12, i, 1000 + i);
  }
  return text;
}

static void months_are_equal_steps(void **state) {
  (void)state;
  static const int each[] = {1, 3, 12};
  for (int i = 0; i < 3; i++) {
    opened o;
    const char *path = write_text("s.csv", months(40, each[i], 0));
    open_data(&o, SERIES "{window: 4, horizon: 2, time: t}}", path);
    expect_open(&o);
    expect_windows(&o.data.split[GT_PART_TRAIN], 35, 0, 4, 2, 1);
    close_data(&o);
    path = write_text("s.csv", months(40, each[i], 17));
    open_data(&o, SERIES "{window: 4, horizon: 2, time: t}}", path);
    expect_open(&o);
    assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 12 + 18);
    close_data(&o);
  }
}

/* Row 5 of 20 has no x: with `drop` no window has rows before and after it; otherwise x is filled. */
static void no_window_spans_a_dropped_row(void **state) {
  (void)state;
  opened o;
  char text[1024] = "t,x,y\n";
  for (int i = 0, used = 6; i < 20; i++)
    used += i == 5 ? snprintf(text + used, sizeof text - (size_t)used, "%d,,%d\n", i, 1000 + i)
                   : snprintf(text + used, sizeof text - (size_t)used, "%d,%d,%d\n", i, i, 1000 + i);
  const char *path = write_text("s.csv", text);
  open_data(&o, SERIES "{window: 2, horizon: 1}, columns: {x: {missing: drop}}}", path);
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 3 + 12);
  for (int64_t s = 0; s < o.data.split[GT_PART_TRAIN].samples; s++)
    assert_int_equal((int)value(gt_split_target(&o.data.split[GT_PART_TRAIN], 0), s, 0) - 1000,
                     (int)value(gt_split_input(&o.data.split[GT_PART_TRAIN], 0), s, 0) + 2);
  close_data(&o);
  open_data(&o, SERIES "{window: 2, horizon: 1}}", path);
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 18);
  close_data(&o);
}

/* Rows of three groups, mixed: a has 20 rows, b 10, c 3. */
static const char *mixed(void) {
  static char text[2048];
  int used = snprintf(text, sizeof text, "t,place,x,y\n"), count[3] = {0};
  for (int i = 0; i < 33; i++) {
    const int g = i < 9 ? i % 3 : i < 23 ? i % 2 : 0;
    used += snprintf(text + used, sizeof text - (size_t)used, "%d,%c,%d,%d\n", i, 'a' + g, 100 * g + count[g],
                     1000 + 100 * g + count[g]);
    count[g]++;
  }
  assert_true(count[0] == 20 && count[1] == 10 && count[2] == 3);
  return text;
}

static void groups_are_series(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("g.csv", mixed());
  open_data(&o, SERIES "{window: 3, horizon: 1, time: t, group: place, gaps: ignore}, test_fraction: 0.4}",
            path);
  expect_open(&o);
  assert_int_equal(o.diagnostics.findings, 1); /* c is too short */
  assert_non_null(strstr(o.diagnostics.items[0].message,
                         "1 of 3 groups is shorter than a window and its horizon, "
                         "4 rows: 'c' (3 rows)"));
  /* Group a has 12 training and 8 test rows, group b 6 and 4. */
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 9 + 3);
  assert_int_equal(o.data.split[GT_PART_TEST].samples, 5 + 1);
  for (int64_t s = 0; s < o.data.split[GT_PART_TEST].samples; s++) {
    const int first = (int)value(gt_split_input(&o.data.split[GT_PART_TEST], 0), s, 0);
    assert_int_equal(first % 100 >= (first < 100 ? 12 : 6), 1);
    for (int i = 1; i < 3; i++)
      assert_int_equal((int)value(gt_split_input(&o.data.split[GT_PART_TEST], 0), s, i), first + i);
    assert_int_equal((int)value(gt_split_target(&o.data.split[GT_PART_TEST], 0), s, 0), 1000 + first + 3);
  }
  close_data(&o);
}

/* The target's past is an input by default; `future` has the rows of the horizon; a date may be in both. */
static void columns_have_several_uses(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("s.csv", table(50, 0));
  open_data(&o, "{train: %s, series: {window: 5, horizon: 3, time: t}, normalize: none}", path);
  expect_open(&o);
  assert_int_equal(o.data.input[0].dim[1], 2); /* x and y, not the time */
  assert_int_equal((int)value(gt_split_input(&o.data.split[GT_PART_TRAIN], 0), 7, 1), 1007);
  assert_int_equal((int)value(gt_split_target(&o.data.split[GT_PART_TRAIN], 0), 7, 0), 1012);
  close_data(&o);
  open_data(
      &o,
      "{train: %s, series: {window: 5, horizon: 3, time: t}, inputs: [y, t], future: [x, t], target: y, "
      "normalize: none}",
      path);
  expect_open(&o);
  assert_int_equal(o.data.inputs, 2);
  assert_string_equal(o.data.input[0].name, "past");
  assert_string_equal(o.data.input[1].name, "future");
  assert_true(o.data.input[1].dim[0] == 3 && o.data.input[1].dim[1] > 5); /* parts of the date */
  const int64_t features = o.data.input[1].dim[1];
  for (int k = 0; k < 3; k++)
    assert_int_equal((int)value(gt_split_input(&o.data.split[GT_PART_TRAIN], 1), 4, k * features), 9 + k);
  close_data(&o);
}

static void labels_are_classes(void **state) {
  (void)state;
  opened o;
  char text[1024] = "x,kind\n";
  for (int i = 0, used = 7; i < 20; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "%d,%s\n", i, i % 3 ? "dry" : "wet");
  const char *path = write_text("k.csv", text);
  open_data(&o, "{train: %s, target: kind, inputs: [x], series: 4}", path);
  expect_open(&o);
  assert_true(o.data.target[0].classification && gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->rank == 1);
  for (int i = 0; i < 16; i++)
    assert_int_equal(((const int32_t *)gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data)[i],
                     (i + 4) % 3 == 0);
  close_data(&o);
  open_data(&o, "{train: %s, target: kind, inputs: [x], series: {window: 4, horizon: 2}}", path);
  expect_open(&o);
  assert_true(gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->rank == 2 &&
              gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->dim[1] == 2);
  close_data(&o);
}

/* Counts 0, 1, 2, … are quantities, unless the config says that they are classes. */
static void counts_are_quantities(void **state) {
  (void)state;
  static const struct {
    const char *keys;
    bool classes;
  } cases[] = {{"", false}, {"task: classification, ", true}, {"classes: 3, ", true}};
  char text[1024] = "x,n\n";
  for (int i = 0, used = 4; i < 20; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "%d,%d\n", i, i % 3);
  const char *path = write_text("n.csv", text);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int horizon = 1; horizon < 3; horizon++) {
      opened o;
      open_data(&o, "{train: %s, target: n, %sseries: {window: 4, horizon: %d}}", path, cases[i].keys,
                horizon);
      expect_open(&o);
      assert_int_equal(o.data.target[0].classification, cases[i].classes);
      close_data(&o);
    }
  opened o; /* without `series` they are classes */
  open_data(&o, "{train: %s, target: n}", path);
  expect_open(&o);
  assert_true(o.data.target[0].classification);
  close_data(&o);
}

/* Arrays are one series of equal steps; an input named `future` has the rows of the horizon. */
static void arrays_are_series(void **state) {
  (void)state;
  opened o;
  gt_error error = {0};
  float x[60], y[30];
  for (int i = 0; i < 60; i++) x[i] = (float)i / 2;
  for (int i = 0; i < 30; i++) y[i] = 1000 + (float)i;
  const gt_tensor wide = {.element = GT_ELEMENT_F32, .rank = 2, .dim = {30, 2}, .data = x},
                  target = {.element = GT_ELEMENT_F32, .rank = 2, .dim = {30, 1}, .data = y};
  const char *inputs = path_of("x.npy"), *targets = path_of("y.npy");
  assert_true(gt_data_write_npy(inputs, &wide, &error) && gt_data_write_npy(targets, &target, &error));
  open_data(&o,
            "{train: {inputs: {past: %s, future: %s}, targets: %s}, task: regression, series: {window: 4, "
            "horizon: 3}, test_fraction: 0.4}",
            inputs, inputs, targets);
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 12);
  assert_int_equal(o.data.split[GT_PART_TEST].samples, 6);
  assert_true(o.data.input[0].dim[0] == 4 && o.data.input[1].dim[0] == 3 && o.data.input[1].dim[1] == 2);
  for (int64_t s = 0; s < 6; s++) {
    assert_int_equal((int)value(gt_split_input(&o.data.split[GT_PART_TEST], 0), s, 0), 18 + s);
    assert_int_equal((int)value(gt_split_input(&o.data.split[GT_PART_TEST], 1), s, 0), 22 + s);
    assert_int_equal((int)value(gt_split_target(&o.data.split[GT_PART_TEST], 0), s, 2), 1000 + 18 + s + 6);
  }
  close_data(&o);
  open_data(&o, "{train: {inputs: %s, targets: %s}, series: {window: 4, time: t}}", inputs, targets);
  expect_bad_config(&o, 0, "'time' names a column of a CSV, but the format is 'npy'");
}

/* y rises by 2 per row, and every fourth row is 100 higher. */
static void naive_forecasts(void **state) {
  (void)state;
  opened o;
  char text[1024] = "y\n";
  for (int i = 0, used = 2; i < 40; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "%d\n", 2 * i + (i % 4 == 0 ? 100 : 0));
  const char *path = write_text("n.csv", text);
  open_data(&o, "{train: %s, target: y, series: {window: 4, horizon: 6, season: 4}}", path);
  expect_open(&o);
  /* y rises by 8 per season. For steps 5 and 6 the last known value is two seasons before. */
  const double season[] = {8, 8, 8, 8, 16, 16};
  for (int k = 0; k < 6; k++)
    assert_float_equal(o.data.split[GT_PART_TRAIN].naive[GT_NAIVE_SEASON][k], season[k], 1e-9);
  double last = 0;
  for (int64_t s = 0; s < o.data.split[GT_PART_TRAIN].samples; s++)
    last += fabs((double)value(gt_split_target(&o.data.split[GT_PART_TRAIN], 0), s, 1) -
                 (double)value(gt_split_input(&o.data.split[GT_PART_TRAIN], 0), s, 3));
  assert_float_equal(o.data.split[GT_PART_TRAIN].naive[GT_NAIVE_LAST][1],
                     last / (double)o.data.split[GT_PART_TRAIN].samples, 1e-9);
  close_data(&o);
}

/* --- no leak --- */

/* 60 rows with a number and a category. From row `first` on, the values are not those of changed_from(60). */
static const char *changed_from(int first) {
  static char text[MAX_TEXT];
  int used = snprintf(text, sizeof text, "x,kind,y\n");
  for (int i = 0; i < 60; i++)
    used += i < first
                ? snprintf(text + used, sizeof text - (size_t)used, "%d,%s,%d\n", i, i % 2 ? "a" : "b", 2 * i)
                : snprintf(text + used, sizeof text - (size_t)used, "%d,%s,%d\n", 7777 - i,
                           i % 2 ? "new" : "newer", 31 * i);
  return text;
}

static void training_ignores_held_out_rows(void **state) {
  (void)state;
  static const char *const map = "{train: %s, target: y, series: {window: 5, horizon: 2}, validation: 0.2, "
                                 "test_fraction: 0.2}";
  opened original, changed;
  open_data(&original, map, write_text("as.csv", changed_from(60)));
  expect_open(&original);
  open_data(&changed, map, write_text("is.csv", changed_from(36)));
  expect_open(&changed);
  const gt_data_fingerprint a = gt_dataset_fingerprint(&original.data),
                            b = gt_dataset_fingerprint(&changed.data);
  assert_true(a.split[GT_PART_TRAIN] == b.split[GT_PART_TRAIN] &&
              a.meaning == b.meaning); /* values, windows, scaling, categories */
  assert_true(a.split[GT_PART_VALIDATION] != b.split[GT_PART_VALIDATION] &&
              a.split[GT_PART_TEST] != b.split[GT_PART_TEST]);
  const gt_target_scaling x = gt_data_measure_target(gt_split_target(&original.data.split[GT_PART_TRAIN], 0),
                                                     2, &original.arena),
                          y = gt_data_measure_target(gt_split_target(&changed.data.split[GT_PART_TRAIN], 0),
                                                     2, &changed.arena);
  assert_memory_equal(x.values, y.values, 4 * sizeof *x.values);
  close_data(&original);
  close_data(&changed);
}

/* --- bad input --- */

static void bad_times(void **state) {
  (void)state;
  opened o;
  open_data(&o, SERIES "{window: 1, time: t}}", write_text("b.csv", "t,x,y\n1,1,1\n3,1,1\n2,1,1\n"));
  expect_bad_file(&o, "b.csv:4:1: the time '2' is before '3' in line 3; sort the rows by time, oldest first");
  open_data(&o, SERIES "{window: 1, time: t}}", write_text("b.csv", "t,x,y\n1,1,1\n3,1,1\n3,1,1\n"));
  expect_bad_file(&o, "b.csv:4:1: the time '3' is also that of line 3; if the rows are of several series");
  open_data(&o, SERIES "{window: 1, time: t, group: x}}",
            write_text("b.csv", "t,x,y\n1,a,1\n3,b,1\n1,a,1\n"));
  expect_bad_file(&o, "b.csv:4:1: the time '1' is also that of line 2 in the group 'a'");
  open_data(&o, SERIES "{window: 1, time: t}}",
            write_text("b.csv", "t,x,y\n2024-01-01,1,1\n2024-01-02,1,1\nsoon,1,1\n"));
  expect_bad_file(&o, "b.csv:4:1: 'soon' is not a time; expected a date such as 2024-01-31");
  open_data(&o, SERIES "{window: 1, time: t}}", write_text("b.csv", "t,x,y\n1,1,1\n,1,1\n"));
  expect_bad_file(&o, "b.csv:3:1: missing time");
  open_data(&o, SERIES "{window: 1, time: t}}",
            write_text("b.csv", "t,x,y\n01/02/2024,1,1\n02/03/2024,1,1\n03/04/2024,1,1\n"));
  expect_bad_file(&o, "b.csv:2:1: the day and the month of these dates could be either way round");
  /* Only with the day first do the times rise. */
  open_data(&o, SERIES "{window: 1, time: t}}",
            write_text("b.csv", "t,x,y\n02/03/2024,1,1\n01/04/2024,1,1\n"));
  expect_open(&o);
  close_data(&o);
}

static void bad_keys(void **state) {
  (void)state;
  static const struct {
    const char *keys, *text;
  } cases[] = {
      {"series: {window: 4}, split: random", "split 'random' does not go with 'series'"},
      {"series: {window: 4}, split: {group: x}", "split 'by group' does not go with 'series'"},
      {"series: {window: 4, season: 5}", "the season has 5 rows and the window 4"},
      {"series: {window: 4}, weight: x", "'weight' does not go with 'series': a window has many rows"},
      {"series: {window: 4}, shape: [1, 2]", "'shape' does not go with 'series'"},
      {"series: {window: 4}, classes: [a, b]", "a list of classes does not go with 'series'"},
      {"series: {window: 4}, future: [y]",
       "column 'y' is a target, so its rows after a window are not known"},
      {"series: {window: 4, time: when}", "there is no column 'when'"},
      {"series: {window: 4, time: y}", "column 'y' of"},
      {"series: {}", "key 'window' is missing in 'series'"},
      {"series: {window: 0}", "'window'"},
      {"future: [x]", "'future' needs 'series'"},
      {"series: {window: 70, horizon: 20}, validation: 0.5", "fits into the training rows"},
      {"series: {window: 30, horizon: 5}, validation: 0.1",
       "no window of 30 rows with a horizon of 5 fits into the validation rows: the longest stretch without a gap "
       "has 10 rows, 35 are needed"},
      {"series: {window: 3}, validation: 0.001", "no samples are left for the validation split"},
  };
  const char *path = write_text("s.csv", table(100, 0));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    opened o;
    open_data(&o, "{train: %s, target: y, %s}", path, cases[i].keys);
    expect_bad_config(&o, 0, cases[i].text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(splits_are_contiguous),
      cmocka_unit_test(longest_window),
      cmocka_unit_test(no_window_spans_a_gap),
      cmocka_unit_test(months_are_equal_steps),
      cmocka_unit_test(no_window_spans_a_dropped_row),
      cmocka_unit_test(groups_are_series),
      cmocka_unit_test(columns_have_several_uses),
      cmocka_unit_test(labels_are_classes),
      cmocka_unit_test(counts_are_quantities),
      cmocka_unit_test(arrays_are_series),
      cmocka_unit_test(naive_forecasts),
      cmocka_unit_test(training_ignores_held_out_rows),
      cmocka_unit_test(bad_times),
      cmocka_unit_test(bad_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
