/* A target that the loss does not support is an error at its position, in every format. */
#include "data_support.h"

static const gt_data_range unit = {0, 1, "loss 'bce'"};
static const gt_data_requirements in_unit = {.demand = {{.range = &unit}}};

static int set_range(void **state) {
  (void)state;
  requirements = &in_unit;
  return 0;
}

static void csv(void **state) {
  (void)state;
  opened o;
  const char *good = write_text("good.csv", "a,b,c\n1,0,1\n2,1,0.5\n"),
             *bad = write_text("bad.csv", "a,b,c\n1,0,1\n2,1,-0.5\n");
  open_data(&o, "{train: %s, target: [b, c], test: %s}", good, good);
  expect_open(&o);
  close_data(&o);
  open_data(&o, "{train: %s, target: [b, c]}", bad);
  expect_bad_file(&o, ":3:5: the target -0.5 is outside 0 to 1, the range that loss 'bce' requires");
  open_data(&o, "{train: %s, target: [b, c], test: %s}", good, bad);
  expect_bad_file(&o, "bad.csv:3:5: the target -0.5");
  requirements = NULL;
  open_data(&o, "{train: %s, target: [b, c]}", bad);
  expect_open(&o);
  close_data(&o);
}

/* Words for booleans become 0 and 1 for a loss that needs them; missing ones are an error. */
static void booleans(void **state) {
  (void)state;
  static const gt_data_requirements bits = {.demand = {{.range = &unit, .bits = true}}}, numbers = {0};
  static const float expected[] = {1, 0, 0, 1, 1, 1};
  opened o;
  const char *text = "a,b,c\n1,Yes,f\n2,NO,t\n3,yes,T\n", *many = write_text("many.csv", text),
             *one = write_text("one.csv", "a,b\n1,0\n2,1\n3,0\n"),
             *gap = write_text("gap.csv", "a,b\n1,on\n2,\n3,off\n"),
             *mixed = write_text("mixed.csv", "a,b\n1,on\n2,maybe\n3,off\n");
  requirements = &bits;
  open_data(&o, "{train: %s, target: [b, c], test: %s}", many, many);
  expect_open(&o);
  assert_false(o.data.target[0].classification);
  assert_memory_equal(gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data, expected, sizeof expected);
  assert_memory_equal(gt_split_target(&o.data.split[GT_PART_TEST], 0)->data, expected, sizeof expected);
  assert_string_equal(o.data.target[0].words[0], "NO");
  assert_string_equal(o.data.target[0].words[3], "t");
  close_data(&o);
  open_data(&o, "{train: %s}", one);
  expect_open(&o);
  assert_true(!o.data.target[0].classification && !strcmp(o.data.target[0].words[1], "1"));
  close_data(&o);
  open_data(&o, "{train: %s}", gap);
  expect_bad_file(&o, "gap.csv:3:3: missing value in column 'b'");
  open_data(&o, "{train: %s}", mixed);
  expect_open(&o); /* other words are classes, which the loss rejects */
  assert_int_equal(o.data.target[0].classes, 3);
  close_data(&o);
  requirements = &numbers;
  open_data(&o, "{train: %s, target: [b, c]}", many);
  expect_open(&o);
  assert_memory_equal(gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data, expected, sizeof expected);
  close_data(&o);
  open_data(&o, "{train: %s}", one);
  expect_open(&o);
  assert_true(o.data.target[0].classification && !o.data.target[0].words);
  close_data(&o);
  unlink(many), unlink(one), unlink(gap), unlink(mixed);
}

/* Rows without a target are an error with a proposed fix; with that fix they are dropped from every split. */
static void gaps(void **state) {
  (void)state;
  static const float expected[] = {0.5f, 1};
  opened o;
  const char *numbers = write_text("gaps.csv", "a,y\n1,0.5\n2,\n3,NA\n4,1\n"),
             *words = write_text("words.csv", "a,the kind\n1,cat\n2,\n3,dog\n");
  requirements = NULL;
  open_data(&o, "{train: %s}", numbers);
  expect_bad_file(&o,
                  "gaps.csv:3:3: missing value in column 'y'; expected a number; 2 of the column's 4 cells "
                  "are missing; to leave out such rows: data: {columns: {y: {missing: drop}}}");
  open_data(&o, "{train: %s, test: %s, columns: {y: {missing: drop}}}", numbers, numbers);
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 2);
  assert_memory_equal(gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data, expected, sizeof expected);
  assert_memory_equal(gt_split_target(&o.data.split[GT_PART_TEST], 0)->data, expected, sizeof expected);
  close_data(&o);
  open_data(&o, "{train: %s}", words);
  expect_bad_file(
      &o, "words.csv:3:3: missing label; to leave out such rows: data: {columns: {'the kind': {missing: "
          "drop}}}");
  open_data(&o, "{train: %s, columns: {'the kind': {missing: drop}}}", words);
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 2);
  assert_int_equal(o.data.target[0].classes, 2);
  close_data(&o);
  unlink(numbers), unlink(words);
}

static void arrays(void **state) {
  (void)state;
  opened o;
  gt_error error = {0};
  float values[] = {0, 1, 0.5f, 1, 0, 1, 1.25f, 0};
  const gt_tensor tensor = {.element = GT_ELEMENT_F32, .rank = 2, .dim = {4, 2}, .data = values};
  const char *path = path_of("t.npy");
  assert_true(gt_data_write_npy(path, &tensor, &error));
  open_data(&o, "{train: {inputs: %s, targets: %s}}", path, path);
  expect_bad_file(&o, "t.npy: sample 3: the target 1.25 is outside 0 to 1");
  values[6] = 1;
  path = path_of("u.npy"); /* no output replaces a file that was read */
  assert_true(gt_data_write_npy(path, &tensor, &error));
  open_data(&o, "{train: {inputs: %s, targets: %s}}", path, path);
  expect_open(&o);
  close_data(&o);
}

static void configs(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{inputs: [[1], [2]], targets: [[1], [-1]]}");
  expect_bad_config(&o, 38, "the target -1 is outside 0 to 1");
  open_data(&o, "{inputs: [1, 2], targets: [0.5, 2]}");
  expect_bad_config(&o, 33, "the target 2 is outside 0 to 1");
  open_data(&o, "{inputs: [1, 2], targets: [0.5, 1], test: {inputs: [1], targets: [1.5]}}");
  expect_bad_config(&o, 67, "the target 1.5 is outside");
  open_data(&o, "{formula: 2*x^2, samples: 100}");
  expect_bad_config(&o, 0, "is outside 0 to 1, the range that loss 'bce' requires at x0 = ");
  open_data(&o, "{formula: x^2, samples: 100, noise: 1}");
  expect_bad_config(&o, 0, "is outside 0 to 1");
  open_data(&o, "{formula: x^2, samples: 100}");
  expect_open(&o);
  close_data(&o);
  open_data(&o, "{formula: 'x > 0', samples: 100, task: classification}");
  expect_open(&o); /* classes are not quantities, so their values are not checked */
  close_data(&o);
}

static int remove_files(void **state) {
  (void)state;
  unlink(path_of("good.csv"));
  unlink(path_of("bad.csv"));
  unlink(path_of("t.npy"));
  unlink(path_of("u.npy"));
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup(csv, set_range), cmocka_unit_test(booleans),
                                     cmocka_unit_test(gaps), cmocka_unit_test_setup(arrays, set_range),
                                     cmocka_unit_test_setup(configs, set_range)};
  return cmocka_run_group_tests_name("data: targets", tests, NULL, remove_files);
}
